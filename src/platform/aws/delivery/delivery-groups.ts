import { createHash } from "node:crypto";
import { GetCommand } from "@aws-sdk/lib-dynamodb";
import type { Delivery } from "../../../runs/deliveries.ts";
import type { DynamoTable } from "../sdk/clients.ts";
import { withMappedErrors } from "../sdk/errors.ts";
import { deliveryPrefix, destinationAttributes, head, partitionKey, sortKey } from "../dynamodb/table.ts";

/** Where a delivery goes: the host of a run's own URL, or the agent's webhook. */
type Destination = Pick<Delivery, (typeof destinationAttributes)[number]>;

/** The groups of deliveries. */
export interface DeliveryGroups {
  /** The group of a delivery. Undefined: the delivery does not exist any more. */
  find(id: string): Promise<string | undefined>;
}

export function deliveryGroups({ documents, table }: DynamoTable): DeliveryGroups {
  return withMappedErrors<DeliveryGroups>("DynamoDB", {
    async find(id) {
      const command = new GetCommand({
        TableName: table,
        Key: { [partitionKey]: deliveryPrefix + id, [sortKey]: head },
        ProjectionExpression: destinationAttributes.join(", "),
        ConsistentRead: true,
      });
      const { Item } = await documents.send(command);
      return Item && groupOf(Item as Destination);
    },
  });
}

/**
 * The messages that may delay each other: those of one agent to one destination. A hash, because SQS shows it to everyone
 * who may look at the queue, and accepts 128 characters.
 */
function groupOf({ agentId, destination }: Destination): string {
  const key = JSON.stringify(destination === undefined ? [agentId] : [agentId, destination]);
  return createHash("sha256").update(key).digest("hex");
}
