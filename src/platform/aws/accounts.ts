import { GetCommand, paginateQuery, PutCommand } from "@aws-sdk/lib-dynamodb";
import type { Accounts, Agent, ApiKey, Organization } from "../../accounts/types.ts";
import type { DynamoTable } from "./clients.ts";
import { withMappedErrors } from "./errors.ts";
import { head, listIndex, sortable } from "./table.ts";

/** Reads by key are strongly consistent: a key that was disabled is refused by the next request. */
export function awsAccounts({ documents, table }: DynamoTable): Accounts {
  async function find<T>(pk: string): Promise<T | undefined> {
    const { Item } = await documents.send(
      new GetCommand({ TableName: table, Key: { pk, sk: head }, ConsistentRead: true }),
    );
    return Item && record<T>(Item);
  }

  async function put(pk: string, gsi1pk: string, gsi1sk: string, fields: object): Promise<void> {
    await documents.send(new PutCommand({ TableName: table, Item: { ...fields, pk, sk: head, gsi1pk, gsi1sk } }));
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
    putKey: (key) => put(`KEY#${key.hash}`, `KEYS#${key.agentId}`, `${sortable(key.createdAt)}#${key.hash}`, key),
    putAgent: (agent) => put(`AGENT#${agent.id}`, "AGENTS", `${agent.organizationId}#${agent.id}`, agent),
    putOrganization: (organization) => put(`ORG#${organization.id}`, "ORGS", organization.id, organization),
    listKeys: (agentId) => list<ApiKey>(`KEYS#${agentId}`),
    listAgents: (organizationId) => list<Agent>("AGENTS", organizationId && `${organizationId}#`),
    listOrganizations: () => list<Organization>("ORGS"),
  });
}

/** An item without its keys, as it was put. */
function record<T>({ pk: _pk, sk: _sk, gsi1pk: _gsi1pk, gsi1sk: _gsi1sk, ...fields }: Record<string, unknown>): T {
  return fields as T;
}
