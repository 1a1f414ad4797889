import { call } from "../api/client.ts";
import type { Agent, RunCounts, Schemas } from "../api/types.ts";
import { readAgents } from "../state/agents.ts";
import type { Draft } from "../form/json.ts";

export type Key = Schemas["Key"];
export type CreatedKey = Schemas["CreatedKey"];
export type VersionHead = Schemas["AgentVersionHead"];

/** The stored definition as a draft of the editor. */
export function draftOf({ definition }: { definition: unknown }): Draft {
  return definition as Draft;
}

export function readAgent(id: string, signal?: AbortSignal): Promise<Agent> {
  return call("get_agent", { agent_id: id }, { signal });
}

/** Reads the list of agents again. The change is stored, whether this succeeds or not. */
function refreshAgents(): void {
  readAgents().catch(() => undefined);
}

/** The draft as the API takes it. The service validates it: the message of its error is for people. */
export function definitionOf(draft: Draft): Schemas["AgentDefinition"] {
  return draft as Schemas["AgentDefinition"];
}

function bodyOf(draft: Draft): Schemas["UpdateAgentRequest"] {
  return { definition: definitionOf(draft) };
}

export async function createAgent(organizationId: string, definition: Draft): Promise<Agent> {
  const agent = await call("create_agent", {}, { body: { organization_id: organizationId, ...bodyOf(definition) } });
  refreshAgents();
  return agent;
}

/** Stores a new version, if the agent still has the revision. Otherwise rejects with the status 412. */
export async function updateAgent(id: string, definition: Draft, revision: number): Promise<Agent> {
  const headers = { "if-match": `"${revision}"` };
  const agent = await call("update_agent", { agent_id: id }, { body: bodyOf(definition), headers });
  refreshAgents();
  return agent;
}

export async function setArchived(id: string, isArchived: boolean): Promise<Agent> {
  const agent = await call(isArchived ? "archive_agent" : "unarchive_agent", { agent_id: id });
  refreshAgents();
  return agent;
}

export async function deleteAgent(id: string): Promise<void> {
  await call("delete_agent", { agent_id: id });
  refreshAgents();
}

export function countRuns(agentId: string, signal?: AbortSignal): Promise<RunCounts> {
  return call("count_runs", { agent_id: agentId }, { signal });
}

/** "310 runs", "1,000+ runs". */
export function runsText({ complete, runs }: RunCounts): string {
  return `${runs.toLocaleString("en-US")}${complete ? "" : "+"} ${runs === 1 && complete ? "run" : "runs"}`;
}

export async function readKeys(agentId: string): Promise<Key[]> {
  return (await call("list_keys", { agent_id: agentId })).data;
}

/** `expiresAt`: RFC 3339. Undefined: it does not expire. */
export function createKey(agentId: string, name: string, expiresAt: string | undefined): Promise<CreatedKey> {
  const ends = expiresAt === undefined ? {} : { expires_at: expiresAt };
  return call(
    "create_key",
    { agent_id: agentId },
    { body: { ...(name.trim() !== "" && { name: name.trim() }), ...ends } },
  );
}

export function setKeyEnabled(id: string, isEnabled: boolean): Promise<Key> {
  return call(isEnabled ? "enable_key" : "disable_key", { key_id: id });
}

export async function readVersions(agentId: string): Promise<VersionHead[]> {
  return (await call("list_agent_versions", { agent_id: agentId, limit: 100 })).data;
}

export async function readVersion(agentId: string, version: number): Promise<Draft> {
  return draftOf(await call("get_agent_version", { agent_id: agentId, version }));
}

/** Who stored the version. Undefined: the audit log does not say it. */
export async function authorOf(agentId: string, version: number | null): Promise<string | undefined> {
  const { data } = await call("list_audit", { limit: 100 });
  return data.find((entry) => entry.id === agentId && entry.version === version)?.actor;
}
