import { availableParallelism } from "node:os";
import { layout } from "../../layout.ts";
import { childProcessSandbox } from "../../sandbox/child-process.ts";
import type { Sandbox } from "../../sandbox/types.ts";

/** The sandbox of one machine: child processes run programs and read documents. All agents share it. */
export function localSandbox(): Sandbox & { close(): void } {
  return childProcessSandbox({ ...layout().sandbox, maxProcesses: Math.max(2, availableParallelism()) });
}
