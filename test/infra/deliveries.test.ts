import { expect, test } from "vitest";
import { short, synthesize } from "./synth.ts";

const { all } = synthesize();
const named = (type: string, name: string) =>
  short(all(type).find(([found]) => found === name)?.[1]) as Record<string, unknown>;

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
