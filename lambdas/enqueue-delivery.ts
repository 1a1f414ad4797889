import type { DynamoDBStreamEvent } from "aws-lambda";
import { awsSettings, env } from "../src/env.ts";
import { deliveryQueue } from "../src/platform/aws/delivery-queue.ts";
import { deliveryPrefix } from "../src/platform/aws/table.ts";

const queue = deliveryQueue(awsSettings(), env("DELIVERY_QUEUE_URL"));

/**
 * Enqueues new deliveries. The stream has only the keys of items, so this function sees no data. It throws if a message was
 * not accepted: Lambda repeats the batch, and a message that is sent twice is harmless.
 */
export async function handler({ Records }: DynamoDBStreamEvent): Promise<void> {
  const keys = Records.flatMap(({ dynamodb }) => dynamodb?.Keys?.["pk"]?.S ?? []);
  await Promise.all(keys.map((key) => queue.send({ id: key.slice(deliveryPrefix.length), attempts: 0 })));
}
