import { GetCommand } from "@aws-sdk/lib-dynamodb";
import type { Delivery } from "../../runs/deliveries.ts";
import type { Deliveries } from "../../runs/ports.ts";
import type { DynamoTable } from "./clients.ts";
import { withMappedErrors } from "./errors.ts";
import { isExpired, type Item } from "./run-items.ts";
import { deliveryPrefix, head, sortable, ttlAttribute } from "./table.ts";

function keyOf(id: string): { pk: string; sk: string } {
  return { pk: deliveryPrefix + id, sk: head };
}

export function deliveryItem(delivery: Delivery): Item {
  const { id, agentId, at } = delivery;
  return { ...delivery, ...keyOf(id), gsi1pk: `DELIVERIES#${agentId}`, gsi1sk: `${sortable(at)}#${id}` };
}

/** The delivery of an item: its fields without the item's keys and expiry. */
export function deliveryIn(item: Item): Delivery {
  const { pk: _pk, sk: _sk, gsi1pk: _list, gsi1sk: _place, [ttlAttribute]: _expiry, ...delivery } = item;
  return delivery as unknown as Delivery;
}

export function awsDeliveries({ documents, table }: DynamoTable): Deliveries {
  return withMappedErrors<Deliveries>("DynamoDB", {
    async find(id) {
      const command = new GetCommand({ TableName: table, Key: keyOf(id), ConsistentRead: true });
      const { Item } = await documents.send(command);
      return Item && !isExpired(Item) ? deliveryIn(Item) : undefined;
    },
  });
}
