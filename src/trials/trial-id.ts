import { randomUUID } from "node:crypto";
import type { RunOwner } from "../runs/run-types.ts";
import type { Trial } from "./trial-types.ts";

const prefix = "trial-";

export function newTrialId(): string {
  return `${prefix}${randomUUID()}`;
}

/**
 * The owner of the runs of a trial. They belong to no agent and to no organization: no list, count, quota, key or webhook has
 * them.
 */
export function ownerOfRuns(trialId: string): RunOwner {
  return { agentId: trialId, organizationId: trialId };
}

/** The owner of the turns that a trial tries, and of what they ran on. */
export function ownerOfCases({ agentId, suite }: Pick<Trial, "agentId" | "suite">): string {
  return suite?.id ?? agentId;
}

/** The trial that a run belongs to. Undefined: none. */
export function trialOf({ organizationId }: Pick<RunOwner, "organizationId">): string | undefined {
  return organizationId.startsWith(prefix) ? organizationId : undefined;
}
