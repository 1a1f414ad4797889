import type { Engine } from "./engine.ts";
import type { LoadedEngine } from "./types.ts";

/** Loads the program of a process with its code and WebAssembly, so that the next request does not wait for that. */
export const loadEngine: Record<LoadedEngine, () => Promise<Engine>> = {
  javascript: async () => (await import("./javascript.ts")).loadJavascript(),
  python: async () => (await import("./python.ts")).loadPython(),
  document: loadDocumentReader,
};

/** Always dirty: a hostile document or schema may have changed what reads it. */
async function loadDocumentReader(): Promise<Engine> {
  const { readDocument, takePages } = await import("../documents/read-document.ts");
  return async ({ engine, program, files: [file], part }) => {
    if (!file || engine === "javascript" || engine === "python") throw new Error(`expected one file for ${engine}`);
    const rest = { written: [], notes: [], dirty: true as const };
    if (engine === "result") {
      const { checkResult } = await import("../results/check-result.ts");
      const problems = await checkResult(JSON.parse(program) as object, new TextDecoder().decode(file.content));
      return { output: JSON.stringify(problems), ...rest };
    }
    if (engine === "pages") {
      const taken = await takePages(file.content, new AbortController().signal, part);
      if ("problem" in taken) return { output: "", problem: taken.problem, ...rest };
      const { content, ...pages } = taken;
      const written = content ? [{ name: "pages.pdf", content }] : [];
      return { ...rest, output: JSON.stringify(pages), written };
    }
    const document = await readDocument(engine, file.content, new AbortController().signal, part);
    const outcome = "problem" in document ? { output: "", problem: document.problem } : { output: document.text };
    return { ...outcome, ...rest };
  };
}
