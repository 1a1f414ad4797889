import { randomUUID } from "node:crypto";
import { GetCommand, QueryCommand, TransactWriteCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import type { Delivery, DeliveryPlace } from "../../runs/deliveries.ts";
import type { Deliveries } from "../../runs/ports.ts";
import { auditItem } from "./audit.ts";
import { sendConditional } from "./dynamodb/conditional-write.ts";
import { withMappedErrors } from "./sdk/sdk-errors.ts";
import { expiryAfter, isExpired, type Item, type RunsTable } from "./dynamodb/run-items.ts";
import { afterAllTimes, deliveryPrefix, head, listIndex, sortable, ttlAttribute } from "./dynamodb/table.ts";

/** The key of the item of a delivery. */
export function deliveryKey(id: string): { pk: string; sk: string } {
  return { pk: deliveryPrefix + id, sk: head };
}

export function deliveryItem(delivery: Delivery): Item {
  const { id, agentId } = delivery;
  return { ...delivery, ...deliveryKey(id), gsi1pk: listOf(agentId), gsi1sk: placeKey(delivery) };
}

/** The delivery of an item: its fields without the item's keys and expiry. */
export function deliveryIn(item: Item): Delivery {
  const { pk: _pk, sk: _sk, gsi1pk: _list, gsi1sk: _place, [ttlAttribute]: _expiry, ...delivery } = item;
  return delivery as unknown as Delivery;
}

export function awsDeliveries({ documents, table, retentionDays }: RunsTable): Deliveries {
  return withMappedErrors<Deliveries>("DynamoDB", {
    async find(id) {
      const command = new GetCommand({ TableName: table, Key: deliveryKey(id), ConsistentRead: true });
      const { Item } = await documents.send(command);
      return Item && !isExpired(Item) ? deliveryIn(Item) : undefined;
    },

    async add(delivery, { audit } = {}) {
      const items = [
        { ...deliveryItem(delivery), ...expiryAfter(retentionDays) },
        ...(audit ? [auditItem(audit)] : []),
      ];
      const TransactItems = items.map((Item) => ({ Put: { TableName: table, Item } }));
      const token = randomUUID();
      await sendConditional(() =>
        documents.send(new TransactWriteCommand({ TransactItems, ClientRequestToken: token })),
      );
    },

    async recordAttempt({ id, attempts, state, lastAttempt, nextAttemptAt }) {
      const next = nextAttemptAt === undefined ? " REMOVE nextAttemptAt" : ", nextAttemptAt = :next";
      const command = new UpdateCommand({
        TableName: table,
        Key: deliveryKey(id),
        ConditionExpression: "attempts = :before",
        UpdateExpression: `SET attempts = :attempts, #state = :state, lastAttempt = :attempt${next}`,
        ExpressionAttributeNames: { "#state": "state" }, // a reserved word
        ExpressionAttributeValues: {
          ":before": attempts - 1,
          ":attempts": attempts,
          ":state": state,
          ":attempt": lastAttempt,
          ...(nextAttemptAt !== undefined && { ":next": nextAttemptAt }),
        },
      });
      return (await sendConditional(() => documents.send(command))) !== undefined;
    },

    async list({ agentId, endpointId, after, limit }) {
      const filter = endpointId === undefined ? undefined : filterOf(endpointId);
      const command = new QueryCommand({
        TableName: table,
        IndexName: listIndex.name,
        KeyConditionExpression: "gsi1pk = :pk AND gsi1sk < :after",
        ...filter?.expression,
        ExpressionAttributeValues: {
          ":pk": listOf(agentId),
          ":after": after ? placeKey(after) : afterAllTimes,
          ...filter?.values,
        },
        ScanIndexForward: false,
        Limit: limit,
      });
      const { Items = [], LastEvaluatedKey } = await documents.send(command);
      const next = LastEvaluatedKey && placeIn(LastEvaluatedKey);
      return { deliveries: Items.filter((item) => !isExpired(item)).map(deliveryIn), ...(next && { next }) };
    },
  });
}

/** A filter of the deliveries to an endpoint. Their items are read before it is applied. */
function filterOf(endpointId: string) {
  if (endpointId !== "first")
    return { expression: { FilterExpression: "endpointId = :endpoint" }, values: { ":endpoint": endpointId } };
  const FilterExpression = "attribute_not_exists(endpointId) AND attribute_not_exists(destination)";
  return { expression: { FilterExpression }, values: {} };
}

function listOf(agentId: string): string {
  return `DELIVERIES#${agentId}`;
}

function placeKey({ at, id }: DeliveryPlace): string {
  return `${sortable(at)}#${id}`;
}

/** The place of a key of the index. The items behind it may all have been filtered out. */
function placeIn({ gsi1sk }: Item): DeliveryPlace {
  const [at = "", ...id] = String(gsi1sk).split("#");
  return { at: Number(at), id: id.join("#") };
}
