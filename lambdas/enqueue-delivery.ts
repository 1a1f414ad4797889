import middy from "@middy/core";
import type { DynamoDBStreamEvent } from "aws-lambda";
import { awsSettings, env } from "../src/env.ts";
import { documentClient } from "../src/platform/aws/sdk/clients.ts";
import { groupOf } from "../src/platform/aws/delivery/delivery-groups.ts";
import { deliveryQueue } from "../src/platform/aws/delivery/delivery-queue.ts";
import { newDeliveries } from "../src/platform/aws/delivery/fan-out.ts";
import { deliveryPrefix } from "../src/platform/aws/dynamodb/table.ts";
import { noEarlyTimeout } from "../src/platform/aws/functions/middlewares.ts";

const settings = awsSettings();
const queue = deliveryQueue(settings, env("DELIVERY_QUEUE_URL"));
const deliveries = newDeliveries({ documents: documentClient(settings), table: env("TABLE_NAME") });

/**
 * Enqueues new deliveries, one for each endpoint. The stream has only the keys of items, and this function reads neither URLs nor
 * secrets. It throws if a message was not accepted: Lambda repeats the batch, and a message that is sent twice is harmless.
 */
export const handler = middy<DynamoDBStreamEvent>(noEarlyTimeout).handler(async ({ Records }) => {
  const keys = Records.flatMap(({ dynamodb }) => dynamodb?.Keys?.["pk"]?.S ?? []);
  await Promise.all(keys.map((key) => enqueue(key.slice(deliveryPrefix.length))));
});

async function enqueue(id: string): Promise<void> {
  const delivery = await deliveries.fanOut(id);
  if (delivery) await queue.send({ id, attempts: 0, group: groupOf(delivery) });
}
