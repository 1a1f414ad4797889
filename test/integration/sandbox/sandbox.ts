import { localSandbox } from "../../../src/platform/local/sandbox.ts";
import type { SandboxEngine, SandboxFile, SandboxResult } from "../../../src/sandbox/sandbox-types.ts";

/** The sandbox of `npm start`. */
export const sandbox = localSandbox();

const neverAborts = new AbortController().signal;

export function run(
  engine: SandboxEngine,
  program: string,
  {
    files = {},
    seconds = 20,
    signal = neverAborts,
  }: { files?: Record<string, string | Uint8Array>; seconds?: number; signal?: AbortSignal } = {},
): Promise<SandboxResult> {
  const requestFiles = Object.entries(files).map(([name, content]): SandboxFile => ({
    name,
    content: Buffer.from(content),
  }));
  return sandbox.run({ engine, program, files: requestFiles, seconds }, signal);
}

/** The files that a program wrote: text by name. */
export function written(result: SandboxResult): Record<string, string> {
  return Object.fromEntries(result.written.map(({ name, content }) => [name, Buffer.from(content).toString()]));
}
