import { Validations } from "aws-cdk-lib";
import { Match } from "aws-cdk-lib/assertions";
import { AwsSolutionsChecks } from "cdk-nag";
import { describe, expect, test } from "vitest";
import { short, synthesise } from "./synth.ts";

const { app, template, all } = synthesise();
const functions = all("AWS::Lambda::Function");
const [, stage] = all("AWS::ApiGatewayV2::Stage")[0] ?? ["", {}];

const list = (value: unknown): string => [value].flat().join(", ");

test("the template is the one that was reviewed", () => {
  const text = JSON.stringify(template.toJSON(), null, 2).replaceAll(/[0-9a-f]{64}\.zip/g, "<asset>.zip");
  expect(text).toMatchSnapshot();
});

describe("HTTP", () => {
  test("has the contract's routes and one for everything else, each to a function of its own", () => {
    const targets = all("AWS::ApiGatewayV2::Route").map(([, { RouteKey, Target }]) => [RouteKey, short(Target)]);
    expect(targets.map(([key]) => String(key)).toSorted()).toEqual([
      "$default",
      "GET /v1/agents/{agent_id}",
      "GET /v1/openapi.json",
      "POST /v1/agents",
    ]);
    expect(new Set(targets.map(([, target]) => target)).size).toBe(targets.length);
    expect(targets.find(([key]) => key === "$default")?.[1]).toMatch(/NotFound/);
    template.allResourcesProperties("AWS::ApiGatewayV2::Integration", { PayloadFormatVersion: "2.0" });
  });

  test("logs every request with its id, and no header", () => {
    const { Format } = stage["AccessLogSettings"] as { Format: string };
    expect(Object.values(JSON.parse(Format) as object)).toContain("$context.requestId");
    expect(Format).not.toMatch(/header|authori[sz]|apikey/i);
    expect(stage["StageName"]).toBe("$default");
  });

  test("counts every route apart, and takes as much as the settings say", () => {
    expect(stage["DefaultRouteSettings"]).toEqual({
      DetailedMetricsEnabled: true,
      ThrottlingRateLimit: 500,
      ThrottlingBurstLimit: 1_000,
    });
  });
});

describe("functions", () => {
  test("are one for each operation and workflow task, on the same runtime and processor", () => {
    expect(functions.map(([name]) => name).toSorted()).toEqual([
      "Advance",
      "Create",
      "Fail",
      "Get",
      "NotFound",
      "Openapi",
      "Reconcile",
      "SandboxFunction",
      "Sweep",
    ]);
    template.allResourcesProperties("AWS::Lambda::Function", {
      Runtime: "nodejs24.x",
      Architectures: ["arm64"],
      Handler: "index.handler",
      LoggingConfig: { LogFormat: "JSON", LogGroup: Match.anyValue() },
    });
  });

  test("have a role and a log group each, shared with no other", () => {
    for (const owned of [
      ({ Role }: Record<string, unknown>) => Role,
      ({ LoggingConfig }: Record<string, unknown>) => LoggingConfig,
    ]) {
      expect(new Set(functions.map(([, properties]) => JSON.stringify(owned(properties)))).size).toBe(functions.length);
    }
  });

  test("know the names of what they may use, and nothing else", () => {
    const names = Object.fromEntries(
      functions.map(([name, { Environment }]) => {
        const { Variables = {} } = (Environment ?? {}) as { Variables?: object };
        return [name, Object.keys(Variables).toSorted()];
      }),
    );
    expect(names).toEqual({
      Advance: ["BUCKET_NAME", "RETENTION_DAYS", "SANDBOX_FUNCTION", "TABLE_NAME"],
      Create: ["BUCKET_NAME", "RETENTION_DAYS", "STATE_MACHINE_ARN", "TABLE_NAME"],
      Fail: ["TABLE_NAME"],
      Get: ["BUCKET_NAME", "TABLE_NAME"],
      NotFound: [],
      Openapi: [],
      Reconcile: ["TABLE_NAME"],
      SandboxFunction: [],
      Sweep: ["STATE_MACHINE_ARN", "TABLE_NAME"],
    });
  });
});

describe("permissions", () => {
  const policies = [...all("AWS::IAM::Policy"), ...all("AWS::IAM::ManagedPolicy")];
  const statements = policies.flatMap(([name, { PolicyDocument }]) => {
    const { Statement } = PolicyDocument as { Statement: Record<string, unknown>[] };
    return Statement.map((statement): [string, Record<string, unknown>] => [name, statement]);
  });

  test("are these, and no others", () => {
    const lines = statements.map(([name, { Effect, Action, Resource, Condition }]) => {
      const condition = Condition ? ` if ${JSON.stringify(Condition)}` : "";
      return `${name.replace(/(Role)?DefaultPolicy$/, "")}: ${list(Effect)} ${list(Action)} on ${list(short(Resource))}${condition}`;
    });
    expect(lines).toMatchInlineSnapshot(`
      [
        "Advance: Allow logs:CreateLogStream, logs:PutLogEvents on <AdvanceLog.Arn>",
        "Advance: Allow dynamodb:GetItem on <StorageTable.Arn> if {"ForAllValues:StringLike":{"dynamodb:LeadingKeys":["AGENT#*","ORG#*"]}}",
        "Advance: Allow dynamodb:ConditionCheckItem, dynamodb:PutItem, dynamodb:Query, dynamodb:UpdateItem on <StorageTable.Arn> if {"ForAllValues:StringLike":{"dynamodb:LeadingKeys":["RUN#*"]}}",
        "Advance: Allow s3:GetObject, s3:PutObject on <StorageBucket.Arn>/texts/*, <StorageBucket.Arn>/workspaces/*",
        "Advance: Allow s3:ListBucket on <StorageBucket.Arn>",
        "Advance: Allow secretsmanager:GetSecretValue on arn:aws:secretsmanager:<AWS::Region>:<AWS::AccountId>:secret:agent-run-service/*",
        "Advance: Allow lambda:InvokeFunction on <SandboxFunction.Arn>",
        "SandboxFunction: Allow logs:CreateLogStream, logs:PutLogEvents on <SandboxFunctionLog.Arn>",
        "SandboxFunction: Allow ec2:AssignPrivateIpAddresses, ec2:CreateNetworkInterface, ec2:DeleteNetworkInterface, ec2:DescribeNetworkInterfaces, ec2:DescribeSubnets, ec2:UnassignPrivateIpAddresses on *",
        "SandboxFunction: Deny ec2:AssignPrivateIpAddresses, ec2:CreateNetworkInterface, ec2:DeleteNetworkInterface, ec2:DescribeNetworkInterfaces, ec2:DescribeSubnets, ec2:UnassignPrivateIpAddresses on * if {"Null":{"lambda:SourceFunctionArn":"false"}}",
        "Fail: Allow logs:CreateLogStream, logs:PutLogEvents on <FailLog.Arn>",
        "Fail: Allow dynamodb:UpdateItem on <StorageTable.Arn> if {"ForAllValues:StringLike":{"dynamodb:LeadingKeys":["RUN#*"]}}",
        "WorkflowStateMachine: Allow lambda:InvokeFunction on <Advance.Arn>, <Fail.Arn>, <Advance.Arn>:*, <Fail.Arn>:*",
        "WorkflowStateMachine: Allow logs:CreateLogDelivery, logs:DeleteLogDelivery, logs:DescribeLogGroups, logs:DescribeResourcePolicies, logs:GetLogDelivery, logs:ListLogDeliveries, logs:PutResourcePolicy, logs:UpdateLogDelivery, xray:GetSamplingRules, xray:GetSamplingTargets, xray:PutTelemetryRecords, xray:PutTraceSegments on *",
        "Reconcile: Allow logs:CreateLogStream, logs:PutLogEvents on <ReconcileLog.Arn>",
        "Reconcile: Allow sqs:SendMessage on <DeadLetters.Arn>",
        "Reconcile: Allow dynamodb:UpdateItem on <StorageTable.Arn> if {"ForAllValues:StringLike":{"dynamodb:LeadingKeys":["RUN#*"]}}",
        "Sweep: Allow logs:CreateLogStream, logs:PutLogEvents on <SweepLog.Arn>",
        "Sweep: Allow sqs:SendMessage on <DeadLetters.Arn>",
        "Sweep: Allow dynamodb:Query on <StorageTable.Arn>/index/gsi2 if {"ForAllValues:StringLike":{"dynamodb:LeadingKeys":["RUNNING#*"]}}",
        "Sweep: Allow dynamodb:UpdateItem on <StorageTable.Arn> if {"ForAllValues:StringLike":{"dynamodb:LeadingKeys":["RUN#*"]}}",
        "Sweep: Allow states:ListExecutions on <WorkflowStateMachine>",
        "Sweep: Allow states:DescribeExecution, states:StopExecution on arn:aws:states:<AWS::Region>:<AWS::AccountId>:execution:<WorkflowStateMachine.Name>:*",
        "Create: Allow logs:CreateLogStream, logs:PutLogEvents on <CreateLog.Arn>",
        "Create: Allow dynamodb:GetItem on <StorageTable.Arn> if {"ForAllValues:StringLike":{"dynamodb:LeadingKeys":["KEY#*","AGENT#*","ORG#*"]}}",
        "Create: Allow dynamodb:PutItem, dynamodb:UpdateItem on <StorageTable.Arn> if {"ForAllValues:StringLike":{"dynamodb:LeadingKeys":["RUN#*"]}}",
        "Create: Allow s3:PutObject on <StorageBucket.Arn>/texts/*, <StorageBucket.Arn>/workspaces/*",
        "Create: Allow s3:DeleteObject on <StorageBucket.Arn>/workspaces/*",
        "Create: Allow states:StartExecution on <WorkflowStateMachine>",
        "Get: Allow logs:CreateLogStream, logs:PutLogEvents on <GetLog.Arn>",
        "Get: Allow dynamodb:GetItem on <StorageTable.Arn> if {"ForAllValues:StringLike":{"dynamodb:LeadingKeys":["KEY#*"]}}",
        "Get: Allow dynamodb:Query on <StorageTable.Arn> if {"ForAllValues:StringLike":{"dynamodb:LeadingKeys":["RUN#*"]}}",
        "Get: Allow s3:GetObject on <StorageBucket.Arn>/texts/*",
        "Openapi: Allow logs:CreateLogStream, logs:PutLogEvents on <OpenapiLog.Arn>",
        "NotFound: Allow logs:CreateLogStream, logs:PutLogEvents on <NotFoundLog.Arn>",
        "OperatorPolicy: Allow cloudformation:DescribeStacks on arn:aws:cloudformation:<AWS::Region>:<AWS::AccountId>:stack/AgentRunService-prod/*",
        "OperatorPolicy: Allow dynamodb:GetItem, dynamodb:PutItem on <StorageTable.Arn> if {"ForAllValues:StringLike":{"dynamodb:LeadingKeys":["ORG#*","AGENT#*","KEY#*"]}}",
        "OperatorPolicy: Allow dynamodb:DeleteItem, dynamodb:PutItem, dynamodb:Query, dynamodb:UpdateItem on <StorageTable.Arn> if {"ForAllValues:StringLike":{"dynamodb:LeadingKeys":["RUN#*"]}}",
        "OperatorPolicy: Allow dynamodb:Query on <StorageTable.Arn>/index/gsi1 if {"ForAllValues:StringLike":{"dynamodb:LeadingKeys":["ORGS","AGENTS","KEYS#*","RUNS#*"]}}",
        "OperatorPolicy: Allow s3:DeleteObject, s3:GetObject on <StorageBucket.Arn>/texts/*, <StorageBucket.Arn>/workspaces/*",
        "OperatorPolicy: Allow s3:PutObject on <StorageBucket.Arn>/texts/*",
        "OperatorPolicy: Allow s3:ListBucket on <StorageBucket.Arn>",
        "OperatorPolicy: Allow states:StartExecution on <WorkflowStateMachine>",
        "OperatorPolicy: Allow states:StopExecution on arn:aws:states:<AWS::Region>:<AWS::AccountId>:execution:<WorkflowStateMachine.Name>:*",
        "OperatorPolicy: Allow secretsmanager:DescribeSecret on arn:aws:secretsmanager:<AWS::Region>:<AWS::AccountId>:secret:agent-run-service/*",
      ]
    `);
  });

  test("name the models on Bedrock that the settings allow, and no others", () => {
    const models = ["amazon.nova-lite-v1:0", "eu.anthropic.claude-sonnet-4-5-20250929-v1:0"];
    const { app: checked, all: found } = synthesise({ context: { bedrockModels: models.join(", ") } });
    const text = JSON.stringify(short(found("AWS::IAM::Policy").find(([name]) => name.startsWith("AdvanceRole"))));
    expect(text.match(/arn:aws:bedrock:[^"]+/g)).toEqual([
      "arn:aws:bedrock:*:<AWS::AccountId>:inference-profile/eu.anthropic.claude-sonnet-4-5-20250929-v1:0",
      "arn:aws:bedrock:*::foundation-model/amazon.nova-lite-v1:0",
      "arn:aws:bedrock:*::foundation-model/anthropic.claude-sonnet-4-5-20250929-v1:0",
    ]);
    expect(new AwsSolutionsChecks(checked).validateScope(checked).violations).toEqual([]);
  });

  test("name every action in full, and come by a policy of this stack only", () => {
    for (const [, { Action }] of statements) expect([Action].flat().join()).not.toContain("*");
    for (const [, role] of all("AWS::IAM::Role")) {
      expect(role).not.toHaveProperty("ManagedPolicyArns");
      expect(role).not.toHaveProperty("Policies");
    }
  });
});

describe("storage", () => {
  test("keeps the table: restorable, encrypted, protected against deletion", () => {
    template.hasResource("AWS::DynamoDB::GlobalTable", {
      DeletionPolicy: "Retain",
      UpdateReplacePolicy: "Retain",
      Properties: {
        BillingMode: "PAY_PER_REQUEST",
        SSESpecification: { SSEEnabled: true },
        TimeToLiveSpecification: { AttributeName: "expiresAt", Enabled: true },
        Replicas: [
          { DeletionProtectionEnabled: true, PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true } },
        ],
      },
    });
  });

  test("keeps the bucket: private, encrypted, over TLS only", () => {
    template.hasResource("AWS::S3::Bucket", {
      DeletionPolicy: "Retain",
      Properties: {
        BucketEncryption: Match.anyValue(),
        PublicAccessBlockConfiguration: {
          BlockPublicAcls: true,
          BlockPublicPolicy: true,
          IgnorePublicAcls: true,
          RestrictPublicBuckets: true,
        },
      },
    });
    template.hasResourceProperties("AWS::S3::BucketPolicy", {
      PolicyDocument: {
        Statement: Match.arrayWith([
          Match.objectLike({ Effect: "Deny", Action: "s3:*", Condition: { Bool: { "aws:SecureTransport": "false" } } }),
        ]),
      },
    });
  });

  test("goes with the stack where the settings say so", () => {
    const disposable = synthesise({ context: { removal: "destroy" } });
    disposable.template.hasResource("AWS::DynamoDB::GlobalTable", {
      DeletionPolicy: "Delete",
      Properties: { Replicas: [{ DeletionProtectionEnabled: false }] },
    });
    disposable.template.hasResource("AWS::S3::Bucket", { DeletionPolicy: "Delete" });
    disposable.template.resourceCountIs("Custom::S3AutoDeleteObjects", 1);
  });

  test("runs' objects go a day after the runs themselves", () => {
    const { template: other } = synthesise({ context: { retentionDays: 30 } });
    other.hasResourceProperties("AWS::S3::Bucket", {
      LifecycleConfiguration: {
        Rules: [
          { Id: "abandoned-uploads", Status: "Enabled", AbortIncompleteMultipartUpload: { DaysAfterInitiation: 1 } },
          { Id: "expired-workspaces", Status: "Enabled", Prefix: "workspaces/", ExpirationInDays: 31 },
          { Id: "expired-texts", Status: "Enabled", Prefix: "texts/", ExpirationInDays: 31 },
        ],
      },
    });
  });

  test("logs that AWS delivers have the names that its policy for them covers, however many there are", () => {
    const named = all("AWS::Logs::LogGroup").flatMap(([, { LogGroupName }]) => LogGroupName ?? []);
    const names = ["apis", "states"].map((kind) => `/aws/vendedlogs/${kind}/AgentRunService-prod`);
    expect(new Set(named)).toEqual(new Set(names));
  });

  test("logs are kept as long as the settings say", () => {
    const { template: other } = synthesise({ context: { logRetentionDays: "7" } });
    other.allResourcesProperties("AWS::Logs::LogGroup", { RetentionInDays: 7 });
  });
});

test("runs leave room for requests where the settings say so", () => {
  const reserved = (found: typeof all): unknown[] =>
    found("AWS::Lambda::Function").flatMap(([name, { ReservedConcurrentExecutions: kept }]) =>
      kept ? [name, kept] : [],
    );
  expect(reserved(all)).toEqual([]);
  expect(reserved(synthesise({ context: { concurrentRuns: "800" } }).all)).toEqual(["Advance", 800]);
});

describe("cdk-nag", () => {
  test.each(["retain", "destroy"])("finds nothing that is not answered (removal: %s)", (removal) => {
    const { app: checked } = synthesise({ context: { removal } });
    const { violations } = new AwsSolutionsChecks(checked).validateScope(checked);
    expect(violations).toEqual([]);
  });

  test("every answer gives its reason", () => {
    const answers = app.node
      .findAll()
      .flatMap(({ node }) => node.metadata)
      .filter(({ type }) => type === Validations.ACKNOWLEDGED_RULES_METADATA_KEY)
      .flatMap(({ data }) => Object.entries(data as Record<string, string>))
      .filter(([id]) => !id.startsWith("CloudFormation-Validate")); // CDK answers a finding of its own about availability zones
    expect(answers.length).toBeGreaterThan(5);
    for (const [, reason] of answers) expect(reason).toMatch(/^[A-Z].{30,}\.$/);
  });
});
