import type { Engine } from "./engine.ts";
import type { LoadedEngine } from "./sandbox-types.ts";

/** Loads the program of a process with its code and WebAssembly, so that the next request does not wait for that. */
export const loadEngine: Record<LoadedEngine | "result", () => Promise<Engine>> = {
  javascript: async () => (await import("./javascript.ts")).loadJavascript(),
  python: async () => (await import("./python.ts")).loadPython(),
  document: loadDocumentReader,
  result: loadResultCheck,
};

/** Of its own, because its modules take as long to load as those of documents. Always dirty, as documents are. */
async function loadResultCheck(): Promise<Engine> {
  const { checkResult } = await import("../results/check-result.ts");
  await checkResult({}, "0"); // loads the engine of patterns, too
  return async ({ program, files: [file] }) => {
    if (!file) throw new Error("expected one file for result");
    const problems = await checkResult(JSON.parse(program) as object, new TextDecoder().decode(file.content));
    return { output: JSON.stringify(problems), written: [], notes: [], dirty: true };
  };
}

/** Always dirty: a hostile document may have changed what reads it. */
async function loadDocumentReader(): Promise<Engine> {
  const { readDocument, takePages } = await import("../documents/read-document.ts");
  return async ({ engine, files: [file], part }) => {
    if (!file || engine === "javascript" || engine === "python" || engine === "result") {
      throw new Error(`expected one file for ${engine}`);
    }
    const rest = { written: [], notes: [], dirty: true as const };
    if (engine === "pages") {
      const taken = await takePages(file.content, new AbortController().signal, part);
      if ("problem" in taken) return { output: "", problem: taken.problem, ...rest };
      const { content, ...pages } = taken;
      const written = content ? [{ name: "pages.pdf", content }] : [];
      return { ...rest, output: JSON.stringify(pages), written };
    }
    const document = await readDocument(engine, file.content, new AbortController().signal, part);
    if ("problem" in document) return { ...rest, output: "", problem: document.problem };
    return { ...rest, output: document.text, notes: document.notes ?? [] };
  };
}
