import type { StatementSync } from "node:sqlite";
import {
  type Accounts,
  type Agent,
  type AgentVersion,
  type AgentVersionHead,
  type ApiKey,
  type AuditEntry,
  type ListedAgent,
  longFields,
  type Operator,
  type Organization,
  type Revised,
} from "../../accounts/types.ts";
import { tickByTick } from "../../async/tick-by-tick.ts";
import { auditWriter, localAudit } from "./audit.ts";
import { localWebhooks } from "./webhooks.ts";
import { hasMoreAgents } from "./database/schema.ts";
import type { Database } from "./database/sqlite.ts";

/** Bytes of the agents that are read before other requests are handled: about a millisecond. An agent has up to 350 KB. */
const agentBytesAtOnce = 512 * 1024;

export function localAccounts(database: Database): Accounts {
  const { db, read, write, kept } = database;
  const ifRevision = "coalesce(body ->> 'revision', 0) = ?";
  const findKey = db.prepare("SELECT body FROM keys WHERE hash = ?");
  const findAgent = db.prepare("SELECT body FROM agents WHERE id = ?");
  const findOrganization = db.prepare("SELECT body FROM organizations WHERE id = ?");
  const findOperator = db.prepare("SELECT body FROM operators WHERE hash = ?");
  const keyOf = kept((hash) => parse<ApiKey>(findKey.get(hash)));
  const agentOf = kept((id) => parse<Agent>(findAgent.get(id)));
  const organizationOf = kept((id) => parse<Organization>(findOrganization.get(id)));
  const insertKey = db.prepare("INSERT OR IGNORE INTO keys (agent_id, body, hash) VALUES (?, ?, ?)");
  const insertAgent = db.prepare("INSERT OR IGNORE INTO agents (organization_id, body, id) VALUES (?, ?, ?)");
  const insertOrganization = db.prepare("INSERT OR IGNORE INTO organizations (body, id) VALUES (?, ?)");
  const insertOperator = db.prepare("INSERT OR IGNORE INTO operators (body, hash) VALUES (?, ?)");
  const updateKey = db.prepare(`UPDATE keys SET agent_id = ?, body = ? WHERE hash = ? AND ${ifRevision}`);
  const updateAgent = db.prepare(`UPDATE agents SET organization_id = ?, body = ? WHERE id = ? AND ${ifRevision}`);
  const updateOrganization = db.prepare(`UPDATE organizations SET body = ? WHERE id = ? AND ${ifRevision}`);
  const updateOperator = db.prepare(`UPDATE operators SET body = ? WHERE hash = ? AND ${ifRevision}`);
  const keysOfAgent = db.prepare(
    `SELECT body, body ->> 'createdAt' AS created, hash FROM keys WHERE agent_id = ?1
     UNION ALL
     SELECT body, body ->> 'createdAt', hash FROM keys
       WHERE ${hasMoreAgents} AND EXISTS (SELECT 1 FROM json_each(body, '$.moreAgents') WHERE value = ?1)
     ORDER BY created, hash`,
  );
  const agentSizes = db.prepare(
    "SELECT id, octet_length(body) AS bytes FROM agents WHERE organization_id = ?1 OR ?1 IS NULL ORDER BY id",
  );
  const listed = `json_remove(body, ${longFields.map((field) => `'$.${field}'`).join(", ")})`;
  const agentsWith = db.prepare(
    `SELECT ${listed} AS body FROM agents WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id`,
  );
  const organizations = db.prepare("SELECT body FROM organizations ORDER BY id");
  const operators = db.prepare("SELECT body FROM operators ORDER BY body ->> 'createdAt', hash");

  const insertVersion = db.prepare(
    "INSERT INTO agent_versions (agent_id, version, created_at, hash, trial_id, body) VALUES (?, ?, ?, ?, ?, ?)",
  );
  const findVersion = db.prepare("SELECT * FROM agent_versions WHERE agent_id = ? AND version = ?");
  const versionOf = kept((id): AgentVersion | undefined => {
    const row = findVersion.get(...id.split(" "));
    return row && { ...toVersionHead(row), definition: JSON.parse(String(row["body"])) as AgentVersion["definition"] };
  });
  const versions = db.prepare(
    "SELECT agent_id, version, created_at, hash, trial_id FROM agent_versions WHERE agent_id = ? ORDER BY version DESC LIMIT ?",
  );
  const insertAudit = auditWriter(db);

  /** Inserts what belongs to a record. Part of the transaction that writes the record. */
  function insertBelonging({ version, audit }: Belonging): void {
    if (version) {
      const { agentId, version: number, createdAt, hash, trialId = null, definition } = version;
      insertVersion.run(agentId, number, createdAt, hash, trialId, JSON.stringify(definition));
    }
    if (audit) insertAudit(audit);
  }

  function toucher(table: "keys" | "operators"): Accounts["touchKey"] {
    const touch = db.prepare(
      `UPDATE ${table} SET body = json_set(body, '$.lastUsedAt', ?1) WHERE hash = ?2 AND coalesce(body ->> 'lastUsedAt', 0) < ?3`,
    );
    return (hash, at, before) => write(() => void touch.run(at, hash, before));
  }

  const inTurn = tickByTick();

  async function listAgents(organizationId?: string): Promise<ListedAgent[]> {
    const pieces = piecesOf(read(() => agentSizes.all(organizationId ?? null)));
    const agentsIn = (ids: string[]): ListedAgent[] =>
      read(() => agentsWith.all(JSON.stringify(ids))).flatMap((row) => parse<ListedAgent>(row) ?? []);
    if (pieces.length <= 1) return agentsIn(pieces[0] ?? []);
    const found: ListedAgent[] = [];
    for (const ids of pieces) found.push(...(await inTurn([organizationId ?? ""], () => agentsIn(ids))));
    return found;
  }

  const create = (insert: StatementSync, values: string[], along: Belonging = {}): Promise<void> =>
    write(() => {
      if (insert.run(...values).changes > 0) insertBelonging(along);
    });

  /** `columns`: of the row, around its body. */
  function replace<T extends Revised>(
    update: StatementSync,
    record: T,
    along: Belonging | undefined,
    columns: (body: string) => string[],
  ): Promise<T | undefined> {
    const { revision = 0 } = record;
    const next = { ...record, revision: revision + 1 };
    return write(() => {
      if (update.run(...columns(JSON.stringify(next)), revision).changes === 0) return undefined;
      if (along) insertBelonging(along);
      return next;
    });
  }

  return {
    findKey: async (hash) => keyOf(hash),
    findAgent: async (id) => agentOf(id),
    findOrganization: async (id) => organizationOf(id),
    findOperator: async (hash) => parse<Operator>(read(() => findOperator.get(hash))),
    findAgentVersion: async (agentId, version) => versionOf(`${agentId} ${version}`),
    createKey: (key, along) => create(insertKey, [key.agentId, JSON.stringify(key), key.hash], along),
    createAgent: (agent, along) => create(insertAgent, [agent.organizationId, JSON.stringify(agent), agent.id], along),
    createOrganization: (organization, along) =>
      create(insertOrganization, [JSON.stringify(organization), organization.id], along),
    createOperator: (operator, along) => create(insertOperator, [JSON.stringify(operator), operator.hash], along),
    replaceKey: (key, along) => replace(updateKey, key, along, (body) => [key.agentId, body, key.hash]),
    replaceAgent: (agent, along) =>
      replace(updateAgent, agent, along, (body) => [agent.organizationId, body, agent.id]),
    replaceOrganization: (organization, along) =>
      replace(updateOrganization, organization, along, (body) => [body, organization.id]),
    replaceOperator: (operator, along) => replace(updateOperator, operator, along, (body) => [body, operator.hash]),
    touchKey: toucher("keys"),
    touchOperator: toucher("operators"),
    listAgentVersions: async (agentId, limit) => read(() => versions.all(agentId, limit)).map(toVersionHead),
    ...localAudit(database),
    ...localWebhooks(database),
    listKeys: async (agentId) => read(() => keysOfAgent.all(agentId)).flatMap((row) => parse<ApiKey>(row) ?? []),
    listAgents,
    listOrganizations: async () => read(() => organizations.all()).flatMap((row) => parse<Organization>(row) ?? []),
    listOperators: async () => read(() => operators.all()).flatMap((row) => parse<Operator>(row) ?? []),
  };
}

/** The ids of agents in pieces that are read at once. */
function piecesOf(sizes: Record<string, unknown>[]): string[][] {
  const pieces: string[][] = [];
  let left = 0;
  for (const { id, bytes } of sizes) {
    left -= Number(bytes);
    if (left < 0) {
      pieces.push([]);
      left = agentBytesAtOnce - Number(bytes);
    }
    pieces.at(-1)?.push(String(id));
  }
  return pieces;
}

/** Rows of the same transaction. */
interface Belonging {
  version?: AgentVersion;
  audit?: AuditEntry;
}

function toVersionHead({ agent_id, version, created_at, hash, trial_id }: Record<string, unknown>): AgentVersionHead {
  return {
    agentId: String(agent_id),
    version: Number(version),
    createdAt: Number(created_at),
    hash: String(hash),
    ...(typeof trial_id === "string" && { trialId: trial_id }),
  };
}

function parse<T>(row: Record<string, unknown> | undefined): T | undefined {
  return row && (JSON.parse(String(row["body"])) as T);
}
