import { S3Client } from "@aws-sdk/client-s3";
import { SFNClient } from "@aws-sdk/client-sfn";
import type { GetCommand, PutCommand, QueryCommand, TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import { mockClient } from "aws-sdk-client-mock";
import { vi } from "vitest";
import type { Run, RunJournalEntry } from "../../src/runs/run-types.ts";
import { documentClient } from "../../src/platform/aws/sdk/clients.ts";
import { awsStores } from "../../src/platform/aws/open-platform.ts";
import { awsWorkflow } from "../../src/platform/aws/workflow.ts";

const region = "eu-central-1";
export const stateMachineArn = "arn:aws-cn:states:cn-north-1:1:stateMachine:Turns-stateMachine";

/** AWS stores and workflow over mocked clients: table `T`, bucket `B`. Each test opens its own. */
export function mockedPlatform() {
  const documents = documentClient({ region });
  const s3 = new S3Client({ region });
  const sfn = new SFNClient({ region });
  const openS3 = vi.fn(async () => s3);
  return {
    ...awsStores({ documents, s3: openS3, table: "T", bucket: "B" }),
    workflow: awsWorkflow({ sfn, stateMachineArn }),
    dynamo: mockClient(documents),
    objects: mockClient(s3),
    executions: mockClient(sfn),
    openS3,
  };
}

type Dynamo = ReturnType<typeof mockedPlatform>["dynamo"];

/** Inputs of the commands of one kind, in the order of sending. */
export function inputs(
  dynamo: Dynamo,
  command: typeof GetCommand | typeof PutCommand | typeof QueryCommand | typeof TransactWriteCommand,
) {
  return dynamo.commandCalls(command as typeof GetCommand).map((call) => call.args[0].input);
}

export const run: Run = {
  id: "R",
  agentId: "A",
  organizationId: "O",
  name: "Run",
  status: "running",
  turn: 1,
  createdAt: 1_763_000_000_000,
  updatedAt: 1_763_000_000_001,
  sequence: 1,
};

const shard = 5; // CRC-32 of "R" modulo 16

export const headItem = {
  ...run,
  pk: "RUN#R",
  sk: "HEAD",
  messageCount: 1,
  transcriptBytes: 2,
  gsi1pk: `RUNS#A#${shard}`,
  gsi1sk: "001763000000000#R",
  gsi2pk: `RUNNING#${shard}`,
  gsi2sk: "R",
};

const recordedAt = 1_763_000_000_002;

export const inputItem = {
  pk: "RUN#R",
  sk: "MESSAGE#00001#input_to_agent",
  turn: 1,
  role: "input_to_agent",
  sequence: 1,
  at: recordedAt,
  text: "hi",
};

const step = {
  turn: 1,
  step: 12,
  part: "result",
  call: 3,
  result: { callId: "c", name: "n", text: "" },
} as const satisfies RunJournalEntry;

/** The item of an entry that is the event with this number. */
export function stepItem(turn: number, sequence: number) {
  const sk = `SEQUENCE#${99_999_999 - sequence}`;
  return { pk: "RUN#R", sk, turn, sequence, at: recordedAt, text: JSON.stringify({ ...step, turn }) };
}

/** The entry of `stepItem`. */
export function stepEntry(turn: number, sequence: number) {
  return { ...step, turn, sequence, at: recordedAt };
}

/** An AWS error response. */
export function problem(httpStatusCode: number) {
  return { $metadata: { httpStatusCode }, message: "no" };
}
