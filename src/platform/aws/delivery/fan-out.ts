import { DeleteCommand, GetCommand, PutCommand } from "@aws-sdk/lib-dynamodb";
import type { Delivery } from "../../../runs/deliveries.ts";
import { deliveriesToEndpoints, isForEndpoints } from "../../../runs/endpoint-deliveries.ts";
import { deliveryIn, deliveryItem, deliveryKey } from "../deliveries.ts";
import { sendConditional } from "../dynamodb/conditional-write.ts";
import type { Item } from "../dynamodb/run-items.ts";
import { ttlAttribute } from "../dynamodb/table.ts";
import type { DynamoTable } from "../sdk/clients.ts";
import { withMappedErrors } from "../sdk/sdk-errors.ts";
import { webhookStates } from "../../records/webhooks.ts";
import { awsRecords } from "../records.ts";

/** New deliveries, for the function that enqueues them. */
export interface NewDeliveries {
  /**
   * Resolves with a delivery that is to be enqueued. Undefined: it does not exist any more, or no endpoint wants it. The write
   * that ends a turn stores one delivery. For further endpoints, this adds one each, which the stream reports in turn. It is
   * idempotent: what it adds has an id of its own, and is stored once.
   */
  fanOut(id: string): Promise<Delivery | undefined>;
}

export function newDeliveries({ documents, table: TableName }: DynamoTable): NewDeliveries {
  const records = awsRecords({ documents, table: TableName });

  async function addOnce(delivery: Delivery, { [ttlAttribute]: expiry }: Item): Promise<void> {
    const Item = { ...deliveryItem(delivery), ...(expiry !== undefined && { [ttlAttribute]: expiry }) };
    const command = new PutCommand({ TableName, Item, ConditionExpression: "attribute_not_exists(pk)" });
    await sendConditional(() => documents.send(command));
  }

  return withMappedErrors<NewDeliveries>("DynamoDB", {
    async fanOut(id) {
      const Key = deliveryKey(id);
      const { Item } = await documents.send(new GetCommand({ TableName, Key, ConsistentRead: true }));
      if (!Item) return undefined;
      const delivery = deliveryIn(Item);
      if (!isForEndpoints(delivery)) return delivery;
      const wanted = deliveriesToEndpoints(delivery, await records.findPart(webhookStates, delivery.agentId));
      await Promise.all(wanted.filter((each) => each !== delivery).map((each) => addOnce(each, Item)));
      if (wanted.includes(delivery)) return delivery;
      await documents.send(new DeleteCommand({ TableName, Key }));
      return undefined;
    },
  });
}
