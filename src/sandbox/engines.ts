import type { Engine } from "./engine.ts";
import type { LoadedEngine } from "./types.ts";

/** Loads the program of a process with its code and WebAssembly, so that the next request does not wait for that. */
export const loadEngine: Record<LoadedEngine, () => Promise<Engine>> = {
  javascript: async () => (await import("./javascript.ts")).loadJavascript(),
  python: async () => (await import("./python.ts")).loadPython(),
  document: loadDocumentReader,
};

/** Always dirty: a hostile document may have changed its reader. */
async function loadDocumentReader(): Promise<Engine> {
  const { readDocument } = await import("../documents/read-document.ts");
  return async ({ engine, files: [file], part }) => {
    if (!file || engine === "javascript" || engine === "python") throw new Error(`expected one document for ${engine}`);
    const document = await readDocument(engine, file.content, new AbortController().signal, part);
    const outcome = "problem" in document ? { output: "", problem: document.problem } : { output: document.text };
    return { ...outcome, written: [], notes: [], dirty: true };
  };
}
