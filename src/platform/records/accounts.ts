import { randomBytes } from "node:crypto";
import {
  type Accounts,
  type Agent,
  type AgentDefinition,
  type AgentVersion,
  type AgentVersionHead,
  type Along,
  type ApiKey,
  type AuditEntry,
  type AuditQuery,
  type ListedAgent,
  longFields,
  type Operator,
  type Organization,
  type Revised,
} from "../../accounts/account-types.ts";
import { withSchema, withSchemaText } from "../../accounts/agents/definition.ts";
import { head, sortable } from "../aws/dynamodb/table.ts";
import {
  type Change,
  fieldsOf,
  type Item,
  type Kind,
  type List,
  type Page,
  type Place,
  put,
  type Records,
} from "./port.ts";
import { webhooks, webhookStates, webhookViews } from "./webhooks.ts";

export const organizations: Kind<Organization> = {
  keyOf: ({ id }) => [id],
  row: { table: "organizations", key: ["id"], kept: true },
  item: { key: (id) => ({ pk: `ORG#${id}`, sk: head }), lists: ({ id }) => ({ gsi1pk: "ORGS", gsi1sk: id }) },
};

const allOrganizations: List<Organization> = {
  kind: organizations,
  sql: "SELECT body FROM organizations ORDER BY id",
  query: () => ({ index: "gsi1", pk: "ORGS" }),
};

export const agents: Kind<Agent> = {
  keyOf: ({ id }) => [id],
  row: { table: "agents", key: ["id"], columns: { organization_id: "organizationId" }, kept: true },
  item: {
    key: (id) => ({ pk: `AGENT#${id}`, sk: head }),
    lists: ({ id, organizationId }) => ({ gsi1pk: "AGENTS", gsi1sk: `${organizationId}#${id}` }),
    attributes: withSchemaText,
    record: (attributes) => withSchema(attributes as ReturnType<typeof withSchemaText<Agent>>),
  },
};

const agentsOf: List<Agent, ListedAgent> = {
  kind: agents,
  sql: `SELECT json_remove(body, ${longFields.map((field) => `'$.${field}'`).join(", ")}) AS body
    FROM agents WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id`,
  sizes: "SELECT id, octet_length(body) AS bytes FROM agents WHERE organization_id = ?1 OR ?1 IS NULL ORDER BY id",
  query: (organizationId) => ({
    index: "gsi1",
    pk: "AGENTS",
    ...(organizationId !== undefined && { prefix: `${organizationId}#` }),
  }),
  found(item) {
    const agent: Item = fieldsOf(item);
    for (const field of longFields) delete agent[field];
    return agent as unknown as ListedAgent;
  },
};

const versionPrefix = "VERSION#";
const versionHead = `json_set(json_patch('{}', json_object('trialId', trial_id)),
  '$.agentId', agent_id, '$.version', version, '$.createdAt', created_at, '$.hash', hash)`;

export const versions: Kind<AgentVersion> = {
  keyOf: ({ agentId, version }) => [agentId, version],
  row: {
    table: "agent_versions",
    key: ["agent_id", "version"],
    columns: { created_at: "createdAt", hash: "hash", trial_id: "trialId" },
    body: ({ definition }) => definition,
    json: `json_set(${versionHead}, '$.definition', json(body))`,
    kept: true,
  },
  item: {
    key: (agentId, version) => ({
      pk: `AGENT#${agentId}`,
      sk: versionPrefix + String(version).padStart(7, "0"),
    }),
    attributes: (version) => ({ ...version, definition: withSchemaText(version.definition) }),
    record({ definition, ...version }) {
      const stored = definition as ReturnType<typeof withSchemaText<AgentDefinition>>;
      return { ...(version as unknown as AgentVersion), definition: withSchema<AgentDefinition>(stored) };
    },
  },
};

const versionsOf: List<AgentVersion, AgentVersionHead> = {
  kind: versions,
  sql: `SELECT ${versionHead} AS body FROM agent_versions WHERE agent_id = ? ORDER BY version DESC LIMIT ?`,
  query: (agentId) => ({ pk: `AGENT#${agentId}`, prefix: versionPrefix }),
  newestFirst: true,
  attributes: ["agentId", "version", "createdAt", "hash", "trialId"],
  found(item) {
    const { agentId, version, createdAt, hash, trialId } = item as unknown as AgentVersion;
    return { agentId, version, createdAt, hash, ...(trialId !== undefined && { trialId }) };
  },
};

/** Condition of keys of several agents, whose index stays small. */
export const hasMoreAgents = "body ->> 'moreAgents' IS NOT NULL";

export const keys: Kind<ApiKey> = {
  keyOf: ({ hash }) => [hash],
  row: { table: "keys", key: ["hash"], columns: { agent_id: "agentId" }, kept: true },
  item: {
    key: (hash) => ({ pk: `KEY#${hash}`, sk: head }),
    lists: listedAt,
    listings: (key) => (key.moreAgents ?? []).map((agentId) => listingAt(key, agentId)),
  },
};

function listedAt({ hash, agentId, createdAt }: ApiKey): Item {
  return { gsi1pk: `KEYS#${agentId}`, gsi1sk: `${sortable(createdAt)}#${hash}` };
}

function listingAt(key: ApiKey, agentId: string): Item {
  return { ...keys.item.key(key.hash), ...listedAt({ ...key, agentId }), sk: `AGENT#${agentId}`, listed: key.hash };
}

const keysOf: List<ApiKey> = {
  kind: keys,
  sql: `SELECT body, body ->> 'createdAt' AS created, hash FROM keys WHERE agent_id = ?1
    UNION ALL
    SELECT body, body ->> 'createdAt', hash FROM keys
      WHERE ${hasMoreAgents} AND EXISTS (SELECT 1 FROM json_each(body, '$.moreAgents') WHERE value = ?1)
    ORDER BY created, hash`,
  query: (agentId) => ({ index: "gsi1", pk: `KEYS#${agentId}` }),
};

/** In one partition, so that their list is one consistent Query. */
export const operators: Kind<Operator> = {
  keyOf: ({ hash }) => [hash],
  row: { table: "operators", key: ["hash"] },
  item: { key: (hash) => ({ pk: "OPERATORS", sk: String(hash) }) },
};

const allOperators: List<Operator> = {
  kind: operators,
  sql: "SELECT body FROM operators ORDER BY hash",
  query: () => ({ pk: "OPERATORS" }),
};

/** In one partition, in the order of time: operators' actions are far below its limit. Keys are random, so no entry overwrites another. */
export const audit: Kind<AuditEntry> = {
  keyOf: ({ at }) => [at],
  row: { table: "audit", key: ["at"] },
  item: { key: (at) => ({ pk: "AUDIT", sk: `${sortable(Number(at))}#${randomBytes(6).toString("hex")}` }) },
};

const wholeAudit: List<AuditEntry> = {
  kind: audit,
  sql: `SELECT body, at, seq AS id FROM audit WHERE (at, seq) < (?, CAST(? AS INTEGER)) ORDER BY at DESC, seq DESC LIMIT ?`,
  query: () => ({ pk: "AUDIT" }),
  newestFirst: true,
};

/** Later than every entry: its sort key has 15 digits. */
const latest = 999_999_999_999_999;
/** Entries that are compared before other requests are handled: about a millisecond. Those of an organization have no index. */
const comparedAtOnce = 500;

/** The changes that belong to another one. */
export function belonging({ audit: entry, version }: Along & { version?: AgentVersion } = {}): Change[] {
  return [...(version ? [put(versions, version)] : []), ...(entry ? [put(audit, entry)] : [])];
}

/** Accounts in a store of records. Reads by key are strongly consistent: a disabled key is rejected from the next request on. */
export function accountsOf(records: Records): Accounts {
  async function create<T extends object>(kind: Kind<T>, record: T, along?: Along): Promise<void> {
    await records.commit([put(kind, record, "none"), ...belonging(along)]);
  }

  /** On AWS, the retry of a write whose response was lost has its token, and succeeds. */
  async function replace<T extends Revised>(
    kind: Kind<T>,
    record: T,
    along?: Along,
    before: number | "none" = record.revision ?? 0,
  ): Promise<T | undefined> {
    const next = { ...record, revision: (record.revision ?? 0) + 1 };
    return (await records.commit([put(kind, next, before), ...belonging(along)])) ? next : undefined;
  }

  const nextOfAudit = (after: Place, limit: number): Promise<Page<AuditEntry>> =>
    records.page(wholeAudit, [], { after, limit });

  async function listAudit({ since, until = latest, organizations: only, limit }: AuditQuery): Promise<AuditEntry[]> {
    const wanted: AuditEntry[] = [];
    const isWanted = ({ at, organizationId = "" }: AuditEntry): boolean =>
      at >= since && (only?.includes(organizationId) ?? true);
    let after: Place | undefined = only?.length === 0 ? undefined : { createdAt: until, id: "" };
    while (after && after.createdAt >= since && wanted.length < limit) {
      const { found, next } = await nextOfAudit(after, only ? comparedAtOnce : limit);
      wanted.push(...found.filter(isWanted));
      after = next;
    }
    return wanted.slice(0, limit);
  }

  return {
    findKey: (hash) => records.find(keys, hash),
    findAgent: (id) => records.find(agents, id),
    findOrganization: (id) => records.find(organizations, id),
    // DynamoDB rejects a key that is empty.
    findOperator: async (hash) => (hash === "" ? undefined : records.find(operators, hash)),
    findAgentVersion: (agentId, version) => records.find(versions, agentId, version),
    findWebhook: (agentId) => records.find(webhooks, agentId),
    findWebhookView: (agentId) => records.findPart(webhookViews, agentId),
    findWebhookState: (agentId) => records.findPart(webhookStates, agentId),
    createKey: (key, along) => create(keys, key, along),
    createAgent: (agent, along) => create(agents, agent, along),
    createOrganization: (organization, along) => create(organizations, organization, along),
    createOperator: (operator, along) => create(operators, operator, along),
    replaceKey: (key, along) => replace(keys, key, along),
    replaceAgent: (agent, along) => replace(agents, agent, along),
    replaceOrganization: (organization, along) => replace(organizations, organization, along),
    replaceOperator: (operator, along) => replace(operators, operator, along),
    replaceWebhook: (webhook, along) => replace(webhooks, webhook, along, webhook.revision ?? "none"),
    touchKey: (hash, at, before) => records.touch(keys, [hash], at, before),
    touchOperator: (hash, at, before) => records.touch(operators, [hash], at, before),
    listAgentVersions: (agentId, limit) => records.first(versionsOf, [agentId], limit),
    listAudit,
    listKeys: (agentId) => records.list(keysOf, agentId),
    listAgents: (organizationId) => records.list(agentsOf, organizationId),
    listOrganizations: () => records.list(allOrganizations),
    listOperators: async () => (await records.list(allOperators)).toSorted((a, b) => a.createdAt - b.createdAt),
  };
}
