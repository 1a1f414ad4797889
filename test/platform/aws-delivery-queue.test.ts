import { SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import type { DynamoDBStreamEvent } from "aws-lambda";
import { mockClient } from "aws-sdk-client-mock";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { createAgent } from "../../src/accounts/agents/agents.ts";
import { createOrganization } from "../../src/accounts/organizations.ts";
import { addEndpoint, setWebhook } from "../../src/accounts/webhooks.ts";
import { awsRecords } from "../../src/platform/aws/records.ts";
import { accountsOf } from "../../src/platform/records/accounts.ts";
import { documentClient } from "../../src/platform/aws/sdk/clients.ts";
import { awsDeliveries } from "../../src/platform/aws/deliveries.ts";
import { type FakeAwsEndpoint, fakeAwsEndpoint } from "../support/fake-aws/endpoint.ts";
import { asLambda } from "../support/lambda-function.ts";

// The function with a double of SQS: the emulator of the deploy test rejects no message and ignores groups.

const QueueUrl = "https://sqs.eu-central-1.amazonaws.com/1/Due";
const credentials = { accessKeyId: "a", secretAccessKey: "s" };
const noObjects = () => Promise.reject(new Error("no objects are read"));
const sqs = mockClient(SQSClient);
let aws: FakeAwsEndpoint;
let enqueue: (event: DynamoDBStreamEvent) => Promise<void>;

beforeAll(async () => {
  aws = await fakeAwsEndpoint({});
  const environment = {
    AWS_REGION: "eu-central-1",
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    AWS_ENDPOINT_URL: aws.endpoint,
    TABLE_NAME: "table",
    DELIVERY_QUEUE_URL: QueueUrl,
  };
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  enqueue = asLambda((await import("../../lambdas/enqueue-delivery.ts")).handler);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await aws.close();
});
beforeEach(() => void sqs.reset());

function awsStores() {
  const documents = documentClient({ region: "eu-central-1", credentials, endpoint: aws.endpoint });
  const items = { documents, table: "table", objects: noObjects };
  return { accounts: accountsOf(awsRecords(items)), deliveries: awsDeliveries(items) };
}

/** Stores a delivery. Resolves with its id. */
async function stored(id: string, agentId: string, destination?: string): Promise<string> {
  await awsStores().deliveries.add({
    id,
    messageId: id,
    agentId,
    organizationId: "O",
    runId: "R",
    turn: 1,
    at: Date.now(),
    attempts: 0,
    type: "run.finished",
    status: "finished",
    state: "pending",
    ...(destination !== undefined && { destination }),
  });
  return id;
}

function inserted(...ids: string[]): DynamoDBStreamEvent {
  return {
    Records: ids.map((id) => ({
      eventName: "INSERT",
      dynamodb: { Keys: { pk: { S: `DELIVERY#${id}` }, sk: { S: "HEAD" } } },
    })),
  };
}

const sent = () => sqs.commandCalls(SendMessageCommand).map(({ args }) => args[0].input);

test("a new delivery is enqueued by id, with the group of its agent and destination", async () => {
  sqs.on(SendMessageCommand).resolves({});
  await enqueue(inserted(await stored("msg_1_1_finished", "A", "hooks.example.com")));
  const group = expect.stringMatching(/^[0-9a-f]{64}$/) as string;
  expect(sent()).toEqual([
    { QueueUrl, MessageBody: expect.any(String) as string, DelaySeconds: 0, MessageGroupId: group },
  ]);
  const { MessageBody = "", MessageGroupId } = sent()[0] ?? {};
  expect(JSON.parse(MessageBody)).toEqual({ id: "msg_1_1_finished", attempts: 0, group: MessageGroupId });
});

test("messages share a group if their agent and their destination are the same", async () => {
  sqs.on(SendMessageCommand).resolves({});
  const ids = [
    await stored("own", "A"),
    await stored("own-again", "A"),
    await stored("own-of-another", "B"),
    await stored("host", "A", "a.example"),
    await stored("host-again", "A", "a.example"),
    await stored("other-host", "A", "b.example"),
    await stored("host-of-another", "B", "a.example"),
  ];
  await enqueue(inserted(...ids));
  const groups = new Map(
    sent().map(({ MessageBody = "", MessageGroupId }) => [
      (JSON.parse(MessageBody) as { id: string }).id,
      MessageGroupId,
    ]),
  );
  expect(groups.size).toBe(7);
  expect(groups.get("own-again")).toBe(groups.get("own"));
  expect(groups.get("host-again")).toBe(groups.get("host"));
  expect(new Set(groups.values()).size).toBe(5);
});

test("an event is enqueued for each endpoint that wants it, once, however often Lambda repeats the batch", async () => {
  sqs.on(SendMessageCommand).resolves({});
  const stores = awsStores();
  const settings = { url: "https://example.com", privateAddresses: false };
  const organization = await createOrganization(stores.accounts, { name: "O" });
  const definition = { name: "A", instructions: "", tools: [], limits: { steps: 1, tokens: 1, seconds: 1 } };
  const { id: agentId } = await createAgent(stores.accounts, organization.id, definition);
  await setWebhook(stores.accounts, agentId, { ...settings, types: ["run.failed"] });
  const wants = await addEndpoint(stores.accounts, agentId, { ...settings, types: ["run.finished"] });
  await addEndpoint(stores.accounts, agentId, { ...settings, types: ["run.waiting"] });
  await addEndpoint(stores.accounts, agentId, { ...settings, enabled: false });
  const id = await stored("msg_5_1_finished", agentId);
  await enqueue(inserted(id));
  await enqueue(inserted(id));
  const { deliveries } = await stores.deliveries.list({ agentId, limit: 10 });
  expect(deliveries).toMatchObject([{ messageId: id, endpointId: wants.endpointId, attempts: 0, state: "pending" }]);
  expect(sent()).toEqual([]);
  await enqueue(inserted(...deliveries.map((each) => each.id))); // as the stream reports them
  expect(sent()).toHaveLength(1);
  expect((await stores.deliveries.list({ agentId, limit: 10 })).deliveries).toEqual(deliveries);
});

test("a delivery that was deleted with its run is not enqueued", async () => {
  await enqueue(inserted("msg_0_1_finished"));
  expect(sent()).toEqual([]);
});

test("a message that SQS does not accept fails the batch, so that Lambda repeats it", async () => {
  sqs.on(SendMessageCommand).resolvesOnce({}).rejectsOnce(new Error("No queue."));
  const ids = [await stored("msg_3_1_finished", "A"), await stored("msg_4_1_failed", "A")];
  await expect(enqueue(inserted(...ids))).rejects.toThrow("No queue.");
});
