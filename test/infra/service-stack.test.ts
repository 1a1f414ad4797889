import { Validations } from "aws-cdk-lib";
import { Match } from "aws-cdk-lib/assertions";
import { AwsSolutionsChecks } from "cdk-nag";
import { describe, expect, test } from "vitest";
import { short, synthesize } from "./synth.ts";

const { app, template, all } = synthesize();
const functions = all("AWS::Lambda::Function");
const [, stage] = all("AWS::ApiGatewayV2::Stage")[0] ?? ["", {}];

describe("HTTP", () => {
  test("has the contract's routes and a default route, each with its own function", () => {
    const targets = all("AWS::ApiGatewayV2::Route").map(([, { RouteKey, Target }]) => [RouteKey, short(Target)]);
    expect(targets.map(([key]) => String(key)).toSorted()).toEqual([
      "$default",
      "ANY /ext/v1/{proxy+}",
      "ANY /mcp",
      "GET /ext/v1/{proxy+}",
      "GET /v1/agents/{agent_id}",
      "GET /v1/openapi.json",
      "HEAD /ext/v1/{proxy+}",
      "POST /v1/agents",
    ]);
    expect(new Set(targets.map(([, target]) => target)).size).toBe(targets.length);
    expect(targets.find(([key]) => key === "$default")?.[1]).toMatch(/NotFound/);
    template.allResourcesProperties("AWS::ApiGatewayV2::Integration", { PayloadFormatVersion: "2.0" });
  });

  test("logs every request with its id and without headers", () => {
    const { Format } = stage["AccessLogSettings"] as { Format: string };
    expect(Object.values(JSON.parse(Format) as object)).toContain("$context.requestId");
    expect(Format).not.toMatch(/header|authori[sz]|apikey/i);
    expect(stage["StageName"]).toBe("$default");
  });

  test("has metrics per route and the throttle of the settings", () => {
    expect(stage["DefaultRouteSettings"]).toEqual({
      DetailedMetricsEnabled: true,
      ThrottlingRateLimit: 500,
      ThrottlingBurstLimit: 1_000,
    });
  });
});

describe("functions", () => {
  test("are one per operation and workflow task, with the same runtime and architecture", () => {
    expect(functions.map(([name]) => name).toSorted()).toEqual([
      "Advance",
      "Create",
      "Documents",
      "EnqueueDelivery",
      "ExtRead",
      "ExtWrite",
      "Fail",
      "Get",
      "Mcp",
      "NotFound",
      "Openapi",
      "Reconcile",
      "SandboxEnvironmentlinux",
      "SendDelivery",
      "Sweep",
    ]);
    template.allResourcesProperties("AWS::Lambda::Function", {
      Architectures: ["arm64"],
      LoggingConfig: { LogFormat: "JSON", LogGroup: Match.anyValue() },
    });
    const zipped = functions.filter(([, { PackageType }]) => PackageType !== "Image");
    expect(zipped).toHaveLength(functions.length - 1);
    for (const [, fn] of zipped) expect(fn).toMatchObject({ Runtime: "nodejs24.x", Handler: "index.handler" });
  });

  test("have one role and one log group each", () => {
    for (const owned of [
      ({ Role }: Record<string, unknown>) => Role,
      ({ LoggingConfig }: Record<string, unknown>) => LoggingConfig,
    ]) {
      expect(new Set(functions.map(([, properties]) => JSON.stringify(owned(properties)))).size).toBe(functions.length);
    }
  });

  test("receive only the environment variables that they need", () => {
    const names = Object.fromEntries(
      functions.map(([name, { Environment }]) => {
        const { Variables = {} } = (Environment ?? {}) as { Variables?: object };
        return [name, Object.keys(Variables).toSorted()];
      }),
    );
    expect(names).toEqual({
      Advance: [
        "BUCKET_NAME",
        "DOCUMENTS_FUNCTION",
        "RETENTION_DAYS",
        "SANDBOX_BUCKET_URL",
        "SANDBOX_ENDPOINT",
        "SANDBOX_ENVIRONMENTS",
        "SANDBOX_FUNCTION",
        "SECRET_PREFIX",
        "TABLE_NAME",
      ],
      Create: ["BUCKET_NAME", "RETENTION_DAYS", "SECRET_PREFIX", "STATE_MACHINE_ARN", "TABLE_NAME"],
      Documents: [],
      EnqueueDelivery: ["DELIVERY_QUEUE_URL", "TABLE_NAME"],
      ExtRead: [
        "BUCKET_NAME",
        "MAX_UPLOAD_BYTES",
        "RETENTION_DAYS",
        "SECRET_PREFIX",
        "STATE_MACHINE_ARN",
        "TABLE_NAME",
      ],
      ExtWrite: [
        "BUCKET_NAME",
        "MAX_UPLOAD_BYTES",
        "RETENTION_DAYS",
        "SECRET_PREFIX",
        "STATE_MACHINE_ARN",
        "TABLE_NAME",
      ],
      Fail: ["RETENTION_DAYS", "TABLE_NAME"],
      Get: ["BUCKET_NAME", "TABLE_NAME"],
      Mcp: ["BUCKET_NAME", "RETENTION_DAYS", "SECRET_PREFIX", "STATE_MACHINE_ARN", "TABLE_NAME"],
      NotFound: [],
      Openapi: [],
      Reconcile: ["RETENTION_DAYS", "TABLE_NAME"],
      SandboxEnvironmentlinux: [],
      SendDelivery: [
        "DELIVERY_QUEUE_ARN",
        "DELIVERY_QUEUE_URL",
        "DELIVERY_SCHEDULE_GROUP",
        "DELIVERY_SCHEDULE_ROLE_ARN",
        "TABLE_NAME",
      ],
      Sweep: ["BUCKET_NAME", "RETENTION_DAYS", "STATE_MACHINE_ARN", "TABLE_NAME"],
    });
  });
});

test("delivered logs use the prefix that AWS's resource policy covers", () => {
  const named = all("AWS::Logs::LogGroup").flatMap(([, { LogGroupName }]) => LogGroupName ?? []);
  const names = ["apis", "states"].map((kind) => `/aws/vendedlogs/${kind}/AgentRunService-prod`);
  expect(new Set(named)).toEqual(new Set(names));
});

test("concurrentRuns reserves concurrency for runs, and a tenth of it for their documents", () => {
  const reserved = (found: typeof all): unknown[] =>
    found("AWS::Lambda::Function").flatMap(([name, { ReservedConcurrentExecutions: kept }]) =>
      kept ? [name, kept] : [],
    );
  expect(reserved(all)).toEqual([]);
  const { all: other, template: withRuns } = synthesize({ context: { concurrentRuns: "800" } });
  expect(reserved(other)).toEqual(["Advance", 720, "Documents", 80]);
  withRuns.hasOutput("ConcurrentRuns", { Value: "800" }); // npm run deploy reads it
});

describe("cdk-nag", () => {
  test.each(["retain", "destroy"])("has no unacknowledged findings (removal: %s)", (removal) => {
    const { app: checked } = synthesize({ context: { removal } });
    const { violations } = new AwsSolutionsChecks(checked).validateScope(checked);
    expect(violations).toEqual([]);
  });

  test("every acknowledgement has a reason", () => {
    const reasons = app.node
      .findAll()
      .flatMap(({ node }) => node.metadata)
      .filter(({ type }) => type === Validations.ACKNOWLEDGED_RULES_METADATA_KEY)
      .flatMap(({ data }) => Object.entries(data as Record<string, string>))
      .filter(([id]) => !id.startsWith("CloudFormation-Validate")); // CDK acknowledges its own finding about availability zones
    expect(reasons.length).toBeGreaterThan(5);
    for (const [, reason] of reasons) expect(reason).toMatch(/^[A-Z].{30,}\.$/);
  });
});

test("events of executions reach reconcile, the clock the sweep, and what cannot be delivered a queue", () => {
  const targets = all("AWS::Events::Rule").map(([name, { Targets }]) => [name, short(Targets)]);
  const DeadLetterConfig = { Arn: "<DeadLetters.Arn>" };
  expect(Object.fromEntries(targets)).toMatchObject({
    RepairEnded: [{ Arn: "<Reconcile.Arn>", DeadLetterConfig }],
    RepairClock: [{ Arn: "<Sweep.Arn>", DeadLetterConfig }],
  });
});
