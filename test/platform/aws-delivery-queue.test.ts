import { SendMessageBatchCommand, SQSClient } from "@aws-sdk/client-sqs";
import type { DynamoDBStreamEvent } from "aws-lambda";
import { mockClient } from "aws-sdk-client-mock";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";

// The function with a double of SQS: the deploy test cannot make a message fail.

const queueUrl = "https://sqs.eu-central-1.amazonaws.com/1/Due";
const sqs = mockClient(SQSClient);
let enqueue: (event: DynamoDBStreamEvent) => Promise<void>;

beforeAll(async () => {
  const environment = { AWS_REGION: "eu-central-1", AWS_ACCESS_KEY_ID: "a", AWS_SECRET_ACCESS_KEY: "s" };
  for (const [name, value] of Object.entries({ ...environment, DELIVERY_QUEUE_URL: queueUrl })) vi.stubEnv(name, value);
  ({ handler: enqueue } = await import("../../lambdas/enqueue-delivery.ts"));
});
afterAll(() => void vi.unstubAllEnvs());
beforeEach(() => void sqs.reset());

function inserted(...ids: string[]): DynamoDBStreamEvent {
  return {
    Records: ids.map((id) => ({
      eventName: "INSERT",
      dynamodb: { Keys: { pk: { S: `DELIVERY#${id}` }, sk: { S: "HEAD" } }, SequenceNumber: id },
    })),
  };
}

test("new deliveries are enqueued by id, in one call", async () => {
  sqs.on(SendMessageBatchCommand).resolves({ Successful: [], Failed: [] });
  await enqueue(inserted("msg_1_1_finished", "msg_2_1_failed"));
  expect(sqs.commandCalls(SendMessageBatchCommand).map(({ args }) => args[0].input)).toEqual([
    {
      QueueUrl: queueUrl,
      Entries: [
        { Id: "0", MessageBody: '{"id":"msg_1_1_finished","attempt":1}' },
        { Id: "1", MessageBody: '{"id":"msg_2_1_failed","attempt":1}' },
      ],
    },
  ]);
});

test("a message that SQS does not accept fails the batch, so that Lambda repeats it", async () => {
  const failed = { Id: "1", Code: "InternalError", SenderFault: false };
  sqs.on(SendMessageBatchCommand).resolves({ Successful: [], Failed: [failed] });
  await expect(enqueue(inserted("msg_1_1_finished", "msg_2_1_failed"))).rejects.toThrow(
    "SQS did not accept 1 of 2 deliveries: InternalError",
  );
});
