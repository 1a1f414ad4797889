import { SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { type ClientSettings, tuned } from "../sdk/clients.ts";

/** A message of the queue: the next attempt of a delivery is due. It has no texts. `attempts`: those that were recorded before. */
export interface DueDelivery {
  id: string;
  attempts: number;
  /** `DeliveryGroups`. Absent: an earlier version enqueued the delivery. */
  group?: string;
  /** It comes from a schedule. SQS does not know its group: schedules set one only for FIFO queues. */
  isScheduled?: true;
}

/**
 * The SQS queue of deliveries that are due. A group whose messages take more than their share of the senders waits behind the
 * others (https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-fair-queues.html).
 */
export interface DeliveryQueue {
  /** Adds a message that can be received after `seconds`, at most `maxDelaySeconds`. */
  send(due: DueDelivery, seconds?: number): Promise<void>;
}

export function deliveryQueue(settings: ClientSettings, QueueUrl: string): DeliveryQueue {
  const sqs = new SQSClient(tuned(settings, 3_000));
  return {
    async send(due, DelaySeconds = 0) {
      const message = { QueueUrl, MessageBody: JSON.stringify(due), DelaySeconds, MessageGroupId: due.group };
      await sqs.send(new SendMessageCommand(message));
    },
  };
}
