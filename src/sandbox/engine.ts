import { sandboxLimits } from "./program-limits.ts";
import type { SandboxFile, SandboxRequest, SandboxResult } from "./sandbox-types.ts";

/** `dirty`: the process may hold data of the program and must not be used again. */
export type EngineResult = SandboxResult & { dirty?: true };

/** Runs one request in this process. */
export type Engine = (request: SandboxRequest) => Promise<EngineResult>;

/** Drops the written files that exceed the limits, and names them in a note. */
export function limitWrittenFiles(written: SandboxFile[]): Pick<SandboxResult, "written" | "notes"> {
  const kept: SandboxFile[] = [];
  const dropped: string[] = [];
  let bytesLeft = sandboxLimits.filesBytes;
  for (const file of written) {
    if (kept.length >= sandboxLimits.writtenFiles || file.content.length > bytesLeft) {
      dropped.push(file.name);
      continue;
    }
    bytesLeft -= file.content.length;
    kept.push(file);
  }
  if (dropped.length === 0) return { written: kept, notes: [] };
  const limit = `at most ${sandboxLimits.writtenFiles} files of ${sandboxLimits.filesBytes} bytes together are saved`;
  return { written: kept, notes: [`Not saved, because ${limit}: ${dropped.slice(0, 20).join(", ")}.`] };
}

export function sameContent(a: Uint8Array | undefined, b: Uint8Array): boolean {
  return a !== undefined && Buffer.compare(a, b) === 0;
}
