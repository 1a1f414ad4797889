import { randomUUID } from "node:crypto";
import type { Agent } from "../src/accounts/types.ts";
import type { Run } from "../src/runs/types.ts";

/** A run of the agent, in its first turn. */
export function newRun({ id: agentId, organizationId }: Pick<Agent, "id" | "organizationId">): Run {
  const now = Date.now();
  return {
    id: randomUUID(),
    agentId,
    organizationId,
    name: "bench",
    status: "running",
    turn: 1,
    createdAt: now,
    updatedAt: now,
  };
}
