import { availableParallelism } from "node:os";
import { layout } from "../../layout.ts";
import { childProcessSandbox, type SharedSandbox } from "../../sandbox/child-process.ts";

/**
 * Programs at a time, and documents: one per processor for one agent, and at least two. One more is for other agents of its
 * organization, and one for other organizations: see `scheduler`.
 */
export function programPlaces(): number {
  return Math.max(2, availableParallelism()) + 2;
}

/** The sandbox of one machine: child processes run programs and read documents. All agents share it. */
export function localSandbox(): SharedSandbox {
  return childProcessSandbox({ ...layout().sandbox, maxProcesses: programPlaces() });
}
