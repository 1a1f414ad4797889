import { randomUUID } from "node:crypto";
import { DeleteCommand, paginateQuery, type QueryCommandInput, TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import type { Removal } from "../../runs/ports.ts";
import { auditItem } from "./audit.ts";
import { sendConditional } from "./dynamodb/conditional-write.ts";
import { withMappedErrors } from "./sdk/sdk-errors.ts";
import { countKey } from "./dynamodb/quota-items.ts";
import { partition, type RunsTable } from "./dynamodb/run-items.ts";
import { head, listIndex, objectPrefixes } from "./dynamodb/table.ts";
import { ownPrefix } from "./s3/own-prefix.ts";

/** Deletes the records of organizations. Idempotency keys have no list: they are hashes, and expire. */
export function awsRemoval({ documents, table, objects }: Pick<RunsTable, "documents" | "table" | "objects">): Removal {
  /** Deletes the items that a Query returns. */
  async function removeFound(query: Partial<QueryCommandInput>): Promise<void> {
    const input = { TableName: table, ProjectionExpression: "pk, sk", Limit: 25, ...query };
    for await (const { Items = [] } of paginateQuery({ client: documents }, input)) {
      await Promise.all(Items.map(({ pk, sk }) => removeItem({ pk: String(pk), sk: String(sk) })));
    }
  }

  async function removeItem(Key: Record<"pk" | "sk", string>): Promise<void> {
    await documents.send(new DeleteCommand({ TableName: table, Key }));
  }

  const removePartition = (pk: string): Promise<void> =>
    removeFound({
      KeyConditionExpression: "pk = :pk",
      ExpressionAttributeValues: { ":pk": pk },
      ConsistentRead: true,
    });

  const removeListed = (list: string): Promise<void> =>
    removeFound({
      IndexName: listIndex.name,
      KeyConditionExpression: "gsi1pk = :pk",
      ExpressionAttributeValues: { ":pk": list },
    });

  /** An upload whose content has not arrived has no object: its item expires within a day. */
  async function removeUploads(agentId: string): Promise<void> {
    const bucket = await objects();
    const prefix = `${objectPrefixes.uploads}${agentId}/`;
    const keys = (await bucket.list(prefix)).map(({ key }) => key);
    for (const key of keys) await removePartition(`UPLOAD#${key.slice(prefix.length)}`);
    await bucket.remove(keys);
  }

  return withMappedErrors<Removal>("DynamoDB or S3", {
    async removeRuns(ids) {
      await Promise.all(ids.map((id) => removeItem({ pk: partition(id), sk: head })));
    },

    async removeAgent(agentId) {
      await removeUploads(agentId);
      for (const list of [`DELIVERIES#${agentId}`, `KEYS#${agentId}`]) await removeListed(list);
      await removeItem({ pk: `WEBHOOK#${agentId}`, sk: head });
      await removePartition(`CONFIG#${agentId}`);
      await (await objects()).removeAll(ownPrefix("texts", agentId));
      await removePartition(countKey(agentId).pk);
      await removePartition(`AGENT#${agentId}`);
    },

    async removeOrganization(id, { audit } = {}) {
      await removePartition(countKey(id).pk);
      const Delete = {
        TableName: table,
        Key: { pk: `ORG#${id}`, sk: head },
        ConditionExpression: "attribute_exists(pk)",
      };
      const puts = audit ? [{ Put: { TableName: table, Item: auditItem(audit) } }] : [];
      const input = { TransactItems: [{ Delete }, ...puts], ClientRequestToken: randomUUID() };
      await sendConditional(() => documents.send(new TransactWriteCommand(input)));
    },
  });
}
