import { change, get, getAll, send } from "../api/client.ts";
import type { RunCounts, Schemas } from "../api/types.ts";
import { readAgents } from "../state/agents.ts";
import type { Draft } from "./form/json.ts";

export type Agent = Schemas["Agent"];
export type Key = Schemas["Key"];
export type CreatedKey = Schemas["CreatedKey"];
export type VersionHead = Schemas["AgentVersionHead"];

/** The stored definition as a draft of the editor. */
export function draftOf({ definition }: { definition: unknown }): Draft {
  return definition as Draft;
}

export function readAgent(id: string, signal?: AbortSignal): Promise<Agent> {
  return get(`/agents/${id}`, signal && { signal });
}

/** Reads the list of agents again. The change is stored, whether this succeeds or not. */
function refreshAgents(): void {
  readAgents().catch(() => undefined);
}

export async function createAgent(organizationId: string, definition: Draft): Promise<Agent> {
  const agent: Agent = await change("POST", "/agents", { organization_id: organizationId, definition });
  refreshAgents();
  return agent;
}

/** Stores a new version, if the agent still has the revision. Otherwise rejects with the status 412. */
export async function updateAgent(id: string, definition: Draft, revision: number): Promise<Agent> {
  const response = await send("PUT", `/agents/${id}`, {
    body: { definition },
    headers: { "if-match": `"${revision}"` },
  });
  const agent = (await response.json()) as Agent;
  refreshAgents();
  return agent;
}

export async function setArchived(id: string, isArchived: boolean): Promise<Agent> {
  const agent: Agent = await change("POST", `/agents/${id}/${isArchived ? "archive" : "unarchive"}`);
  refreshAgents();
  return agent;
}

export async function deleteAgent(id: string): Promise<void> {
  await change("DELETE", `/agents/${id}`);
  refreshAgents();
}

export function countRuns(agentId: string, signal?: AbortSignal): Promise<RunCounts> {
  return get("/runs/counts", { query: { agent_id: agentId }, ...(signal && { signal }) });
}

/** "310 runs", "1,000+ runs". */
export function runsText({ complete, ...counts }: RunCounts): string {
  const sum = Object.values(counts).reduce((total, count) => total + count, 0);
  return `${sum.toLocaleString("en-US")}${complete ? "" : "+"} ${sum === 1 && complete ? "run" : "runs"}`;
}

export function readKeys(agentId: string): Promise<Key[]> {
  return getAll(`/agents/${agentId}/keys`);
}

export function createKey(agentId: string, name: string): Promise<CreatedKey> {
  return change("POST", `/agents/${agentId}/keys`, name.trim() === "" ? {} : { name: name.trim() });
}

export function setKeyEnabled(id: string, isEnabled: boolean): Promise<Key> {
  return change("POST", `/keys/${id}/${isEnabled ? "enable" : "disable"}`);
}

export async function readVersions(agentId: string): Promise<VersionHead[]> {
  const { data } = await get<{ data: VersionHead[] }>(`/agents/${agentId}/versions`, { query: { limit: 100 } });
  return data;
}

export async function readVersion(agentId: string, version: number): Promise<Draft> {
  return draftOf(await get<{ definition: unknown }>(`/agents/${agentId}/versions/${version}`));
}

/** Who stored the version. Undefined: the audit log does not say it. */
export async function authorOf(agentId: string, version: number | null): Promise<string | undefined> {
  const { data } = await get<{ data: Schemas["AuditEntry"][] }>("/audit", { query: { limit: 100 } });
  return data.find((entry) => entry.id === agentId && entry.version === version)?.actor;
}
