import { AwsSolutionsChecks } from "cdk-nag";
import { expect, test } from "vitest";
import { idleBill } from "../../lib/idle-cost.ts";
import { short, synthesize } from "./synth.ts";

// The setting `warm`. Without it, no template has a version or an alias: stacks.test.ts.

const { app, all, resources } = synthesize({ context: { warm: 2, concurrentRuns: 20 } });
const versionIds = (context: object): string[] =>
  Object.entries(synthesize({ context: { warm: 2, concurrentRuns: 20, ...context } }).resources).flatMap(
    ([id, { Type }]) => (Type === "AWS::Lambda::Version" ? id : []),
  );
const called = ["Advance", "Create", "Get"];

test("creates, reads and turns have an alias each, with environments that have started", () => {
  const aliases = all("AWS::Lambda::Alias").map(([id, properties]) => [id, short(properties)]);
  expect(aliases).toEqual(
    called.map((name) => [
      `${name}Live`,
      {
        Name: "live",
        FunctionName: `<${name}>`,
        FunctionVersion: expect.stringMatching(new RegExp(`^<${name}CurrentVersion.*\\.Version>$`)) as string,
        ProvisionedConcurrencyConfig: { ProvisionedConcurrentExecutions: 2 },
      },
    ]),
  );
});

test("a deployment keeps the versions before, and removes its own if it fails", () => {
  const versions = Object.values(resources).filter(({ Type }) => Type === "AWS::Lambda::Version");
  const policies = { DeletionPolicy: "RetainExceptOnCreate", UpdateReplacePolicy: "Retain" };
  expect(versions).toMatchObject(called.map(() => policies));
});

test("a change of a function makes another version of it, and of no other", () => {
  const before = versionIds({});
  const after = versionIds({ otlpEndpoint: "https://collector.example.com" }); // of Advance
  expect(after.map((id) => before.includes(id))).toEqual([false, true, true]);
});

test("the API calls the aliases, and may call nothing else of these functions", () => {
  const integrations = all("AWS::ApiGatewayV2::Integration").map(([, { IntegrationUri }]) => short(IntegrationUri));
  expect(integrations).toEqual(expect.arrayContaining(["<CreateLive>", "<GetLive>"]));
  const permitted = all("AWS::Lambda::Permission").map(([, { FunctionName }]) => short(FunctionName));
  expect(permitted).toEqual(expect.arrayContaining(["<CreateLive>", "<GetLive>"]));
  for (const name of called) expect([...integrations, ...permitted]).not.toContain(`<${name}.Arn>`);
});

test("executions call the alias of advance, and those that began without an alias may still call the function", () => {
  const [[, machine] = ["", {}]] = all("AWS::StepFunctions::StateMachine");
  const { States } = JSON.parse(String(short(machine["DefinitionString"]))) as {
    States: Record<string, { Arguments?: { FunctionName: string } }>;
  };
  expect(States["Advance"]?.Arguments?.FunctionName).toBe("<AdvanceLive>");
  const policy = all("AWS::IAM::Policy").find(([id]) => id === "WorkflowStateMachineRoleDefaultPolicy")?.[1];
  const { Statement } = short(policy?.["PolicyDocument"]) as { Statement: { Action: unknown; Resource: unknown }[] };
  const invoked = Statement.filter(({ Action }) => Action === "lambda:InvokeFunction").flatMap((each) => each.Resource);
  expect(new Set(invoked)).toEqual(new Set(["<Advance.Arn>", "<AdvanceLive>", "<Fail.Arn>", "<Fail.Arn>:*"]));
});

test("cdk-nag has no unacknowledged findings", () => {
  expect(new AwsSolutionsChecks(app).validateScope(app).violations).toEqual([]);
});

test("the bill has the memory of the environments for a month", () => {
  const gigabytes = 2 * (1_769 / 1_024 + 1 + 1);
  const amount = idleBill({ service: resources })["6 warm environments of 3 functions"];
  expect(amount).toBeCloseTo(gigabytes * 30 * 86_400 * 3.3334e-6, 6);
  expect(idleBill({ service: synthesize().resources })).not.toHaveProperty("0 warm environments of 0 functions");
});
