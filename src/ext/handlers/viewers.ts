import type { Principal } from "../../accounts/authenticate.ts";
import type { Owners } from "../../async/scheduler.ts";

/** Whose open streams are counted: those of a key's first agent. Readers of one run take none of its agent's. */
export function viewersOf({ organizationId, agentId, onlyRun }: Principal): Owners {
  return [organizationId, onlyRun ?? agentId];
}
