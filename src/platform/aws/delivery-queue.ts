import { SendMessageBatchCommand, SQSClient } from "@aws-sdk/client-sqs";
import { type ClientSettings, tuned } from "./clients.ts";

/** A message of the queue: an attempt to send a delivery is due. `attempt` counts from 1. It contains no data of the run. */
export interface DueAttempt {
  id: string;
  attempt: number;
}

/** The SQS queue of attempts that are due. */
export function deliveryQueue(settings: ClientSettings, QueueUrl: string) {
  const sqs = new SQSClient(tuned(settings, 3_000));
  return {
    /** Enqueues the first attempt of each delivery, at most `maxBatch`. Throws if a message was not accepted. */
    async sendFirst(ids: string[]): Promise<void> {
      const Entries = ids.map((id, index) => ({ Id: String(index), MessageBody: message({ id, attempt: 1 }) }));
      const { Failed = [] } = await sqs.send(new SendMessageBatchCommand({ QueueUrl, Entries }));
      if (Failed.length > 0) {
        const reasons = new Set(Failed.map(({ Code }) => Code));
        throw new Error(`SQS did not accept ${Failed.length} of ${ids.length} deliveries: ${[...reasons].join(", ")}`);
      }
    },
  };
}

function message(due: DueAttempt): string {
  return JSON.stringify(due);
}
