import type { Engine } from "./engine.ts";
import type { SandboxEngine } from "./types.ts";

/** Loads an engine with its code and WebAssembly, so that the next request does not wait for that. */
export const loadEngine: Record<SandboxEngine, () => Promise<Engine>> = {
  javascript: async () => (await import("./javascript.ts")).loadJavascript(),
  shell: async () => (await import("./shell.ts")).loadShell(),
  pdf: loadDocumentReader,
  docx: loadDocumentReader,
  html: loadDocumentReader,
};

/** Always dirty: a hostile document may have changed its reader. */
async function loadDocumentReader(): Promise<Engine> {
  const { readDocument } = await import("../documents/read-document.ts");
  return async ({ engine, files: [file] }) => {
    if (!file || engine === "javascript" || engine === "shell") throw new Error(`expected one document for ${engine}`);
    const document = await readDocument(engine, file.content, new AbortController().signal);
    const outcome = "problem" in document ? { output: "", problem: document.problem } : { output: document.text };
    return { ...outcome, written: [], notes: [], dirty: true };
  };
}
