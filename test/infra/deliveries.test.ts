import { expect, test } from "vitest";
import { sendDeliverySeconds } from "../../src/platform/aws/delivery/delivery-limits.ts";
import { short, synthesize } from "./synth.ts";

const { all } = synthesize();
const named = (type: string, name: string) =>
  short(all(type).find(([found]) => found === name)?.[1]) as Record<string, unknown>;

test("the table's stream has keys only, so no content of an item leaves the table with it", () => {
  const [[, table] = ["", {}]] = all("AWS::DynamoDB::GlobalTable");
  expect(table["StreamSpecification"]).toEqual({ StreamViewType: "KEYS_ONLY" });
});

test("new deliveries are passed on, and no other items, until it succeeds or their records expire", () => {
  const { FilterCriteria, ...mapping } = named("AWS::Lambda::EventSourceMapping", "DeliveriesNew");
  expect(mapping).toEqual({
    EventSourceArn: "<StorageTable.StreamArn>",
    FunctionName: "<EnqueueDelivery>",
    StartingPosition: "TRIM_HORIZON",
    BatchSize: 10,
    BisectBatchOnFunctionError: true,
    MaximumRecordAgeInSeconds: 6 * 3_600,
    DestinationConfig: { OnFailure: { Destination: "<DeadLetters.Arn>" } },
    // Without MaximumRetryAttempts and MaximumRecordAgeInSeconds: -1, no limit but the stream's 24 hours
  });
  const { Filters } = FilterCriteria as { Filters: { Pattern: string }[] };
  expect(Filters.map(({ Pattern }) => JSON.parse(Pattern) as unknown)).toEqual([
    { eventName: ["INSERT"], dynamodb: { Keys: { pk: { S: [{ prefix: "DELIVERY#" }] } } } },
  ]);
});

test("a message outlives a failed invocation, and one that fails again and again is kept for 14 days", () => {
  expect(named("AWS::SQS::Queue", "DeliveriesDue")).toMatchObject({
    VisibilityTimeout: 6 * sendDeliverySeconds,
    MessageRetentionPeriod: 14 * 86_400,
    RedrivePolicy: { deadLetterTargetArn: "<DeliveriesDeadLetters.Arn>", maxReceiveCount: 10 },
    SqsManagedSseEnabled: true,
  });
  expect(named("AWS::SQS::Queue", "DeliveriesDeadLetters")).toMatchObject({ MessageRetentionPeriod: 14 * 86_400 });
});

test("messages that are due are sent, a hundred at once, and only those that fail stay in the queue", () => {
  expect(named("AWS::Lambda::EventSourceMapping", "DeliveriesSends")).toEqual({
    EventSourceArn: "<DeliveriesDue.Arn>",
    FunctionName: "<SendDelivery>",
    BatchSize: 10,
    ScalingConfig: { MaximumConcurrency: 10 },
    FunctionResponseTypes: ["ReportBatchItemFailures"],
  });
});

test("the function that enqueues reads of a webhook neither its URLs nor its secrets", () => {
  const { PolicyDocument } = named("AWS::IAM::Policy", "EnqueueDeliveryRoleDefaultPolicy");
  const { Statement } = PolicyDocument as { Statement: { Action: unknown; Resource: unknown; Condition?: unknown }[] };
  const ofItems = Statement.filter(({ Resource }) => Resource === "<StorageTable.Arn>");
  expect(ofItems).toMatchObject([
    {
      Action: ["dynamodb:DeleteItem", "dynamodb:GetItem", "dynamodb:PutItem"],
      Condition: { "ForAllValues:StringLike": { "dynamodb:LeadingKeys": ["DELIVERY#*"] } },
    },
    {
      Action: "dynamodb:GetItem",
      Condition: {
        "ForAllValues:StringLike": { "dynamodb:LeadingKeys": ["WEBHOOK#*"] },
        "ForAllValues:StringEquals": { "dynamodb:Attributes": ["pk", "sk", "state"] },
      },
    },
  ]);
});

test("the function that sends to its own queue is not taken for an endless loop", () => {
  expect(named("AWS::Lambda::Function", "SendDelivery")).toMatchObject({ RecursiveLoop: "Allow" });
});

test("only this stack's schedules can use the role that sends messages to the queue", () => {
  const { AssumeRolePolicyDocument } = named("AWS::IAM::Role", "DeliveriesSchedulerRole");
  expect(AssumeRolePolicyDocument).toMatchObject({
    Statement: [
      {
        Principal: { Service: "scheduler.amazonaws.com" },
        Condition: {
          StringEquals: { "aws:SourceAccount": "<AWS::AccountId>", "aws:SourceArn": "<DeliveriesRetries.Arn>" },
        },
      },
    ],
  });
  expect(named("AWS::Scheduler::ScheduleGroup", "DeliveriesRetries")).toMatchObject({ Name: "AgentRunService-prod" });
});
