import { App, Stack } from "aws-cdk-lib";
import { Match, Template } from "aws-cdk-lib/assertions";
import { Function, InlineCode, Runtime } from "aws-cdk-lib/aws-lambda";
import { Queue } from "aws-cdk-lib/aws-sqs";
import { Topic } from "aws-cdk-lib/aws-sns";
import { expect, test } from "vitest";
import { Agent, AgentRunService, type AgentRunServiceProps, ApiKey, Organization } from "../../lib/cdk.ts";
import { outputs } from "../../lib/outputs.ts";

// The construct in a stack of another app, without the feature flags of this repository.

/** A stack of somebody's own app, in which functions are not bundled. */
function stackIn(app: App): Stack {
  app.node.setContext("aws:cdk:bundling-stacks", []);
  return new Stack(app, "Shop");
}

const service = (stack: Stack, props: AgentRunServiceProps = {}, id = "Agents") =>
  new AgentRunService(stack, id, { sandbox: "off", ...props });

test("its stack has the outputs that the programs for operators read, and alarms on its own resources only", () => {
  const stack = stackIn(new App());
  new Queue(stack, "Orders");
  const topic = new Topic(stack, "OnCall");
  new Function(stack, "Shop", { code: new InlineCode("…"), handler: "index.handler", runtime: Runtime.NODEJS_24_X });
  const { apiUrl, alarmTopic } = service(stack, { alarmTopic: topic, alarmEmail: "on-call@example.com" });
  const template = Template.fromStack(stack);
  expect(Object.keys(template.toJSON()["Outputs"] as object).toSorted()).toEqual(Object.keys(outputs).toSorted());
  template.hasOutput("ApiUrl", { Value: stack.resolve(apiUrl) as object });
  expect(alarmTopic).toBe(topic);
  template.resourceCountIs("AWS::SNS::Topic", 1);
  template.hasResourceProperties("AWS::SNS::Subscription", { TopicArn: stack.resolve(topic.topicArn) as object });
  template.hasResourceProperties("AWS::CloudWatch::Alarm", {
    AlarmName: "Shop-dead-letters",
    AlarmActions: [stack.resolve(topic.topicArn)],
  });
  template.resourcePropertiesCountIs(
    "AWS::CloudWatch::Alarm",
    {
      Dimensions: Match.arrayWith([
        { Name: "QueueName", Value: { "Fn::GetAtt": [Match.stringLikeRegexp("Orders"), "QueueName"] } },
      ]),
    },
    0,
  );
});

test("properties are checked as settings are, and all errors are listed", () => {
  const wrong = { retentionDays: 0, corsOrigins: ["app"], monthlyBudgets: 5 } as AgentRunServiceProps;
  const expected = [
    "Invalid settings. Correct the properties of AgentRunService:",
    "monthlyBudgets: unknown setting",
    "retentionDays: received 0; accepted: a whole number from 1 to 3650",
    'corsOrigins: received ["app"]',
  ];
  for (const text of expected) expect(() => service(stackIn(new App()), wrong)).toThrow(text);
});

test("a stack holds one, because its outputs and alarms have the names of the stack", () => {
  const stack = stackIn(new App());
  service(stack);
  expect(() => service(stack, {}, "More")).toThrow(
    "A stack holds one AgentRunService, because its outputs and alarms have the names of the stack. Shop has Shop/Agents and " +
      "Shop/More: use a stack for each.",
  );
});

test("the function of definitions is in the template of an app that uses one, with the permissions for them", () => {
  const without = stackIn(new App());
  service(without);
  const functions = Object.keys(Template.fromStack(without).findResources("AWS::Lambda::Function")).length;
  const stack = stackIn(new App());
  const agents = service(stack);
  const acme = new Organization(agents, "Acme", { name: "Acme", model: { provider: "demo" } });
  const support = new Agent(agents, "Support", { file: "examples/assistant.json", organization: acme });
  const { secret } = new ApiKey(agents, "ShopKey", { agents: [support, "further"], name: "Shop" });
  const template = Template.fromStack(stack);
  template.resourceCountIs("AWS::Lambda::Function", functions + 1);
  template.hasResource("Custom::AgentRunOrganization", {
    Properties: { Name: "Acme", Model: { provider: "demo" }, ServiceTimeout: "300" },
  });
  template.hasResourceProperties("Custom::AgentRunAgent", {
    OrganizationId: stack.resolve(acme.organizationId) as object,
    Definition: Match.serializedJson(Match.objectLike({ name: "Assistant" })),
  });
  template.hasResourceProperties("Custom::AgentRunApiKey", {
    AgentIds: [stack.resolve(support.agentId), "further"],
    Name: "Shop",
    SecretArn: stack.resolve(secret.secretArn) as object,
  });
  const policies = Object.entries(template.findResources("AWS::IAM::Policy"));
  const [, policy] = policies.find(([id]) => id.includes("Definitions")) ?? [];
  const statements = (policy as { Properties: { PolicyDocument: { Statement: { Action: string | string[] }[] } } })
    .Properties.PolicyDocument.Statement;
  const writesLog = ["logs:CreateLogStream", "logs:PutLogEvents"];
  expect(statements.flatMap(({ Action }) => Action)).toEqual([
    ...writesLog,
    "dynamodb:GetItem",
    "dynamodb:Query",
    "dynamodb:PutItem",
    "secretsmanager:PutSecretValue",
    "secretsmanager:GetSecretValue",
  ]);
});

test("a file that is not JSON is an error of the synthesis", () => {
  const agents = service(stackIn(new App()));
  expect(() => new Agent(agents, "Support", { file: "README.md", organization: "acme" })).toThrow(
    "README.md cannot be read as an agent file: ",
  );
});
