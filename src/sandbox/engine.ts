import { sandboxLimits } from "./limits.ts";
import type { SandboxEngine, SandboxFile, SandboxRequest, SandboxResult } from "./types.ts";

/** Runs one request in this process. `dirty`: memory of the program may be left, so the process is not to be used again. */
export type Engine = (request: SandboxRequest) => Promise<SandboxResult & { dirty?: true }>;

/** Engines by name. Loading one reads its WebAssembly and code, so that the next request finds it warm. */
export const engines: Record<SandboxEngine, () => Promise<Engine>> = {
  javascript: async () => (await import("./javascript.ts")).loadJavascript(),
  shell: async () => (await import("./shell.ts")).loadShell(),
  pdf: loadReader,
  docx: loadReader,
  html: loadReader,
};

/** Reads documents in this process: what a damaged one does to its reader ends with the process. */
async function loadReader(): Promise<Engine> {
  const { readDocument } = await import("../documents/read-document.ts");
  return async ({ engine, files: [file] }) => {
    if (!file || engine === "javascript" || engine === "shell") throw new Error(`one document for ${engine}`);
    const found = await readDocument(engine, file.content, new AbortController().signal);
    if ("problem" in found) return { output: "", problem: found.problem, written: [], notes: [], dirty: true };
    return { output: found.text, written: [], notes: [], dirty: true };
  };
}

/** The files that a program wrote, within the limits; sentences about those that are left out. */
export function limitWrittenFiles(written: SandboxFile[]): Pick<SandboxResult, "written" | "notes"> {
  const kept: SandboxFile[] = [];
  let bytes = 0;
  for (const file of written) {
    bytes += file.content.length;
    if (kept.length < sandboxLimits.writtenFiles && bytes <= sandboxLimits.filesBytes) kept.push(file);
  }
  const left = written.slice(kept.length).map(({ name }) => name);
  if (left.length === 0) return { written: kept, notes: [] };
  const limit = `at most ${sandboxLimits.writtenFiles} files of ${sandboxLimits.filesBytes} bytes together are kept`;
  return { written: kept, notes: [`Not kept, as ${limit}: ${left.slice(0, 20).join(", ")}.`] };
}

export function sameContent(a: Uint8Array | undefined, b: Uint8Array): boolean {
  return a !== undefined && Buffer.compare(a, b) === 0;
}
