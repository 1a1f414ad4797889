import type { StatementSync } from "node:sqlite";
import type { Accounts, Agent, ApiKey, Organization, Revised } from "../../accounts/types.ts";
import type { Database } from "./sqlite.ts";

export function localAccounts({ db, read, write }: Database): Accounts {
  const ifRevision = "coalesce(body ->> 'revision', 0) = ?";
  const findKey = db.prepare("SELECT body FROM keys WHERE hash = ?");
  const findAgent = db.prepare("SELECT body FROM agents WHERE id = ?");
  const findOrganization = db.prepare("SELECT body FROM organizations WHERE id = ?");
  const insertKey = db.prepare("INSERT OR REPLACE INTO keys (agent_id, body, hash) VALUES (?, ?, ?)");
  const insertAgent = db.prepare("INSERT OR REPLACE INTO agents (organization_id, body, id) VALUES (?, ?, ?)");
  const insertOrganization = db.prepare("INSERT OR REPLACE INTO organizations (body, id) VALUES (?, ?)");
  const updateKey = db.prepare(`UPDATE keys SET agent_id = ?, body = ? WHERE hash = ? AND ${ifRevision}`);
  const updateAgent = db.prepare(`UPDATE agents SET organization_id = ?, body = ? WHERE id = ? AND ${ifRevision}`);
  const updateOrganization = db.prepare(`UPDATE organizations SET body = ? WHERE id = ? AND ${ifRevision}`);
  const keysOfAgent = db.prepare("SELECT body FROM keys WHERE agent_id = ? ORDER BY body ->> 'createdAt', hash");
  const agents = db.prepare("SELECT body FROM agents WHERE organization_id = ?1 OR ?1 IS NULL ORDER BY id");
  const organizations = db.prepare("SELECT body FROM organizations ORDER BY id");

  /** `columns`: of the row, around its body. */
  function replace<T extends Revised>(
    update: StatementSync,
    record: T,
    columns: (body: string) => string[],
  ): Promise<T | undefined> {
    const { revision = 0 } = record;
    const next = { ...record, revision: revision + 1 };
    return write(() => (update.run(...columns(JSON.stringify(next)), revision).changes === 1 ? next : undefined));
  }

  return {
    findKey: async (hash) => parse<ApiKey>(read(() => findKey.get(hash))),
    findAgent: async (id) => parse<Agent>(read(() => findAgent.get(id))),
    findOrganization: async (id) => parse<Organization>(read(() => findOrganization.get(id))),
    createKey: (key) => write(() => void insertKey.run(key.agentId, JSON.stringify(key), key.hash)),
    createAgent: (agent) => write(() => void insertAgent.run(agent.organizationId, JSON.stringify(agent), agent.id)),
    createOrganization: (organization) =>
      write(() => void insertOrganization.run(JSON.stringify(organization), organization.id)),
    replaceKey: (key) => replace(updateKey, key, (body) => [key.agentId, body, key.hash]),
    replaceAgent: (agent) => replace(updateAgent, agent, (body) => [agent.organizationId, body, agent.id]),
    replaceOrganization: (organization) => replace(updateOrganization, organization, (body) => [body, organization.id]),
    listKeys: async (agentId) => read(() => keysOfAgent.all(agentId)).flatMap((row) => parse<ApiKey>(row) ?? []),
    listAgents: async (organizationId) =>
      read(() => agents.all(organizationId ?? null)).flatMap((row) => parse<Agent>(row) ?? []),
    listOrganizations: async () => read(() => organizations.all()).flatMap((row) => parse<Organization>(row) ?? []),
  };
}

function parse<T>(row: Record<string, unknown> | undefined): T | undefined {
  return row && (JSON.parse(String(row["body"])) as T);
}
