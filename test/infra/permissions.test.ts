import { AwsSolutionsChecks } from "cdk-nag";
import { expect, test } from "vitest";
import { short, synthesize } from "./synth.ts";

const { all } = synthesize();
const list = (value: unknown): string => [value].flat().join(", ");

const policies = [...all("AWS::IAM::Policy"), ...all("AWS::IAM::ManagedPolicy")];
const statements = policies.flatMap(([name, { PolicyDocument }]) => {
  const { Statement } = PolicyDocument as { Statement: Record<string, unknown>[] };
  return Statement.map((statement): [string, Record<string, unknown>] => [name, statement]);
});

test("permissions match the snapshot", () => {
  const lines = statements.map(([name, { Effect, Action, Resource, Condition }]) => {
    const condition = Condition ? ` if ${JSON.stringify(Condition)}` : "";
    return `${name.replace(/(Role)?DefaultPolicy$/, "")}: ${list(Effect)} ${list(Action)} on ${list(short(Resource))}${condition}`;
  });
  expect(lines).toMatchInlineSnapshot(`
    [
      "Advance: Allow logs:CreateLogStream, logs:PutLogEvents on <AdvanceLog.Arn>",
      "Advance: Allow dynamodb:GetItem on <StorageTable.Arn> if {"ForAllValues:StringLike":{"dynamodb:LeadingKeys":["AGENT#*","ORG#*"]}}",
      "Advance: Allow dynamodb:GetItem, dynamodb:PutItem on <StorageTable.Arn> if {"ForAllValues:StringLike":{"dynamodb:LeadingKeys":["CONFIG#*"]}}",
      "Advance: Allow dynamodb:Query on <StorageTable.Arn> if {"ForAllValues:StringLike":{"dynamodb:LeadingKeys":["RUN#*"]}}",
      "Advance: Allow dynamodb:ConditionCheckItem, dynamodb:PutItem, dynamodb:UpdateItem on <StorageTable.Arn> if {"ForAllValues:StringLike":{"dynamodb:LeadingKeys":["RUN#*","COUNT#*","DELIVERY#*"]}}",
      "Advance: Allow dynamodb:Query on <StorageTable.Arn> if {"ForAllValues:StringLike":{"dynamodb:LeadingKeys":["COUNT#*"]}}",
      "Advance: Allow dynamodb:Query on <StorageTable.Arn>/index/gsi2 if {"ForAllValues:StringLike":{"dynamodb:LeadingKeys":["WAITING#*"]}}",
      "Advance: Allow s3:GetObject, s3:PutObject on <StorageBucket.Arn>/environments/*, <StorageBucket.Arn>/staging/*, <StorageBucket.Arn>/texts/*, <StorageBucket.Arn>/workspaces/*",
      "Advance: Allow s3:DeleteObject on <StorageBucket.Arn>/workspaces/*",
      "Advance: Allow s3:ListBucket on <StorageBucket.Arn>",
      "Advance: Allow secretsmanager:GetSecretValue on arn:aws:secretsmanager:<AWS::Region>:<AWS::AccountId>:secret:agent-run-service/prod/*",
      "Advance: Allow lambda:InvokeFunction on <SandboxEnvironmentlinux.Arn>",
      "SandboxEnvironmentlinux: Allow logs:CreateLogStream, logs:PutLogEvents on <SandboxEnvironmentlinuxLog.Arn>",
      "SandboxEnvironmentlinux: Allow ec2:AssignPrivateIpAddresses, ec2:CreateNetworkInterface, ec2:DeleteNetworkInterface, ec2:DescribeNetworkInterfaces, ec2:DescribeSubnets, ec2:UnassignPrivateIpAddresses on *",
      "SandboxEnvironmentlinux: Deny ec2:AssignPrivateIpAddresses, ec2:CreateNetworkInterface, ec2:DeleteNetworkInterface, ec2:DescribeNetworkInterfaces, ec2:DescribeSubnets, ec2:UnassignPrivateIpAddresses on * if {"Null":{"lambda:SourceFunctionArn":"false"}}",
      "Fail: Allow logs:CreateLogStream, logs:PutLogEvents on <FailLog.Arn>",
      "Fail: Allow dynamodb:PutItem, dynamodb:UpdateItem on <StorageTable.Arn> if {"ForAllValues:StringLike":{"dynamodb:LeadingKeys":["RUN#*","COUNT#*","DELIVERY#*"]}}",
      "WorkflowStateMachine: Allow lambda:InvokeFunction on <Advance.Arn>, <Fail.Arn>, <Advance.Arn>:*, <Fail.Arn>:*",
      "WorkflowStateMachine: Allow logs:CreateLogDelivery, logs:DeleteLogDelivery, logs:DescribeLogGroups, logs:DescribeResourcePolicies, logs:GetLogDelivery, logs:ListLogDeliveries, logs:PutResourcePolicy, logs:UpdateLogDelivery, xray:GetSamplingRules, xray:GetSamplingTargets, xray:PutTelemetryRecords, xray:PutTraceSegments on *",
      "WorkflowStartNext: Allow states:StartExecution on <WorkflowStateMachine>",
      "Reconcile: Allow logs:CreateLogStream, logs:PutLogEvents on <ReconcileLog.Arn>",
      "Reconcile: Allow sqs:SendMessage on <DeadLetters.Arn>",
      "Reconcile: Allow dynamodb:Query on <StorageTable.Arn> if {"ForAllValues:StringLike":{"dynamodb:LeadingKeys":["RUN#*"]}}",
      "Reconcile: Allow dynamodb:PutItem, dynamodb:UpdateItem on <StorageTable.Arn> if {"ForAllValues:StringLike":{"dynamodb:LeadingKeys":["RUN#*","COUNT#*","DELIVERY#*"]}}",
      "Sweep: Allow logs:CreateLogStream, logs:PutLogEvents on <SweepLog.Arn>",
      "Sweep: Allow sqs:SendMessage on <DeadLetters.Arn>",
      "Sweep: Allow dynamodb:Query on <StorageTable.Arn>/index/gsi2 if {"ForAllValues:StringLike":{"dynamodb:LeadingKeys":["RUNNING#*","WAITING#*","COUNT#*"]}}",
      "Sweep: Allow dynamodb:PutItem, dynamodb:UpdateItem on <StorageTable.Arn> if {"ForAllValues:StringLike":{"dynamodb:LeadingKeys":["RUN#*","COUNT#*","DELIVERY#*"]}}",
      "Sweep: Allow dynamodb:Query on <StorageTable.Arn> if {"ForAllValues:StringLike":{"dynamodb:LeadingKeys":["COUNT#*"]}}",
      "Sweep: Allow dynamodb:GetItem on <StorageTable.Arn> if {"ForAllValues:StringLike":{"dynamodb:LeadingKeys":["AGENT#*","ORG#*"]}}",
      "Sweep: Allow states:ListExecutions, states:StartExecution on <WorkflowStateMachine>",
      "Sweep: Allow states:DescribeExecution, states:StopExecution on arn:aws:states:<AWS::Region>:<AWS::AccountId>:execution:<WorkflowStateMachine.Name>:*",
      "EnqueueDelivery: Allow logs:CreateLogStream, logs:PutLogEvents on <EnqueueDeliveryLog.Arn>",
      "EnqueueDelivery: Allow sqs:SendMessage on <DeadLetters.Arn>, <DeliveriesDue.Arn>",
      "EnqueueDelivery: Allow dynamodb:DescribeStream, dynamodb:GetRecords, dynamodb:GetShardIterator on <StorageTable.StreamArn>",
      "EnqueueDelivery: Allow dynamodb:ListStreams on *",
      "SendDelivery: Allow logs:CreateLogStream, logs:PutLogEvents on <SendDeliveryLog.Arn>",
      "SendDelivery: Allow dynamodb:Query on <StorageTable.Arn> if {"ForAllValues:StringLike":{"dynamodb:LeadingKeys":["RUN#*"]}}",
      "SendDelivery: Allow dynamodb:GetItem on <StorageTable.Arn> if {"ForAllValues:StringLike":{"dynamodb:LeadingKeys":["WEBHOOK#*","DELIVERY#*"]}}",
      "SendDelivery: Allow dynamodb:UpdateItem on <StorageTable.Arn> if {"ForAllValues:StringLike":{"dynamodb:LeadingKeys":["DELIVERY#*"]}}",
      "SendDelivery: Allow dynamodb:PutItem on <StorageTable.Arn> if {"ForAllValues:StringLike":{"dynamodb:LeadingKeys":["WEBHOOK#*"]}}",
      "SendDelivery: Allow sqs:DeleteMessage, sqs:GetQueueAttributes, sqs:ReceiveMessage, sqs:SendMessage on <DeliveriesDue.Arn>",
      "SendDelivery: Allow scheduler:CreateSchedule on arn:aws:scheduler:<AWS::Region>:<AWS::AccountId>:schedule/AgentRunService-prod/*",
      "SendDelivery: Allow iam:PassRole on <DeliveriesSchedulerRole.Arn> if {"StringEquals":{"iam:PassedToService":"scheduler.amazonaws.com"}}",
      "DeliveriesScheduler: Allow sqs:SendMessage on <DeliveriesDue.Arn>",
      "Create: Allow logs:CreateLogStream, logs:PutLogEvents on <CreateLog.Arn>",
      "Create: Allow dynamodb:GetItem on <StorageTable.Arn> if {"ForAllValues:StringLike":{"dynamodb:LeadingKeys":["KEY#*","AGENT#*","ORG#*"]}}",
      "Create: Allow dynamodb:GetItem on <StorageTable.Arn> if {"ForAllValues:StringLike":{"dynamodb:LeadingKeys":["WEBHOOK#*"]},"ForAllValues:StringEquals":{"dynamodb:Attributes":["pk","sk","state"]},"StringEqualsIfExists":{"dynamodb:ReturnValues":["NONE","UPDATED_OLD","UPDATED_NEW"],"dynamodb:Select":"SPECIFIC_ATTRIBUTES"}}",
      "Create: Allow dynamodb:UpdateItem on <StorageTable.Arn> if {"ForAllValues:StringLike":{"dynamodb:LeadingKeys":["KEY#*"]},"ForAllValues:StringEquals":{"dynamodb:Attributes":["pk","sk","lastUsedAt"]},"StringEqualsIfExists":{"dynamodb:ReturnValues":["NONE","UPDATED_OLD","UPDATED_NEW"],"dynamodb:Select":"SPECIFIC_ATTRIBUTES"}}",
      "Create: Allow dynamodb:ConditionCheckItem, dynamodb:PutItem, dynamodb:UpdateItem on <StorageTable.Arn> if {"ForAllValues:StringLike":{"dynamodb:LeadingKeys":["RUN#*","COUNT#*","DELIVERY#*"]}}",
      "Create: Allow dynamodb:Query on <StorageTable.Arn> if {"ForAllValues:StringLike":{"dynamodb:LeadingKeys":["COUNT#*"]}}",
      "Create: Allow dynamodb:Query on <StorageTable.Arn>/index/gsi2 if {"ForAllValues:StringLike":{"dynamodb:LeadingKeys":["WAITING#*"]}}",
      "Create: Allow s3:PutObject on <StorageBucket.Arn>/texts/*, <StorageBucket.Arn>/workspaces/*",
      "Create: Allow s3:DeleteObject on <StorageBucket.Arn>/workspaces/*",
      "Create: Allow states:StartExecution on <WorkflowStateMachine>",
      "Get: Allow logs:CreateLogStream, logs:PutLogEvents on <GetLog.Arn>",
      "Get: Allow dynamodb:GetItem on <StorageTable.Arn> if {"ForAllValues:StringLike":{"dynamodb:LeadingKeys":["KEY#*"]}}",
      "Get: Allow dynamodb:UpdateItem on <StorageTable.Arn> if {"ForAllValues:StringLike":{"dynamodb:LeadingKeys":["KEY#*"]},"ForAllValues:StringEquals":{"dynamodb:Attributes":["pk","sk","lastUsedAt"]},"StringEqualsIfExists":{"dynamodb:ReturnValues":["NONE","UPDATED_OLD","UPDATED_NEW"],"dynamodb:Select":"SPECIFIC_ATTRIBUTES"}}",
      "Get: Allow dynamodb:Query on <StorageTable.Arn> if {"ForAllValues:StringLike":{"dynamodb:LeadingKeys":["RUN#*"]}}",
      "Get: Allow s3:GetObject on <StorageBucket.Arn>/texts/*",
      "ExtRead: Allow logs:CreateLogStream, logs:PutLogEvents on <ExtReadLog.Arn>",
      "ExtRead: Allow dynamodb:GetItem on <StorageTable.Arn> if {"ForAllValues:StringLike":{"dynamodb:LeadingKeys":["KEY#*","AGENT#*","ORG#*"]}}",
      "ExtRead: Allow dynamodb:Query on <StorageTable.Arn> if {"ForAllValues:StringLike":{"dynamodb:LeadingKeys":["RUN#*"]}}",
      "ExtRead: Allow dynamodb:GetItem on <StorageTable.Arn> if {"ForAllValues:StringLike":{"dynamodb:LeadingKeys":["WEBHOOK#*"]},"ForAllValues:StringEquals":{"dynamodb:Attributes":["pk","sk","state"]},"StringEqualsIfExists":{"dynamodb:ReturnValues":["NONE","UPDATED_OLD","UPDATED_NEW"],"dynamodb:Select":"SPECIFIC_ATTRIBUTES"}}",
      "ExtRead: Allow dynamodb:UpdateItem on <StorageTable.Arn> if {"ForAllValues:StringLike":{"dynamodb:LeadingKeys":["KEY#*"]},"ForAllValues:StringEquals":{"dynamodb:Attributes":["pk","sk","lastUsedAt"]},"StringEqualsIfExists":{"dynamodb:ReturnValues":["NONE","UPDATED_OLD","UPDATED_NEW"],"dynamodb:Select":"SPECIFIC_ATTRIBUTES"}}",
      "ExtRead: Allow dynamodb:GetItem on <StorageTable.Arn> if {"ForAllValues:StringLike":{"dynamodb:LeadingKeys":["CONFIG#*"]}}",
      "ExtRead: Allow dynamodb:Query on <StorageTable.Arn>/index/gsi1 if {"ForAllValues:StringLike":{"dynamodb:LeadingKeys":["RUNS#*"]}}",
      "ExtRead: Allow s3:GetObject on <StorageBucket.Arn>/texts/*, <StorageBucket.Arn>/workspaces/*",
      "ExtRead: Allow s3:ListBucket on <StorageBucket.Arn>",
      "ExtWrite: Allow logs:CreateLogStream, logs:PutLogEvents on <ExtWriteLog.Arn>",
      "ExtWrite: Allow dynamodb:GetItem on <StorageTable.Arn> if {"ForAllValues:StringLike":{"dynamodb:LeadingKeys":["KEY#*","AGENT#*","ORG#*"]}}",
      "ExtWrite: Allow dynamodb:Query on <StorageTable.Arn> if {"ForAllValues:StringLike":{"dynamodb:LeadingKeys":["RUN#*"]}}",
      "ExtWrite: Allow dynamodb:GetItem on <StorageTable.Arn> if {"ForAllValues:StringLike":{"dynamodb:LeadingKeys":["WEBHOOK#*"]},"ForAllValues:StringEquals":{"dynamodb:Attributes":["pk","sk","state"]},"StringEqualsIfExists":{"dynamodb:ReturnValues":["NONE","UPDATED_OLD","UPDATED_NEW"],"dynamodb:Select":"SPECIFIC_ATTRIBUTES"}}",
      "ExtWrite: Allow dynamodb:UpdateItem on <StorageTable.Arn> if {"ForAllValues:StringLike":{"dynamodb:LeadingKeys":["KEY#*"]},"ForAllValues:StringEquals":{"dynamodb:Attributes":["pk","sk","lastUsedAt"]},"StringEqualsIfExists":{"dynamodb:ReturnValues":["NONE","UPDATED_OLD","UPDATED_NEW"],"dynamodb:Select":"SPECIFIC_ATTRIBUTES"}}",
      "ExtWrite: Allow dynamodb:ConditionCheckItem, dynamodb:PutItem, dynamodb:UpdateItem on <StorageTable.Arn> if {"ForAllValues:StringLike":{"dynamodb:LeadingKeys":["RUN#*","COUNT#*","DELIVERY#*","IDEMPOTENCY#*"]}}",
      "ExtWrite: Allow dynamodb:Query on <StorageTable.Arn> if {"ForAllValues:StringLike":{"dynamodb:LeadingKeys":["COUNT#*"]}}",
      "ExtWrite: Allow dynamodb:Query on <StorageTable.Arn>/index/gsi2 if {"ForAllValues:StringLike":{"dynamodb:LeadingKeys":["WAITING#*"]}}",
      "ExtWrite: Allow dynamodb:GetItem on <StorageTable.Arn> if {"ForAllValues:StringLike":{"dynamodb:LeadingKeys":["IDEMPOTENCY#*"]}}",
      "ExtWrite: Allow dynamodb:GetItem, dynamodb:PutItem, dynamodb:Query on <StorageTable.Arn> if {"ForAllValues:StringLike":{"dynamodb:LeadingKeys":["UPLOAD#*"]}}",
      "ExtWrite: Allow s3:DeleteObject, s3:GetObject on <StorageBucket.Arn>/texts/*, <StorageBucket.Arn>/uploads/*",
      "ExtWrite: Allow s3:PutObject on <StorageBucket.Arn>/texts/*, <StorageBucket.Arn>/uploads/*, <StorageBucket.Arn>/workspaces/*",
      "ExtWrite: Allow s3:DeleteObject on <StorageBucket.Arn>/workspaces/*",
      "ExtWrite: Allow s3:ListBucket on <StorageBucket.Arn>",
      "ExtWrite: Allow states:StartExecution on <WorkflowStateMachine>",
      "ExtWrite: Allow states:StopExecution on arn:aws:states:<AWS::Region>:<AWS::AccountId>:execution:<WorkflowStateMachine.Name>:*",
      "ExtWrite: Allow dynamodb:DeleteItem on <StorageTable.Arn> if {"ForAllValues:StringLike":{"dynamodb:LeadingKeys":["RUN#*","UPLOAD#*"]}}",
      "Mcp: Allow logs:CreateLogStream, logs:PutLogEvents on <McpLog.Arn>",
      "Mcp: Allow dynamodb:GetItem on <StorageTable.Arn> if {"ForAllValues:StringLike":{"dynamodb:LeadingKeys":["KEY#*","AGENT#*","ORG#*"]}}",
      "Mcp: Allow dynamodb:Query on <StorageTable.Arn> if {"ForAllValues:StringLike":{"dynamodb:LeadingKeys":["RUN#*"]}}",
      "Mcp: Allow dynamodb:GetItem on <StorageTable.Arn> if {"ForAllValues:StringLike":{"dynamodb:LeadingKeys":["WEBHOOK#*"]},"ForAllValues:StringEquals":{"dynamodb:Attributes":["pk","sk","state"]},"StringEqualsIfExists":{"dynamodb:ReturnValues":["NONE","UPDATED_OLD","UPDATED_NEW"],"dynamodb:Select":"SPECIFIC_ATTRIBUTES"}}",
      "Mcp: Allow dynamodb:UpdateItem on <StorageTable.Arn> if {"ForAllValues:StringLike":{"dynamodb:LeadingKeys":["KEY#*"]},"ForAllValues:StringEquals":{"dynamodb:Attributes":["pk","sk","lastUsedAt"]},"StringEqualsIfExists":{"dynamodb:ReturnValues":["NONE","UPDATED_OLD","UPDATED_NEW"],"dynamodb:Select":"SPECIFIC_ATTRIBUTES"}}",
      "Mcp: Allow dynamodb:ConditionCheckItem, dynamodb:PutItem, dynamodb:UpdateItem on <StorageTable.Arn> if {"ForAllValues:StringLike":{"dynamodb:LeadingKeys":["RUN#*","COUNT#*","DELIVERY#*","IDEMPOTENCY#*"]}}",
      "Mcp: Allow dynamodb:Query on <StorageTable.Arn> if {"ForAllValues:StringLike":{"dynamodb:LeadingKeys":["COUNT#*"]}}",
      "Mcp: Allow dynamodb:Query on <StorageTable.Arn>/index/gsi2 if {"ForAllValues:StringLike":{"dynamodb:LeadingKeys":["WAITING#*"]}}",
      "Mcp: Allow dynamodb:GetItem on <StorageTable.Arn> if {"ForAllValues:StringLike":{"dynamodb:LeadingKeys":["IDEMPOTENCY#*"]}}",
      "Mcp: Allow dynamodb:GetItem, dynamodb:PutItem on <StorageTable.Arn> if {"ForAllValues:StringLike":{"dynamodb:LeadingKeys":["UPLOAD#*"]}}",
      "Mcp: Allow s3:GetObject on <StorageBucket.Arn>/texts/*, <StorageBucket.Arn>/uploads/*, <StorageBucket.Arn>/workspaces/*",
      "Mcp: Allow s3:PutObject on <StorageBucket.Arn>/texts/*, <StorageBucket.Arn>/workspaces/*",
      "Mcp: Allow s3:DeleteObject on <StorageBucket.Arn>/workspaces/*",
      "Mcp: Allow s3:ListBucket on <StorageBucket.Arn>",
      "Mcp: Allow states:StartExecution on <WorkflowStateMachine>",
      "Mcp: Allow states:StopExecution on arn:aws:states:<AWS::Region>:<AWS::AccountId>:execution:<WorkflowStateMachine.Name>:*",
      "Openapi: Allow logs:CreateLogStream, logs:PutLogEvents on <OpenapiLog.Arn>",
      "NotFound: Allow logs:CreateLogStream, logs:PutLogEvents on <NotFoundLog.Arn>",
      "OperatorPolicy: Allow dynamodb:GetItem on <StorageTable.Arn> if {"ForAllValues:StringLike":{"dynamodb:LeadingKeys":["ORG#*","AGENT#*","KEY#*","CONFIG#*","DELIVERY#*","OPERATORS"]}}",
      "OperatorPolicy: Allow dynamodb:GetItem on <StorageTable.Arn> if {"ForAllValues:StringLike":{"dynamodb:LeadingKeys":["WEBHOOK#*"]},"ForAllValues:StringEquals":{"dynamodb:Attributes":["pk","sk","view"]},"StringEqualsIfExists":{"dynamodb:ReturnValues":["NONE","UPDATED_OLD","UPDATED_NEW"],"dynamodb:Select":"SPECIFIC_ATTRIBUTES"}}",
      "OperatorPolicy: Allow dynamodb:Query on <StorageTable.Arn> if {"ForAllValues:StringLike":{"dynamodb:LeadingKeys":["RUN#*","AGENT#*","AUDIT","COUNT#*","OPERATORS"]}}",
      "OperatorPolicy: Allow dynamodb:BatchGetItem on <StorageTable.Arn> if {"ForAllValues:StringLike":{"dynamodb:LeadingKeys":["RUN#*"]}}",
      "OperatorPolicy: Allow dynamodb:Query on <StorageTable.Arn>/index/gsi3 if {"ForAllValues:StringLike":{"dynamodb:LeadingKeys":["*"]}}",
      "OperatorPolicy: Allow dynamodb:Query on <StorageTable.Arn>/index/gsi2 if {"ForAllValues:StringLike":{"dynamodb:LeadingKeys":["WAITING#*"]}}",
      "OperatorPolicy: Allow dynamodb:Query on <StorageTable.Arn>/index/gsi1 if {"ForAllValues:StringLike":{"dynamodb:LeadingKeys":["ORGS","AGENTS","KEYS#*","RUNS#*","DELIVERIES#*"]}}",
      "OperatorPolicy: Allow dynamodb:ConditionCheckItem, dynamodb:PutItem, dynamodb:UpdateItem on <StorageTable.Arn> if {"ForAllValues:StringLike":{"dynamodb:LeadingKeys":["ORG#*","AGENT#*","KEY#*","WEBHOOK#*","RUN#*","COUNT#*","DELIVERY#*","AUDIT","OPERATORS"]}}",
      "OperatorPolicy: Allow dynamodb:GetItem on <StorageTable.Arn> if {"ForAllValues:StringLike":{"dynamodb:LeadingKeys":["WEBHOOK#*"]}}",
      "OperatorPolicy: Allow dynamodb:DeleteItem on <StorageTable.Arn> if {"ForAllValues:StringLike":{"dynamodb:LeadingKeys":["ORG#*","AGENT#*","KEY#*","WEBHOOK#*","RUN#*","COUNT#*","DELIVERY#*","CONFIG#*","UPLOAD#*"]}}",
      "OperatorPolicy: Allow dynamodb:Query on <StorageTable.Arn> if {"ForAllValues:StringLike":{"dynamodb:LeadingKeys":["UPLOAD#*","CONFIG#*"]}}",
      "OperatorPolicy: Allow states:StartExecution on <WorkflowStateMachine>",
      "OperatorPolicy: Allow states:StopExecution on arn:aws:states:<AWS::Region>:<AWS::AccountId>:execution:<WorkflowStateMachine.Name>:*",
      "OperatorPolicy: Allow s3:GetObject on <StorageBucket.Arn>/environments/*, <StorageBucket.Arn>/texts/*, <StorageBucket.Arn>/workspaces/*",
      "OperatorPolicy: Allow s3:PutObject on <StorageBucket.Arn>/texts/*, <StorageBucket.Arn>/workspaces/*",
      "OperatorPolicy: Allow s3:DeleteObject on <StorageBucket.Arn>/texts/*, <StorageBucket.Arn>/uploads/*, <StorageBucket.Arn>/workspaces/*",
      "OperatorPolicy: Allow s3:ListBucket on <StorageBucket.Arn>",
      "OperatorPolicy: Allow secretsmanager:DescribeSecret on arn:aws:secretsmanager:<AWS::Region>:<AWS::AccountId>:secret:agent-run-service/prod/*",
      "OperatorPolicy: Allow cloudformation:DescribeStacks on arn:aws:cloudformation:<AWS::Region>:<AWS::AccountId>:stack/AgentRunFrontDoor-prod/*, arn:aws:cloudformation:<AWS::Region>:<AWS::AccountId>:stack/AgentRunService-prod/*",
      "ViewerPolicy: Allow dynamodb:GetItem on <StorageTable.Arn> if {"ForAllValues:StringLike":{"dynamodb:LeadingKeys":["ORG#*","AGENT#*","KEY#*","CONFIG#*","DELIVERY#*","OPERATORS"]}}",
      "ViewerPolicy: Allow dynamodb:GetItem on <StorageTable.Arn> if {"ForAllValues:StringLike":{"dynamodb:LeadingKeys":["WEBHOOK#*"]},"ForAllValues:StringEquals":{"dynamodb:Attributes":["pk","sk","view"]},"StringEqualsIfExists":{"dynamodb:ReturnValues":["NONE","UPDATED_OLD","UPDATED_NEW"],"dynamodb:Select":"SPECIFIC_ATTRIBUTES"}}",
      "ViewerPolicy: Allow dynamodb:Query on <StorageTable.Arn> if {"ForAllValues:StringLike":{"dynamodb:LeadingKeys":["RUN#*","AGENT#*","AUDIT","COUNT#*","OPERATORS"]}}",
      "ViewerPolicy: Allow dynamodb:BatchGetItem on <StorageTable.Arn> if {"ForAllValues:StringLike":{"dynamodb:LeadingKeys":["RUN#*"]}}",
      "ViewerPolicy: Allow dynamodb:Query on <StorageTable.Arn>/index/gsi3 if {"ForAllValues:StringLike":{"dynamodb:LeadingKeys":["*"]}}",
      "ViewerPolicy: Allow dynamodb:Query on <StorageTable.Arn>/index/gsi2 if {"ForAllValues:StringLike":{"dynamodb:LeadingKeys":["WAITING#*"]}}",
      "ViewerPolicy: Allow dynamodb:Query on <StorageTable.Arn>/index/gsi1 if {"ForAllValues:StringLike":{"dynamodb:LeadingKeys":["ORGS","AGENTS","KEYS#*","RUNS#*","DELIVERIES#*"]}}",
      "ViewerPolicy: Allow s3:GetObject on <StorageBucket.Arn>/environments/*, <StorageBucket.Arn>/texts/*, <StorageBucket.Arn>/workspaces/*",
      "ViewerPolicy: Allow s3:ListBucket on <StorageBucket.Arn>",
      "ViewerPolicy: Allow secretsmanager:DescribeSecret on arn:aws:secretsmanager:<AWS::Region>:<AWS::AccountId>:secret:agent-run-service/prod/*",
      "ViewerPolicy: Allow cloudformation:DescribeStacks on arn:aws:cloudformation:<AWS::Region>:<AWS::AccountId>:stack/AgentRunFrontDoor-prod/*, arn:aws:cloudformation:<AWS::Region>:<AWS::AccountId>:stack/AgentRunService-prod/*",
    ]
  `);
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

test("the policy of viewers changes nothing and reads no secret", () => {
  const actions = statements.flatMap(([name, { Action }]) => (name === "ViewerPolicy" ? [Action].flat() : []));
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
