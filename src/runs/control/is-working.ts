import type { Run } from "../run-types.ts";

/** Whether the run has a turn in progress that waits neither for a slot nor for answers: a worker may advance it. */
export function isWorking({ status, waiting, askedUntil }: Run): boolean {
  return status === "running" && !waiting && askedUntil === undefined;
}
