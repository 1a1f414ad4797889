import type { DynamoDBStreamEvent } from "aws-lambda";
import { awsSettings, env } from "../src/env.ts";
import { deliveryQueue } from "../src/platform/aws/delivery-queue.ts";
import { deliveryPrefix } from "../src/platform/aws/table.ts";

const queue = deliveryQueue(awsSettings(), env("DELIVERY_QUEUE_URL"));

/**
 * Enqueues the first attempt of each new delivery. The stream has only the keys of items, so this function sees no data. It
 * throws if a message was not accepted: Lambda repeats the batch, and a message that is sent twice is harmless.
 */
export async function handler({ Records }: DynamoDBStreamEvent): Promise<void> {
  const ids = Records.flatMap(({ dynamodb }) => dynamodb?.Keys?.["pk"]?.S ?? []);
  await queue.sendFirst(ids.map((pk) => pk.slice(deliveryPrefix.length)));
}
