import type { ReadDocument } from "../documents/read-document.ts";
import { sandboxLimits } from "./limits.ts";
import { problemClause } from "./problem-clause.ts";
import type { Sandbox } from "./types.ts";

/** Reads documents in a sandbox, so that a damaged or hostile document costs only time. */
export function sandboxDocumentReader(sandbox: Sandbox): ReadDocument {
  return async (kind, content, signal, part) => {
    const files = [{ name: `document.${kind}`, content }];
    const limits = { seconds: sandboxLimits.documentSeconds };
    const request = { engine: kind, program: "", files, ...limits, ...(part !== undefined && { part }) };
    const { output, problem } = await sandbox.run(request, signal);
    return problem === undefined ? { text: output } : { problem: problemClause(problem, "reading it") };
  };
}
