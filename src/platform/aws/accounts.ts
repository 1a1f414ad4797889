import { GetCommand, paginateQuery, PutCommand, type PutCommandInput } from "@aws-sdk/lib-dynamodb";
import type { Accounts, Agent, ApiKey, Organization, Revised } from "../../accounts/types.ts";
import type { DynamoTable } from "./clients.ts";
import { sendConditional } from "./conditional-write.ts";
import { withMappedErrors } from "./errors.ts";
import { head, listIndex, sortable } from "./table.ts";

/** The primary key of a record, and its place in the list index. */
interface ItemKeys {
  pk: string;
  gsi1pk: string;
  gsi1sk: string;
}

/** Reads by key are strongly consistent: a disabled key is rejected from the next request on. */
export function awsAccounts({ documents, table }: DynamoTable): Accounts {
  async function find<T>(pk: string): Promise<T | undefined> {
    const { Item } = await documents.send(
      new GetCommand({ TableName: table, Key: { pk, sk: head }, ConsistentRead: true }),
    );
    return Item && record<T>(Item);
  }

  const put = (keys: ItemKeys, fields: object, condition: Partial<PutCommandInput> = {}) =>
    documents.send(new PutCommand({ TableName: table, Item: { ...fields, ...keys, sk: head }, ...condition }));

  /** An SDK retry of a write whose response was lost fails the condition; the caller reads again and finds it done. */
  async function replace<T extends Revised>(keys: ItemKeys, fields: T): Promise<T | undefined> {
    const { revision = 0 } = fields;
    const next = { ...fields, revision: revision + 1 };
    const condition =
      revision === 0
        ? { ConditionExpression: "attribute_exists(pk) AND attribute_not_exists(revision)" }
        : { ConditionExpression: "revision = :revision", ExpressionAttributeValues: { ":revision": revision } };
    return sendConditional(async () => {
      await put(keys, next, condition);
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

  return withMappedErrors<Accounts>("DynamoDB", {
    findKey: (hash) => find<ApiKey>(`KEY#${hash}`),
    findAgent: (id) => find<Agent>(`AGENT#${id}`),
    findOrganization: (id) => find<Organization>(`ORG#${id}`),
    createKey: async (key) => void (await put(keyKeys(key), key)),
    createAgent: async (agent) => void (await put(agentKeys(agent), agent)),
    createOrganization: async (organization) => void (await put(organizationKeys(organization), organization)),
    replaceKey: (key) => replace(keyKeys(key), key),
    replaceAgent: (agent) => replace(agentKeys(agent), agent),
    replaceOrganization: (organization) => replace(organizationKeys(organization), organization),
    listKeys: (agentId) => list<ApiKey>(`KEYS#${agentId}`),
    listAgents: (organizationId) => list<Agent>("AGENTS", organizationId && `${organizationId}#`),
    listOrganizations: () => list<Organization>("ORGS"),
  });
}

function keyKeys({ hash, agentId, createdAt }: ApiKey): ItemKeys {
  return { pk: `KEY#${hash}`, gsi1pk: `KEYS#${agentId}`, gsi1sk: `${sortable(createdAt)}#${hash}` };
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
