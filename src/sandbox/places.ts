import type { Owners, SchedulerOptions } from "../async/scheduler.ts";
import { sandboxLimits } from "./program-limits.ts";
import type { ProgramOwner } from "./sandbox-types.ts";

/** Places for one kind of work of tools. The error of a wait that was too long is for the model. */
export function placesFor(
  what: "programs" | "documents" | "searches" | "large files",
  places: number,
): SchedulerOptions {
  const { waitSeconds: seconds } = sandboxLimits;
  const remedy = `Call the tool again later, with fewer ${what} at a time.`;
  return { places, longestWait: { seconds, what, remedy } };
}

/** Absent: work of the service itself. */
export function schedulerOwners(owner: ProgramOwner | undefined): Owners {
  return owner ? [owner.organizationId, owner.agentId] : [];
}
