import {
  InternalServerError,
  ProvisionedThroughputExceededException,
  RequestLimitExceeded,
  ResourceNotFoundException,
  ThrottlingException,
  TransactionCanceledException,
  TransactionInProgressException,
} from "@aws-sdk/client-dynamodb";
import { GetObjectCommand, PutObjectCommand, S3ServiceException } from "@aws-sdk/client-s3";
import { SFNServiceException, StartExecutionCommand } from "@aws-sdk/client-sfn";
import { QueryCommand, TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import { describe, expect, test } from "vitest";
import { StoreUnavailable } from "../../src/errors.ts";
import type { RunChange } from "../../src/runs/run-types.ts";
import { headItem, mockedPlatform, problem, run } from "./aws-mocks.ts";
import { numbered, output } from "./run-fixtures.ts";

const change: RunChange = { runId: "R", expect: { status: "running", turn: 1 } };
const large: RunChange = { ...change, ...numbered(1, { messages: [output(1, "x".repeat(1e5))] }) };

describe("canceled transactions", () => {
  test.each([
    [["ConditionalCheckFailed", "None"]],
    [["None", "ConditionalCheckFailed"]],
    [["TransactionConflict", "ConditionalCheckFailed"]],
  ])("%j: the change lost, and is not tried again", async (codes) => {
    const { runs, dynamo } = mockedPlatform();
    dynamo.on(TransactWriteCommand).rejects(cancelled(codes));
    expect(await runs.change(change)).toBe(false);
    expect(dynamo.commandCalls(TransactWriteCommand)).toHaveLength(1);
  });

  test("contention is retried with the same request token", async () => {
    const { runs, dynamo } = mockedPlatform();
    const conflict = cancelled(["None", "TransactionConflict"]);
    dynamo.on(TransactWriteCommand).rejectsOnce(conflict).rejectsOnce(conflict).resolves({});
    expect(await runs.change(change)).toBe(true);
    const tokens = dynamo.commandCalls(TransactWriteCommand).map((call) => call.args[0].input.ClientRequestToken);
    expect(tokens).toHaveLength(3);
    expect(new Set(tokens).size).toBe(1);
    await runs.change(change);
    expect(dynamo.commandCalls(TransactWriteCommand)[3]?.args[0].input.ClientRequestToken).not.toBe(tokens[0]);
  });

  test("returns false when the condition is false after contention", async () => {
    const { runs, dynamo } = mockedPlatform();
    const [conflict, failed] = [cancelled(["TransactionConflict"]), cancelled(["ConditionalCheckFailed"])];
    dynamo.on(TransactWriteCommand).rejectsOnce(conflict).rejectsOnce(failed);
    expect(await runs.change(change)).toBe(false);
  });

  test.each([
    [["None", "TransactionConflict"]],
    [["ThrottlingError", "None"]],
    [["ProvisionedThroughputExceeded", "TransactionConflict"]],
  ])("%j for five attempts: unavailable", async (codes) => {
    const { runs, dynamo } = mockedPlatform();
    dynamo.on(TransactWriteCommand).rejects(cancelled(codes));
    await expect(runs.change(change)).rejects.toThrow(StoreUnavailable);
    expect(dynamo.commandCalls(TransactWriteCommand)).toHaveLength(5);
  });

  test.each([[["ValidationError", "None"]], [["ValidationError", "TransactionConflict"]], [[]]])(
    "rejects with the client's error after %j",
    async (codes) => {
      const { runs, dynamo } = mockedPlatform();
      dynamo.on(TransactWriteCommand).rejects(cancelled(codes));
      await expect(runs.change(change)).rejects.toThrow(TransactionCanceledException);
      expect(dynamo.commandCalls(TransactWriteCommand)).toHaveLength(1);
    },
  );

  test("creating an existing run rejects with an error other than StoreUnavailable", async () => {
    const { runs, dynamo } = mockedPlatform();
    dynamo.on(TransactWriteCommand).rejects(cancelled(["ConditionalCheckFailed"]));
    const refusal = await runs.create(run, []).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(Error);
    expect(refusal).not.toBeInstanceOf(StoreUnavailable);
    expect(String(refusal)).toContain("run R");
  });
});

const unavailable: [string, Error][] = [
  ["throughput exceeded", new ProvisionedThroughputExceededException(problem(400))],
  ["throttling", new ThrottlingException(problem(400))],
  ["request limit", new RequestLimitExceeded(problem(400))],
  ["a transaction in progress", new TransactionInProgressException(problem(400))],
  ["500", new InternalServerError(problem(500))],
  ["502", service("BadGateway", 502)],
  ["503", service("SlowDown", 503)],
  ["429", service("Whatever", 429)],
  ["S3's time-out", service("RequestTimeout", 400)],
  ["the client's time-out", Object.assign(new Error("timed out"), { name: "TimeoutError" })],
  ...["ECONNRESET", "ECONNREFUSED", "ETIMEDOUT", "EPIPE", "ENOTFOUND", "EAI_AGAIN"].map((code): [string, Error] => {
    return [code, Object.assign(new Error("connection"), { code })];
  }),
];

const sha256 = "a".repeat(64);

test.each(unavailable)("%s: every port rejects with StoreUnavailable and the cause", async (_, error) => {
  const { accounts, runs, workspace, workflow, dynamo, objects, executions } = mockedPlatform();
  dynamo.rejects(error);
  objects.rejects(error);
  executions.rejects(error);
  const calls = [
    accounts.findKey("h"),
    accounts.listOrganizations(),
    runs.create(run, []),
    runs.read("R"),
    runs.load("R"),
    runs.change(change),
    runs.change(large),
    runs.list({ agentIds: ["A"], limit: 1 }),
    runs.listRunning(),
    runs.listEvents("R", 0, 1),
    workspace.write("R", [{ sha256, content: new Uint8Array() }]),
    workspace.read("R", sha256),
    workspace.remove("R", [sha256]),
    workspace.removeAll("R"),
    workflow.start("R", 1),
    workflow.stop("R", 1),
  ];
  for (const outcome of await Promise.allSettled(calls)) {
    expect(outcome).toMatchObject({ status: "rejected", reason: { name: "StoreUnavailable", cause: error } });
  }
});

const passed: [string, Error][] = [
  ["a table that is gone", new ResourceNotFoundException(problem(400))],
  ["access denied", service("AccessDenied", 403)],
  ["expired credentials", service("ExpiredTokenException", 400)],
  ["validation", service("ValidationException", 400)],
  ["a bug", new TypeError("x is not a function")],
];

test.each(passed)("%s: every port rejects with the client's error", async (_, error) => {
  const { accounts, runs, workspace, workflow, dynamo, objects, executions } = mockedPlatform();
  dynamo.rejects(error);
  objects.rejects(error);
  executions.rejects(error);
  const calls = [
    accounts.findAgent("A"),
    runs.read("R"),
    runs.change(large),
    workspace.removeAll("R"),
    workflow.start("R", 1),
  ];
  for (const outcome of await Promise.allSettled(calls)) {
    expect(outcome).toMatchObject({ status: "rejected", reason: error });
    expect(outcome).not.toMatchObject({ reason: { name: "StoreUnavailable" } });
  }
});

test("too many open executions reject with StoreUnavailable", async () => {
  const { workflow, executions } = mockedPlatform();
  const error = new SFNServiceException({ name: "ExecutionLimitExceeded", $fault: "client", ...problem(400) });
  executions.on(StartExecutionCommand).rejects(error);
  await expect(workflow.start("R", 1)).rejects.toThrow(StoreUnavailable);
});

test("a transcript that lacks a counted message rejects with StoreUnavailable", async () => {
  const { runs, dynamo } = mockedPlatform();
  dynamo.on(QueryCommand).resolves({ Items: [headItem] });
  await expect(runs.read("R")).rejects.toThrow(StoreUnavailable);
  await expect(runs.load("R")).rejects.toThrow(StoreUnavailable);
});

test("a large text that is missing from the bucket rejects with an error", async () => {
  const { runs, dynamo, objects } = mockedPlatform();
  const message = { pk: "RUN#R", sk: "MESSAGE#00001#input_to_agent", role: "input_to_agent", textKey: "texts/R/x" };
  dynamo.on(QueryCommand).resolves({ Items: [headItem, message] });
  objects.on(GetObjectCommand).rejects(service("NoSuchKey", 404));
  const error = await runs.read("R").catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(Error);
  expect(error).not.toBeInstanceOf(StoreUnavailable);
});

test("nothing is written when a large text cannot be stored", async () => {
  const { runs, dynamo, objects } = mockedPlatform();
  objects.on(PutObjectCommand).rejects(service("SlowDown", 503));
  await expect(runs.change(large)).rejects.toThrow(StoreUnavailable);
  expect(dynamo.commandCalls(TransactWriteCommand)).toHaveLength(0);
});

function service(name: string, status: number): S3ServiceException {
  return new S3ServiceException({ name, $fault: status < 500 ? "client" : "server", ...problem(status) });
}

function cancelled(codes: string[]): TransactionCanceledException {
  return new TransactionCanceledException({
    $metadata: { httpStatusCode: 400 },
    message: "cancelled",
    CancellationReasons: codes.map((Code) => ({ Code })),
  });
}
