import { ConflictException, CreateScheduleCommand, SchedulerClient } from "@aws-sdk/client-scheduler";
import { SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { mockClient } from "aws-sdk-client-mock";
import { beforeEach, expect, test } from "vitest";
import { deliveryQueue, type DueDelivery } from "../../src/platform/aws/delivery/delivery-queue.ts";
import { deliverySchedules } from "../../src/platform/aws/delivery/delivery-schedules.ts";
import { handleDue } from "../../src/platform/aws/delivery/due-delivery.ts";
import type { SendOutcome } from "../../src/deliveries/send-delivery.ts";
import { problem } from "./aws-mocks.ts";

// What is sent to SQS and to EventBridge Scheduler: the deploy test does not wait for hours.

const region = "eu-central-1";
const QueueUrl = "https://sqs.eu-central-1.amazonaws.com/1/Due";
const [queueArn, roleArn] = ["arn:aws:sqs:eu-central-1:1:Due", "arn:aws:iam::1:role/Scheduler"];
const id = "msg_9f8e7d6c5b4a49388271605f4e3d2c1b_1_finished";
const group = "5f3c";
const now = Date.parse("2026-11-22T14:00:00.000Z");
const minute = 60_000;

const sqs = mockClient(SQSClient);
const scheduler = mockClient(SchedulerClient);
beforeEach(() => {
  sqs.reset();
  sqs.on(SendMessageCommand).resolves({});
  scheduler.reset();
  scheduler.on(CreateScheduleCommand).resolves({});
});

/** Handles a message whose sending has this outcome. Resolves with what was sent to SQS and to the scheduler. */
async function handled(attempts: number, outcome: SendOutcome, parts: Partial<DueDelivery> = { group }) {
  const deps = {
    queue: deliveryQueue({ region }, QueueUrl),
    schedules: deliverySchedules({ region }, { group: "Group", queueArn, roleArn }),
    send: async () => outcome,
    now: () => now,
  };
  await handleDue(deps, { id, attempts, ...parts });
  return {
    messages: sqs.commandCalls(SendMessageCommand).map(({ args }) => args[0].input),
    schedules: scheduler.commandCalls(CreateScheduleCommand).map(({ args }) => args[0].input),
  };
}

test("a delivery that is done is not enqueued again", async () => {
  expect(await handled(0, "done")).toEqual({ messages: [], schedules: [] });
});

test.each([
  [5_000, 5],
  [6_001, 7],
  [15 * minute, 900],
  [-minute, 0], // the message was repeated after a crash, and late
])("an attempt that is due in %i ms is a message that is delayed by %i s", async (milliseconds, DelaySeconds) => {
  const { messages, schedules } = await handled(2, { attempts: 3, retryAt: now + milliseconds });
  const MessageBody = JSON.stringify({ id, attempts: 3, group });
  expect(messages).toEqual([{ QueueUrl, MessageBody, DelaySeconds, MessageGroupId: group }]);
  expect(schedules).toEqual([]);
});

test("a later attempt is a one-time schedule, which is named after the attempt and deletes itself", async () => {
  const { messages, schedules } = await handled(4, { attempts: 5, retryAt: now + 120 * minute });
  expect(messages).toEqual([]);
  expect(schedules).toEqual([
    {
      GroupName: "Group",
      Name: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
      ScheduleExpression: "at(2026-11-22T16:00:00)",
      FlexibleTimeWindow: { Mode: "OFF" },
      ActionAfterCompletion: "DELETE",
      Target: {
        Arn: queueArn,
        RoleArn: roleArn,
        Input: JSON.stringify({ id, attempts: 5, group, isScheduled: true }),
      },
    },
  ]);
});

test("a message of a schedule goes back to the queue with its group, and is sent only then", async () => {
  const scheduled = await handled(5, { attempts: 6, retryAt: now + minute }, { group, isScheduled: true });
  const MessageBody = JSON.stringify({ id, attempts: 5, group });
  expect(scheduled).toEqual({
    messages: [{ QueueUrl, MessageBody, DelaySeconds: 0, MessageGroupId: group }],
    schedules: [],
  });
});

test("a message of an earlier version has no group, and neither has the next one", async () => {
  const { messages } = await handled(0, { attempts: 1, retryAt: now }, {});
  expect(messages).toEqual([{ QueueUrl, MessageBody: JSON.stringify({ id, attempts: 1 }), DelaySeconds: 0 }]);
});

test("the name of a schedule is that of its attempt", async () => {
  const later = now + 120 * minute;
  const [first] = (await handled(4, { attempts: 5, retryAt: later })).schedules;
  const [, repeated] = (await handled(4, { attempts: 5, retryAt: later })).schedules;
  const [, , next] = (await handled(5, { attempts: 6, retryAt: later })).schedules;
  expect(repeated?.Name).toBe(first?.Name);
  expect(next?.Name).not.toBe(first?.Name);
});

test("a schedule that exists already was made by an earlier call of the same message", async () => {
  scheduler.on(CreateScheduleCommand).rejects(new ConflictException({ ...problem(409), Message: "no" }));
  await expect(handled(4, { attempts: 5, retryAt: now + 120 * minute })).resolves.toBeDefined();
});

test("a message that is repeated after a later attempt was made enqueues nothing", async () => {
  expect(await handled(1, { attempts: 3, retryAt: now + minute })).toEqual({ messages: [], schedules: [] });
});

test("a message whose next attempt cannot be enqueued fails, so that SQS keeps it", async () => {
  sqs.on(SendMessageCommand).rejects(new Error("No queue."));
  await expect(handled(0, { attempts: 1, retryAt: now + minute })).rejects.toThrow("No queue.");
  scheduler.on(CreateScheduleCommand).rejects(new Error("No group."));
  await expect(handled(0, { attempts: 1, retryAt: now + 60 * minute })).rejects.toThrow("No group.");
});
