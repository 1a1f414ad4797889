import { ListSchedulesCommand, SchedulerClient } from "@aws-sdk/client-scheduler";
import { ReceiveMessageCommand, SendMessageCommand, SetQueueAttributesCommand, SQSClient } from "@aws-sdk/client-sqs";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type WebhookReceiver, webhookReceiver } from "../support/webhook-receiver.ts";
import { stackName } from "./cdk.ts";
import { type Agent, type Deployed, openDeployed } from "./deployed.ts";
import { admin, emulated, stackResource } from "./service.ts";

let deployed: Deployed;
const sqs = new SQSClient(emulated());
const scheduler = new SchedulerClient(emulated());
beforeAll(async () => {
  deployed = await openDeployed();
});
afterAll(() => {
  deployed.close();
  sqs.destroy();
  scheduler.destroy();
});

/** The receiver's URL for the deployed function: `receiver-route.cjs` leads this private address to this machine. */
function hookOf({ port }: WebhookReceiver): string {
  return `http://[fd00:5e1f::1]:${port}/hook`;
}

/** An agent of the demo model whose runs are reported to the receiver. */
async function reporting(receiver: WebhookReceiver): Promise<Agent & { secret: string }> {
  const agent = await deployed.newAgent("--provider", "demo");
  const set = ["webhook", "set", "--agent", agent.id, "--url", hookOf(receiver), "--private-addresses"];
  const { secret = "" } = await admin(...set);
  return { ...agent, secret };
}

interface ListedDelivery {
  id: string;
  state: string;
  attempts: number;
  last_attempt: { status: number | null } | null;
}

async function deliveriesOf({ id }: Agent): Promise<ListedDelivery[]> {
  const { data: deliveries } = await admin("webhook", "deliveries", "--agent", id);
  return deliveries as unknown as ListedDelivery[];
}

/** Waits until the first delivery of the list has ended: by then its attempt is recorded. */
async function firstEnds(agent: Agent): Promise<ListedDelivery | undefined> {
  await expect.poll(async () => (await deliveriesOf(agent))[0]?.state, { timeout: 60_000 }).not.toBe("pending");
  return (await deliveriesOf(agent))[0];
}

async function receives({ received }: WebhookReceiver, count: number): Promise<void> {
  await expect.poll(() => received.length, { timeout: 60_000 }).toBe(count);
}

test("the end of a run is sent with a valid signature, and again when an operator asks for it", async () => {
  await using receiver = await webhookReceiver();
  const agent = await reporting(receiver);
  const runId = await agent.api.create("Hello?");
  await receives(receiver, 1);
  const [{ id, body, headers } = { id: "", body: "", headers: {} }] = receiver.received;
  expect(new Webhook(agent.secret).verify(body, headers)).toMatchObject({
    type: "run.finished",
    data: { run_id: runId, agent_id: agent.id, status: "finished", turn: 1 },
  });
  const delivery = await firstEnds(agent);
  expect(delivery).toMatchObject({ state: "delivered", attempts: 1, last_attempt: { status: 204 } });

  await admin("webhook", "resend", delivery?.id ?? "");
  await receives(receiver, 2);
  expect(receiver.received[1]).toMatchObject({ id, body });
});

test("a receiver that fails gets the message again", async () => {
  await using receiver = await webhookReceiver((count) => (count === 1 ? 500 : 200));
  const agent = await reporting(receiver);
  await agent.api.create("Hello?");
  await receives(receiver, 2);
  expect(receiver.received[1]?.id).toBe(receiver.received[0]?.id);
  expect(await firstEnds(agent)).toMatchObject({ state: "delivered", attempts: 2, last_attempt: { status: 200 } });
});

test("a receiver that is gone disables the agent's webhook", async () => {
  await using receiver = await webhookReceiver(() => 410);
  const agent = await reporting(receiver);
  await agent.api.create("Hello?");
  expect(await firstEnds(agent)).toMatchObject({ state: "failed", attempts: 1, last_attempt: { status: 410 } });
  expect(await admin("webhook", "show", "--agent", agent.id)).toMatchObject({ enabled: false });
});

/** Sends a message to the queue, as the functions do. */
async function enqueue(MessageBody: string): Promise<void> {
  await sqs.send(new SendMessageCommand({ QueueUrl: await stackResource("DeliveriesDue"), MessageBody }));
}

/** The number of schedules in the stack's group. */
async function countSchedules(): Promise<number | undefined> {
  const { Schedules } = await scheduler.send(new ListSchedulesCommand({ GroupName: stackName }));
  return Schedules?.length;
}

describe("the queue of deliveries", () => {
  test("passes a retry over hours to a schedule of the stack's group", async () => {
    const id = `msg_${"0".repeat(32)}_1_finished`;
    const now = Date.now();
    await deployed.stores.deliveries.add({
      id,
      messageId: id,
      agentId: "none",
      organizationId: "none",
      runId: "none",
      turn: 1,
      type: "run.finished",
      status: "finished",
      at: now,
      attempts: 4,
      state: "pending",
      nextAttemptAt: now + 3_600_000,
    });
    await enqueue(JSON.stringify({ id, attempts: 3 }));
    await expect.poll(countSchedules, { timeout: 60_000 }).toBe(1);
  });

  test("keeps a message that cannot be handled as a dead letter", async () => {
    const [QueueUrl, DeadLetters] = [
      await stackResource("DeliveriesDue"),
      await stackResource("DeliveriesDeadLetters"),
    ];
    const visibleAfter = (VisibilityTimeout: string) =>
      sqs.send(new SetQueueAttributesCommand({ QueueUrl, Attributes: { VisibilityTimeout } }));
    await visibleAfter("0"); // it is six minutes, ten times
    await enqueue("not a message");
    const dead = async (): Promise<(string | undefined)[]> => {
      const { Messages = [] } = await sqs.send(
        new ReceiveMessageCommand({ QueueUrl: DeadLetters, WaitTimeSeconds: 1 }),
      );
      return Messages.map(({ Body }) => Body);
    };
    await expect.poll(dead, { timeout: 60_000 }).toEqual(["not a message"]);
    await visibleAfter("360");
  });
});
