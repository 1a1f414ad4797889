import { SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import type { SQSEvent } from "aws-lambda";
import { mockClient } from "aws-sdk-client-mock";
import { afterEach, expect, test, vi } from "vitest";
import { documentClient } from "../../../src/platform/aws/sdk/clients.ts";
import { awsDeliveries } from "../../../src/platform/aws/deliveries.ts";
import { fakeAwsEndpoint } from "../../support/fake-aws/endpoint.ts";
import { asLambda } from "../../support/lambda-function.ts";

afterEach(() => void vi.unstubAllEnvs());

const noObjects = () => Promise.reject(new Error("no objects are read"));
const credentials = { accessKeyId: "a", secretAccessKey: "s" };

/** The function of the stack over a table on this machine, and a double of its queue. */
async function deployed() {
  const aws = await fakeAwsEndpoint({});
  const environment = {
    AWS_REGION: "eu-central-1",
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    AWS_ENDPOINT_URL: aws.endpoint,
    TABLE_NAME: "table",
    DELIVERY_QUEUE_URL: "https://sqs.example/1/Due",
    DELIVERY_QUEUE_ARN: "arn:queue",
    DELIVERY_SCHEDULE_GROUP: "Group",
    DELIVERY_SCHEDULE_ROLE_ARN: "arn:role",
  };
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  const sqs = mockClient(SQSClient);
  sqs.on(SendMessageCommand).resolves({});
  const { handler } = await import("../../../lambdas/send-delivery.ts");
  (await import("../../../src/log.ts")).logging.level = "off";
  const documents = documentClient({ region: "eu-central-1", credentials, endpoint: aws.endpoint });
  const deliveries = awsDeliveries({ documents, table: "table", objects: noObjects, retentionDays: 1 });
  return { handler, deliveries, sqs, close: () => aws.close() };
}

function received(bodies: Record<string, string>): SQSEvent {
  return { Records: Object.entries(bodies).map(([messageId, body]) => ({ messageId, body })) } as SQSEvent;
}

test("only messages that fail stay in the queue, and one that is repeated after a crash enqueues the next", async () => {
  const { handler, deliveries, sqs, close } = await deployed();
  const at = Date.now();
  const owner = { agentId: "A", organizationId: "O", runId: "R", turn: 1 };
  const stored = { id: "recorded", messageId: "recorded", type: "run.finished", status: "finished", at } as const;
  // The function recorded the second attempt and crashed before it enqueued the third.
  await deliveries.add({ ...owner, ...stored, attempts: 2, state: "pending", nextAttemptAt: at + 60_000 });
  const event = received({
    repeated: '{"id":"recorded","attempts":1}',
    expired: '{"id":"unknown","attempts":0}',
    broken: "not a message",
  });
  expect(await asLambda(handler)(event)).toEqual({ batchItemFailures: [{ itemIdentifier: "broken" }] });
  const sent = sqs.commandCalls(SendMessageCommand).map(({ args }) => args[0].input);
  expect(sent).toMatchObject([{ MessageBody: '{"id":"recorded","attempts":2}' }]);
  expect(sent[0]?.DelaySeconds).toBeGreaterThan(50);
  await close();
});
