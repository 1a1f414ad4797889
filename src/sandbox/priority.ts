import type { ChildProcess } from "node:child_process";
import { getPriority, setPriority } from "node:os";

/** The processes of a service answer requests before a program gets the processor. From -20 to 19. */
export const programPriority = 10;

/**
 * Lowers the priority of a process that has just been started. Its threads and children inherit it. A service that was itself
 * started with a lower one, as by `nice -n 15`, must not raise it: only root can.
 */
export function lowerPriority({ pid }: ChildProcess): void {
  if (pid !== undefined && getPriority() < programPriority) setPriority(pid, programPriority);
}
