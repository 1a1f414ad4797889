import { localSandbox } from "../../../src/platform/local/sandbox.ts";
import type { SandboxEngine, SandboxFile, SandboxResult } from "../../../src/sandbox/types.ts";

/** The sandbox as `npm start` has it. */
export const sandbox = localSandbox();

const never = new AbortController().signal;

export function run(
  engine: SandboxEngine,
  program: string,
  {
    files = {},
    seconds = 20,
    signal = never,
  }: { files?: Record<string, string | Uint8Array>; seconds?: number; signal?: AbortSignal } = {},
): Promise<SandboxResult> {
  const given = Object.entries(files).map(([name, content]): SandboxFile => ({ name, content: Buffer.from(content) }));
  return sandbox.run({ engine, program, files: given, seconds }, signal);
}

/** What a program wrote, as text by name. */
export function written(result: SandboxResult): Record<string, string> {
  return Object.fromEntries(result.written.map(({ name, content }) => [name, Buffer.from(content).toString()]));
}
