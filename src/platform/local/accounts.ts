import type { Accounts, Agent, ApiKey, Organization } from "../../accounts/types.ts";
import type { Database } from "./sqlite.ts";

export function localAccounts({ db, read, write }: Database): Accounts {
  const findKey = db.prepare("SELECT body FROM keys WHERE hash = ?");
  const findAgent = db.prepare("SELECT body FROM agents WHERE id = ?");
  const findOrganization = db.prepare("SELECT body FROM organizations WHERE id = ?");
  const putKey = db.prepare("INSERT OR REPLACE INTO keys VALUES (?, ?, ?)");
  const putAgent = db.prepare("INSERT OR REPLACE INTO agents VALUES (?, ?, ?)");
  const putOrganization = db.prepare("INSERT OR REPLACE INTO organizations VALUES (?, ?)");
  const keysOfAgent = db.prepare("SELECT body FROM keys WHERE agent_id = ? ORDER BY body ->> 'createdAt', hash");
  const agents = db.prepare("SELECT body FROM agents WHERE organization_id = ?1 OR ?1 IS NULL ORDER BY id");
  const organizations = db.prepare("SELECT body FROM organizations ORDER BY id");

  return {
    findKey: async (hash) => parse<ApiKey>(read(() => findKey.get(hash))),
    findAgent: async (id) => parse<Agent>(read(() => findAgent.get(id))),
    findOrganization: async (id) => parse<Organization>(read(() => findOrganization.get(id))),
    putKey: (key) => write(() => void putKey.run(key.hash, key.agentId, JSON.stringify(key))),
    putAgent: (agent) => write(() => void putAgent.run(agent.id, agent.organizationId, JSON.stringify(agent))),
    putOrganization: (organization) =>
      write(() => void putOrganization.run(organization.id, JSON.stringify(organization))),
    listKeys: async (agentId) => read(() => keysOfAgent.all(agentId)).flatMap((row) => parse<ApiKey>(row) ?? []),
    listAgents: async (organizationId) =>
      read(() => agents.all(organizationId ?? null)).flatMap((row) => parse<Agent>(row) ?? []),
    listOrganizations: async () => read(() => organizations.all()).flatMap((row) => parse<Organization>(row) ?? []),
  };
}

function parse<T>(row: Record<string, unknown> | undefined): T | undefined {
  return row && (JSON.parse(String(row["body"])) as T);
}
