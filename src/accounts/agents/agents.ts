import { randomUUID } from "node:crypto";
import { agentNotFound, ServiceError } from "../../errors.ts";
import { along, type Actor } from "../audit.ts";
import { normalizeId } from "../ids.ts";
import { requireConfigurations } from "../model-configurations.ts";
import { modify } from "../modify.ts";
import { findOrganization, requireNotDeleting, requirePrices } from "../organizations.ts";
import { definitionHash, definitionOf } from "./definition.ts";
import type { Accounts, Agent, AgentDefinition, AgentVersion, AgentVersionHead } from "../account-types.ts";

/**
 * Creates an active agent of an organization, with version 1 of its definition. `id`: for a request that may be repeated. An
 * agent that has it already stays as it is.
 */
export async function createAgent(
  accounts: Accounts,
  organizationId: string,
  definition: AgentDefinition,
  actor?: Actor,
  id: string = randomUUID(),
): Promise<Agent> {
  const organization = await findOrganization(accounts, organizationId);
  requireNotDeleting(organization);
  requirePrices(organization, definition);
  requireConfigurations(organization, definition);
  const at = Date.now();
  const owner = { id, organizationId: organization.id, status: "active" } as const;
  const agent: Agent = { ...definition, ...owner, version: 1, createdAt: at, updatedAt: at };
  const version = versionOf(agent.id, 1, at, definition);
  const audited = along(actor, "agent.create", agent.id, at, { version: 1, organizationId: agent.organizationId });
  await accounts.createAgent(agent, { version, ...audited });
  return agent;
}

/**
 * Replaces an agent's definition, which makes a new version. The agent keeps its id, organization and status.
 * No-op for the definition that the agent already has, unless it has no version yet. `ifRevision`: throws if the agent has
 * another revision. `trialId`: the trial that tried the definition, kept with the version.
 */
export async function updateAgent(
  accounts: Accounts,
  id: string,
  definition: AgentDefinition,
  actor?: Actor,
  { ifRevision, trialId }: { ifRevision?: number | undefined; trialId?: string | undefined } = {},
): Promise<Agent> {
  const { organizationId: owner } = await findAgent(accounts, id);
  const organization = await accounts.findOrganization(owner);
  if (organization) {
    requirePrices(organization, definition);
    requireConfigurations(organization, definition);
  }
  const hashAfter = definitionHash(definition);
  // The record of an agent that an earlier release replaced, or a restore, can be older than the newest version.
  const [newest] = await accounts.listAgentVersions(normalizeId(id), 1);
  return modifyAgent(
    accounts,
    id,
    (agent) => {
      if (ifRevision !== undefined) requireRevision(agent, ifRevision);
      const { id: agentId, organizationId, status, version = 0, createdAt } = requireNotDeleted(agent);
      if (version > 0 && definitionHash(definitionOf(agent)) === hashAfter) return agent;
      const next = Math.max(version, newest?.version ?? 0) + 1;
      const times = { ...(createdAt !== undefined && { createdAt }), updatedAt: Date.now() };
      return { ...definition, id: agentId, organizationId, status, version: next, ...times };
    },
    ({ id: agentId, organizationId, version = 1, updatedAt: at = Date.now() }) => ({
      version: { ...versionOf(agentId, version, at, definition), ...(trialId !== undefined && { trialId }) },
      ...along(actor, "agent.update", agentId, at, { version, organizationId }),
    }),
  );
}

const statusActions = { active: "agent.unarchive", archived: "agent.archive", deleted: "agent.delete" } as const;

/** Archives, unarchives or deletes an agent. A deleted agent stays deleted. Setting the same status is a no-op. */
export function setAgentStatus(accounts: Accounts, id: string, status: Agent["status"], actor?: Actor): Promise<Agent> {
  return modifyAgent(
    accounts,
    id,
    (agent) => (agent.status === status ? agent : { ...requireNotDeleted(agent), status, updatedAt: Date.now() }),
    ({ id: agentId, organizationId, updatedAt }) =>
      along(actor, statusActions[status], agentId, updatedAt, { organizationId }),
  );
}

export async function findAgent(accounts: Accounts, id: string): Promise<Agent> {
  const found = await accounts.findAgent(normalizeId(id));
  if (!found) throw new ServiceError("agent_not_found", `agent ${JSON.stringify(id)} does not exist`);
  return found;
}

/** One version of an agent's definition. */
export async function findAgentVersion(accounts: Accounts, id: string, version: number): Promise<AgentVersion> {
  const agent = await findAgent(accounts, id);
  const found = await accounts.findAgentVersion(agent.id, version);
  if (found) return found;
  const known =
    agent.version === undefined ? "it has no versions until its next update" : `its latest is ${agent.version}`;
  throw new ServiceError("version_not_found", `agent ${agent.id} has no version ${version}; ${known}`);
}

/** The latest versions of an agent, newest first, at most `limit`. Empty: not updated since an earlier release. */
export async function agentHistory(accounts: Accounts, id: string, limit: number): Promise<AgentVersionHead[]> {
  return accounts.listAgentVersions((await findAgent(accounts, id)).id, limit);
}

function requireRevision({ id, revision = 0 }: Agent, expected: number): void {
  if (revision === expected) return;
  const message = `agent ${id} has the revision ${revision}, not ${expected}: it was changed since; read it again`;
  throw new ServiceError("modified", message);
}

/** The agent itself; throws if it is deleted. */
export function requireNotDeleted(agent: Agent): Agent {
  if (agent.status !== "deleted") return agent;
  throw new ServiceError(
    "agent_deleted",
    `agent ${agent.id} is deleted; a deleted agent cannot be changed or restored`,
  );
}

/** The agent itself; throws unless it accepts work. `purpose`: of the work, such as `create runs`. */
export function requireActive(agent: Agent | undefined, purpose: string): Agent {
  if (!agent || agent.status === "deleted") throw new ServiceError("agent_deleted", agentNotFound);
  if (agent.status === "active") return agent;
  throw new ServiceError("agent_archived", `Agent template is archived; unarchive it to ${purpose}`);
}

function versionOf(agentId: string, version: number, createdAt: number, definition: AgentDefinition): AgentVersion {
  return { agentId, version, createdAt, hash: definitionHash(definition), definition };
}

/** `stored`: returns what is stored in the same write as the changed agent. */
function modifyAgent(
  accounts: Accounts,
  id: string,
  change: (agent: Agent) => Agent,
  stored: (next: Agent) => Parameters<Accounts["replaceAgent"]>[1],
): Promise<Agent> {
  const read = () => findAgent(accounts, id);
  return modify(`agent ${normalizeId(id)}`, read, change, (next) => accounts.replaceAgent(next, stored(next)));
}
