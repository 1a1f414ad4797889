import { randomUUID } from "node:crypto";
import { ServiceError } from "../errors.ts";
import type { AgentDefinition } from "./agent-definition.ts";
import { normalizeId } from "./ids.ts";
import { modify } from "./modify.ts";
import { findOrganization } from "./organizations.ts";
import type { Accounts, Agent } from "./types.ts";

/** Creates an active agent of an organization. */
export async function createAgent(
  accounts: Accounts,
  organizationId: string,
  definition: AgentDefinition,
): Promise<Agent> {
  const organization = await findOrganization(accounts, organizationId);
  const agent: Agent = { ...definition, id: randomUUID(), organizationId: organization.id, status: "active" };
  await accounts.createAgent(agent);
  return agent;
}

/** Replaces an agent's definition. The agent keeps its id, organization and status. */
export function updateAgent(accounts: Accounts, id: string, definition: AgentDefinition): Promise<Agent> {
  return modifyAgent(accounts, id, (agent) => {
    const { id: agentId, organizationId, status } = requireNotDeleted(agent);
    return { ...definition, id: agentId, organizationId, status };
  });
}

/** Archives, unarchives or deletes an agent. A deleted agent stays deleted. Setting the same status is a no-op. */
export function setAgentStatus(accounts: Accounts, id: string, status: Agent["status"]): Promise<Agent> {
  return modifyAgent(accounts, id, (agent) =>
    agent.status === status ? agent : { ...requireNotDeleted(agent), status },
  );
}

export async function findAgent(accounts: Accounts, id: string): Promise<Agent> {
  const found = await accounts.findAgent(normalizeId(id));
  if (!found) throw new ServiceError("agent_not_found", `agent ${JSON.stringify(id)} does not exist`);
  return found;
}

/** The agent itself; throws if it is deleted. */
export function requireNotDeleted(agent: Agent): Agent {
  if (agent.status !== "deleted") return agent;
  throw new ServiceError(
    "agent_deleted",
    `agent ${agent.id} is deleted; a deleted agent cannot be changed or restored`,
  );
}

function modifyAgent(accounts: Accounts, id: string, change: (agent: Agent) => Agent): Promise<Agent> {
  const read = () => findAgent(accounts, id);
  return modify(`agent ${normalizeId(id)}`, read, change, (next) => accounts.replaceAgent(next));
}
