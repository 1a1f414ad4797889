import { randomUUID } from "node:crypto";
import {
  GetCommand,
  paginateQuery,
  PutCommand,
  type PutCommandInput,
  TransactWriteCommand,
  UpdateCommand,
} from "@aws-sdk/lib-dynamodb";
import {
  type Accounts,
  type Agent,
  type AgentDefinition,
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
import { withSchema, withSchemaText } from "../../accounts/definition.ts";
import { auditItem, awsAudit } from "./audit.ts";
import type { DynamoTable } from "./sdk/clients.ts";
import { isConditionFailure, withMappedErrors } from "./sdk/errors.ts";
import { sendConditional } from "./dynamodb/conditional-write.ts";
import { head, listIndex, sortable } from "./dynamodb/table.ts";
import { awsWebhooks } from "./webhooks.ts";

/** The primary key of a record, and its place in the list index. */
interface ItemKeys {
  pk: string;
  /** Default: `head`. */
  sk?: string;
  gsi1pk?: string;
  gsi1sk?: string;
}

/** Reads by key are strongly consistent: a disabled key is rejected from the next request on. */
export function awsAccounts({ documents, table }: DynamoTable): Accounts {
  async function find<T>(pk: string, sk = head): Promise<T | undefined> {
    const { Item } = await documents.send(new GetCommand({ TableName: table, Key: { pk, sk }, ConsistentRead: true }));
    return Item && record<T>(Item);
  }

  /** Writes a record and what belongs to it in one atomic write. */
  async function put(keys: ItemKeys, fields: object, along: Belonging = {}, condition: Partial<PutCommandInput> = {}) {
    const first = { TableName: table, Item: { ...fields, sk: head, ...keys }, ...condition };
    const items = [
      ...(along.version ? [versionItem(along.version)] : []),
      ...(along.audit ? [auditItem(along.audit)] : []),
      ...(along.listings ?? []),
    ];
    if (items.length === 0) return documents.send(new PutCommand(first));
    const puts = [first, ...items.map((Item) => ({ TableName: table, Item }))];
    const TransactItems = puts.map((each) => ({ Put: each }));
    return documents.send(new TransactWriteCommand({ TransactItems, ClientRequestToken: randomUUID() }));
  }

  async function create(keys: ItemKeys, fields: object, along?: Belonging): Promise<void> {
    const condition = { ConditionExpression: "attribute_not_exists(pk)" };
    await sendConditional(() => put(keys, fields, along, condition));
  }

  /** An SDK retry of a write whose response was lost fails the condition; the caller reads again and finds it done. */
  async function replace<T extends Revised>(keys: ItemKeys, fields: T, along?: Belonging): Promise<T | undefined> {
    const { revision = 0 } = fields;
    const next = { ...fields, revision: revision + 1 };
    const condition =
      revision === 0
        ? { ConditionExpression: "attribute_exists(pk) AND attribute_not_exists(revision)" }
        : { ConditionExpression: "revision = :revision", ExpressionAttributeValues: { ":revision": revision } };
    return sendConditional(async () => {
      await put(keys, next, along, condition);
      return next;
    });
  }

  async function list<T>(gsi1pk: string, prefix?: string): Promise<T[]> {
    const found: T[] = [];
    const pages = paginateQuery(
      { client: documents },
      {
        TableName: table,
        IndexName: listIndex.name,
        KeyConditionExpression: prefix === undefined ? "gsi1pk = :pk" : "gsi1pk = :pk AND begins_with(gsi1sk, :prefix)",
        ExpressionAttributeValues: { ":pk": gsi1pk, ...(prefix === undefined ? {} : { ":prefix": prefix }) },
      },
    );
    for await (const { Items = [] } of pages) found.push(...Items.map(record<T>));
    return found;
  }

  async function touch({ pk, sk = head }: ItemKeys, at: number, before: number): Promise<void> {
    const command = new UpdateCommand({
      TableName: table,
      Key: { pk, sk },
      ConditionExpression: "attribute_exists(pk) AND (attribute_not_exists(lastUsedAt) OR lastUsedAt < :before)",
      UpdateExpression: "SET lastUsedAt = :at",
      ExpressionAttributeValues: { ":at": at, ":before": before },
    });
    await documents.send(command).catch((error: unknown) => {
      if (!isConditionFailure(error)) throw error;
    });
  }

  return withMappedErrors<Accounts>("DynamoDB", {
    findKey: (hash) => find<ApiKey>(`KEY#${hash}`),
    async findAgent(id) {
      const stored = await find<StoredAgent>(`AGENT#${id}`);
      return stored && withSchema<Agent>(stored);
    },
    findOrganization: (id) => find<Organization>(`ORG#${id}`),
    // DynamoDB rejects a key that is empty.
    findOperator: async (hash) => (hash === "" ? undefined : find<Operator>(operatorPartition, hash)),
    async findAgentVersion(agentId, version) {
      const found = await find<StoredVersion>(`AGENT#${agentId}`, versionKey(version));
      return found && { ...found, definition: withSchema<AgentDefinition>(found.definition) };
    },
    createKey: (key, along) =>
      create(keyKeys(key), key, { ...along, listings: (key.moreAgents ?? []).map((id) => keyListing(key, id)) }),
    createAgent: (agent, along) => create(agentKeys(agent), withSchemaText(agent), along),
    createOrganization: (organization, along) => create(organizationKeys(organization), organization, along),
    createOperator: (operator, along) => create(operatorKeys(operator), operator, along),
    replaceKey: (key, along) => replace(keyKeys(key), key, along),
    async replaceAgent(agent, along) {
      const replaced = await replace(agentKeys(agent), withSchemaText(agent), along);
      return replaced && withSchema<Agent>(replaced);
    },
    replaceOrganization: (organization, along) => replace(organizationKeys(organization), organization, along),
    replaceOperator: (operator, along) => replace(operatorKeys(operator), operator, along),
    touchKey: (hash, at, before) => touch({ pk: `KEY#${hash}` }, at, before),
    touchOperator: (hash, at, before) => touch(operatorKeys({ hash }), at, before),

    async listAgentVersions(agentId, limit) {
      const found: AgentVersionHead[] = [];
      const pages = paginateQuery(
        { client: documents },
        {
          TableName: table,
          KeyConditionExpression: "pk = :pk AND begins_with(sk, :prefix)",
          ExpressionAttributeValues: { ":pk": `AGENT#${agentId}`, ":prefix": versionPrefix },
          ExpressionAttributeNames: { "#version": "version", "#hash": "hash" }, // `hash` is a reserved word
          ProjectionExpression: "agentId, #version, createdAt, #hash, trialId",
          ScanIndexForward: false,
          ConsistentRead: true,
          Limit: limit,
        },
      );
      for await (const { Items = [] } of pages) {
        found.push(...Items.map(versionHead));
        if (found.length >= limit) break;
      }
      return found.slice(0, limit);
    },

    ...awsAudit({ documents, table }),
    ...awsWebhooks({ documents, table }),

    async listKeys(agentId) {
      const listed = await list<ApiKey | KeyListing>(`KEYS#${agentId}`);
      const keys = listed.map(async (each) => ("listed" in each ? find<ApiKey>(`KEY#${each.listed}`) : each));
      return (await Promise.all(keys)).filter((key) => key !== undefined);
    },

    async listAgents(organizationId) {
      type Stored = ListedAgent & Partial<Record<(typeof longFields)[number], unknown>>;
      const found = await list<Stored>("AGENTS", organizationId && `${organizationId}#`);
      for (const agent of found) for (const field of longFields) delete agent[field];
      return found;
    },
    listOrganizations: () => list<Organization>("ORGS"),

    async listOperators() {
      const found: Operator[] = [];
      const pages = paginateQuery(
        { client: documents },
        {
          TableName: table,
          KeyConditionExpression: "pk = :pk",
          ExpressionAttributeValues: { ":pk": operatorPartition },
          ConsistentRead: true,
        },
      );
      for await (const { Items = [] } of pages) found.push(...Items.map(record<Operator>));
      return found.toSorted((a, b) => a.createdAt - b.createdAt);
    },
  });
}

/** Agents in items: the schema of a result is a text, because DynamoDB's maps have no order and at most 32 levels. */
type StoredAgent = ReturnType<typeof withSchemaText<Agent>>;
type StoredVersion = Omit<AgentVersion, "definition"> & {
  definition: ReturnType<typeof withSchemaText<AgentDefinition>>;
};

/** Items of the same write. */
interface Belonging {
  version?: AgentVersion;
  audit?: AuditEntry;
  listings?: object[];
}

/** The place of a key in the list of a further agent. `listed`: its hash. */
interface KeyListing {
  listed: string;
}

const versionPrefix = "VERSION#";

function versionKey(version: number): string {
  return versionPrefix + String(version).padStart(7, "0");
}

function versionHead(item: Record<string, unknown>): AgentVersionHead {
  const { agentId, version, createdAt, hash, trialId } = item as unknown as AgentVersion;
  return { agentId, version, createdAt, hash, ...(trialId !== undefined && { trialId }) };
}

function versionItem(version: AgentVersion) {
  const definition = withSchemaText(version.definition);
  return { ...version, definition, pk: `AGENT#${version.agentId}`, sk: versionKey(version.version) };
}

function keyKeys({ hash, agentId, createdAt }: ApiKey): ItemKeys {
  return { pk: `KEY#${hash}`, gsi1pk: `KEYS#${agentId}`, gsi1sk: `${sortable(createdAt)}#${hash}` };
}

/** The item that lists a key at a further agent. It never changes. */
function keyListing(key: ApiKey, agentId: string): KeyListing & ItemKeys {
  return { ...keyKeys({ ...key, agentId }), sk: `AGENT#${agentId}`, listed: key.hash };
}

/** Holds all operators, so that a list is one consistent Query. */
const operatorPartition = "OPERATORS";

function operatorKeys({ hash }: Pick<Operator, "hash">): ItemKeys {
  return { pk: operatorPartition, sk: hash };
}

function agentKeys({ id, organizationId }: Agent): ItemKeys {
  return { pk: `AGENT#${id}`, gsi1pk: "AGENTS", gsi1sk: `${organizationId}#${id}` };
}

function organizationKeys({ id }: Organization): ItemKeys {
  return { pk: `ORG#${id}`, gsi1pk: "ORGS", gsi1sk: id };
}

/** The record of an item: its fields without the item's keys. */
function record<T>({ pk: _pk, sk: _sk, gsi1pk: _gsi1pk, gsi1sk: _gsi1sk, ...fields }: Record<string, unknown>): T {
  return fields as T;
}
