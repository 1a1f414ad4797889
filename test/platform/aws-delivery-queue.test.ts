import { SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import type { DynamoDBStreamEvent } from "aws-lambda";
import { mockClient } from "aws-sdk-client-mock";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";

// The functions with a double of SQS: the emulator of the deploy test rejects no message.

const QueueUrl = "https://sqs.eu-central-1.amazonaws.com/1/Due";
const sqs = mockClient(SQSClient);
let enqueue: (event: DynamoDBStreamEvent) => Promise<void>;

beforeAll(async () => {
  const environment = { AWS_REGION: "eu-central-1", AWS_ACCESS_KEY_ID: "a", AWS_SECRET_ACCESS_KEY: "s" };
  for (const [name, value] of Object.entries({ ...environment, DELIVERY_QUEUE_URL: QueueUrl })) vi.stubEnv(name, value);
  ({ handler: enqueue } = await import("../../lambdas/enqueue-delivery.ts"));
});
afterAll(() => void vi.unstubAllEnvs());
beforeEach(() => void sqs.reset());

function inserted(...ids: string[]): DynamoDBStreamEvent {
  return {
    Records: ids.map((id) => ({
      eventName: "INSERT",
      dynamodb: { Keys: { pk: { S: `DELIVERY#${id}` }, sk: { S: "HEAD" } } },
    })),
  };
}

test("new deliveries are enqueued by id", async () => {
  sqs.on(SendMessageCommand).resolves({});
  await enqueue(inserted("msg_1_1_finished", "msg_2_1_failed"));
  expect(sqs.commandCalls(SendMessageCommand).map(({ args }) => args[0].input)).toEqual([
    { QueueUrl, MessageBody: '{"id":"msg_1_1_finished","attempts":0}', DelaySeconds: 0 },
    { QueueUrl, MessageBody: '{"id":"msg_2_1_failed","attempts":0}', DelaySeconds: 0 },
  ]);
});

test("a message that SQS does not accept fails the batch, so that Lambda repeats it", async () => {
  sqs.on(SendMessageCommand).resolvesOnce({}).rejectsOnce(new Error("No queue."));
  await expect(enqueue(inserted("msg_1_1_finished", "msg_2_1_failed"))).rejects.toThrow("No queue.");
});
