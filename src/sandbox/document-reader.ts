import type { TakenPages } from "../documents/taken-pages.ts";
import type { ReadDocument, TakePages } from "../documents/read-document.ts";
import { sandboxLimits } from "./program-limits.ts";
import { problemClause } from "./problem-clause.ts";
import type { Sandbox } from "./sandbox-types.ts";

/** Reads documents in a sandbox, so that a damaged or hostile document costs only time. */
export function sandboxDocumentReader(sandbox: Sandbox): ReadDocument {
  return async (kind, content, signal, part) => {
    const files = [{ name: `document.${kind}`, content }];
    const limits = { seconds: sandboxLimits.documentSeconds };
    const request = { engine: kind, program: "", files, ...limits, ...(part !== undefined && { part }) };
    const { output, problem, notes } = await sandbox.run(request, signal);
    if (problem !== undefined) return { problem: problemClause(problem, "reading it") };
    return { text: output, ...(notes.length > 0 && { notes }) };
  };
}

/** Takes pages of PDFs in a sandbox. */
export function sandboxPageTaker(sandbox: Sandbox): TakePages {
  return async (content, signal, pages) => {
    const { output, problem, written } = await sandbox.run(
      {
        engine: "pages",
        program: "",
        files: [{ name: "document.pdf", content }],
        seconds: sandboxLimits.documentSeconds,
        ...(pages !== undefined && { part: pages }),
      },
      signal,
    );
    if (problem !== undefined) return { problem: problemClause(problem, "reading it") };
    const [copy] = written;
    return { ...(JSON.parse(output) as TakenPages), ...(copy && { content: copy.content }) };
  };
}
