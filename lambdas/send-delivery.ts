import middy from "@middy/core";
import type { SQSBatchResponse, SQSEvent } from "aws-lambda";
import { awsSettings, env, envIfSet } from "../src/env.ts";
import { log } from "../src/log.ts";
import { deliveryQueue, type DueDelivery } from "../src/platform/aws/delivery/delivery-queue.ts";
import { deliverySchedules } from "../src/platform/aws/delivery/delivery-schedules.ts";
import { handleDue } from "../src/platform/aws/delivery/due-delivery.ts";
import { deliveryStores } from "../src/platform/aws/functions/lambda.ts";
import { noEarlyTimeout } from "../src/platform/aws/functions/middlewares.ts";
import { sendDelivery } from "../src/deliveries/send-delivery.ts";

const settings = awsSettings();

const senderDeps = {
  ...deliveryStores(settings),
  addresses: envIfSet("PRIVATE_ADDRESSES") === "allowed" ? ("private" as const) : ("public" as const),
  now: Date.now,
};

const deps = {
  queue: deliveryQueue(settings, env("DELIVERY_QUEUE_URL")),
  schedules: deliverySchedules(settings, {
    group: env("DELIVERY_SCHEDULE_GROUP"),
    queueArn: env("DELIVERY_QUEUE_ARN"),
    roleArn: env("DELIVERY_SCHEDULE_ROLE_ARN"),
  }),
  send: (id: string, attempts: number) => sendDelivery(senderDeps, id, attempts),
  now: Date.now,
};

/** Sends deliveries that are due, all at once. Messages that fail stay in the queue; the others are deleted. */
export const handler = middy<SQSEvent, SQSBatchResponse>(noEarlyTimeout).handler(async ({ Records }) => {
  const failed = await Promise.all(
    Records.map(async ({ messageId, body }) => {
      try {
        await handleDue(deps, JSON.parse(body) as DueDelivery);
        return [];
      } catch (error) {
        log("error", "a delivery failed", { due: body, error });
        return [{ itemIdentifier: messageId }];
      }
    }),
  );
  return { batchItemFailures: failed.flat() };
});
