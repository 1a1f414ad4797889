import type { CancellationReason } from "@aws-sdk/client-dynamodb";
import { GetCommand } from "@aws-sdk/lib-dynamodb";
import type { Runs } from "../../runs/ports.ts";
import type { Idempotency, KeptCreate, Run } from "../../runs/run-types.ts";
import type { DynamoTable } from "./sdk/clients.ts";
import type { Write } from "./dynamodb/head-write.ts";
import { isExpired, type Item } from "./dynamodb/run-items.ts";
import { head, ttlAttribute } from "./dynamodb/table.ts";

function keyOf(agentId: string, key: string): { pk: string; sk: string } {
  return { pk: `IDEMPOTENCY#${agentId}#${key}`, sk: head };
}

/** The write that keeps a key with its run. It is rejected, with the stored item, if the key belongs to another request. */
export function keepKey(
  table: string,
  { id, agentId }: Pick<Run, "id" | "agentId">,
  { key, request }: Idempotency,
  expiry: Item,
): Write {
  return {
    Put: {
      TableName: table,
      Item: { ...keyOf(agentId, key), runId: id, request, ...expiry },
      // DynamoDB deletes expired items late.
      ConditionExpression: `attribute_not_exists(pk) OR ${ttlAttribute} <= :now`,
      ExpressionAttributeValues: { ":now": Math.floor(Date.now() / 1_000) },
      ReturnValuesOnConditionCheckFailure: "ALL_OLD",
    },
  };
}

/** The create that a rejected write of `keepKey` names, in DynamoDB's JSON. */
export function keptIn(item: CancellationReason["Item"]): KeptCreate | undefined {
  const { runId, request } = item ?? {};
  return runId?.S !== undefined && request?.S !== undefined ? { runId: runId.S, request: request.S } : undefined;
}

export function awsIdempotency({ documents, table }: DynamoTable): Pick<Runs, "findCreated"> {
  return {
    async findCreated(agentId, key) {
      const command = new GetCommand({ TableName: table, Key: keyOf(agentId, key), ConsistentRead: true });
      const { Item } = await documents.send(command);
      return Item && !isExpired(Item) ? { runId: String(Item["runId"]), request: String(Item["request"]) } : undefined;
    },
  };
}
