import { SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { type ClientSettings, tuned } from "./clients.ts";

/** A message of the queue: the next attempt of a delivery is due. It has no texts. `attempts`: those that were recorded before. */
export interface DueDelivery {
  id: string;
  attempts: number;
}

/** The SQS queue of deliveries that are due. */
export interface DeliveryQueue {
  /** Adds a message that can be received after `seconds`, at most `maxDelaySeconds`. */
  send(due: DueDelivery, seconds?: number): Promise<void>;
}

export function deliveryQueue(settings: ClientSettings, QueueUrl: string): DeliveryQueue {
  const sqs = new SQSClient(tuned(settings, 3_000));
  return {
    async send(due, DelaySeconds = 0) {
      await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: JSON.stringify(due), DelaySeconds }));
    },
  };
}
