import { AwsSolutionsChecks } from "cdk-nag";
import { expect, test } from "vitest";
import { short, synthesize } from "./synth.ts";

const { all } = synthesize();

const policies = [...all("AWS::IAM::Policy"), ...all("AWS::IAM::ManagedPolicy")];
const statements = policies.flatMap(([name, { PolicyDocument }]) => {
  const { Statement } = PolicyDocument as { Statement: Record<string, unknown>[] };
  return Statement.map((statement): [string, Record<string, unknown>] => [name, statement]);
});

test("bedrockModels sets the models that advance can call", () => {
  const models = ["amazon.nova-lite-v1:0", "eu.anthropic.claude-sonnet-4-5-20250929-v1:0"];
  const { app: checked, all: found } = synthesize({ context: { bedrockModels: models.join(", ") } });
  const text = JSON.stringify(short(found("AWS::IAM::Policy").find(([name]) => name.startsWith("AdvanceRole"))));
  expect(text.match(/arn:aws:bedrock:[^"]+/g)).toEqual([
    "arn:aws:bedrock:*:<AWS::AccountId>:inference-profile/eu.anthropic.claude-sonnet-4-5-20250929-v1:0",
    "arn:aws:bedrock:*::foundation-model/amazon.nova-lite-v1:0",
    "arn:aws:bedrock:*::foundation-model/anthropic.claude-sonnet-4-5-20250929-v1:0",
  ]);
  expect(new AwsSolutionsChecks(checked).validateScope(checked).violations).toEqual([]);
});

test("permissions have no wildcard actions and no policies from outside the stack", () => {
  for (const [, { Action }] of statements) expect([Action].flat().join()).not.toContain("*");
  for (const [, role] of all("AWS::IAM::Role")) {
    expect(role).not.toHaveProperty("ManagedPolicyArns");
    expect(role).not.toHaveProperty("Policies");
  }
});

const isUpdate = ({ Action }: Record<string, unknown>) => [Action].flat().includes("dynamodb:UpdateItem");

test("the policy of viewers changes nothing but the mark of a watched run, and reads no secret", () => {
  const ofViewers = statements.flatMap(([name, statement]) => (name === "ViewerPolicy" ? [statement] : []));
  expect(ofViewers.filter(isUpdate).map(({ Action, Condition }) => [Action, Condition])).toMatchObject([
    [
      "dynamodb:UpdateItem",
      {
        "ForAllValues:StringLike": { "dynamodb:LeadingKeys": ["RUN#*"] },
        "ForAllValues:StringEquals": { "dynamodb:Attributes": ["pk", "sk", "watchedUntil"] },
      },
    ],
  ]);
  const actions = ofViewers.filter((each) => !isUpdate(each)).flatMap(({ Action }) => Action);
  expect(new Set(actions)).toEqual(
    new Set([
      "dynamodb:GetItem",
      "dynamodb:BatchGetItem",
      "dynamodb:Query",
      "s3:GetObject",
      "s3:ListBucket",
      "secretsmanager:DescribeSecret",
      "cloudformation:DescribeStacks",
    ]),
  );
});
