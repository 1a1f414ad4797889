import type { ServerResponse } from "node:http";
import { DescribeExecutionCommand } from "@aws-sdk/client-sfn";
import { ListObjectsV2Command } from "@aws-sdk/client-s3";
import { QueryCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { documentClient, s3Client, sfnClient } from "../../lambdas/stores/aws/clients.ts";
import { chatServer, chunk, refuses, send, startStream, usageChunk } from "../wire/chat-completions-server.ts";
import { cdk } from "./cdk.ts";
import { admin, client, conformance, emulated, forwardTo, stackOutputs } from "./service.ts";

const settings = emulated();
const documents = documentClient(settings);
const sfn = sfnClient(settings);

let outputs: Record<string, string>;
let forwarder: Awaited<ReturnType<typeof forwardTo>>;

beforeAll(async () => {
  outputs = await stackOutputs();
  forwarder = await forwardTo(outputs["ApiUrl"] ?? "");
});
afterAll(() => {
  forwarder.close();
  documents.destroy();
  sfn.destroy();
});

/** An organization with this model, an agent and a key, made by the operator's command line. */
async function newAgent(...model: string[]) {
  const { id: org = "" } = await admin("org", "create", "--name", "Deploy test");
  await admin("org", "set-model", org, ...model);
  const { id = "" } = await admin("agent", "create", "--file", "examples/assistant.json", "--org", org);
  const { api_key = "" } = await admin("key", "create", "--agent", id);
  return { id, key: api_key, api: client(forwarder.baseUrl, id, api_key) };
}

async function itemsOf(runId: string): Promise<Record<string, unknown>[]> {
  const { Items = [] } = await documents.send(
    new QueryCommand({
      TableName: outputs["TableName"],
      KeyConditionExpression: "pk = :pk",
      ExpressionAttributeValues: { ":pk": `RUN#${runId}` },
    }),
  );
  return Items;
}

async function objectsOf(runId: string): Promise<string[]> {
  const s3 = await s3Client(settings);
  const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket: outputs["BucketName"] }));
  s3.destroy();
  return Contents.map(({ Key = "" }) => Key).filter((key) => key.includes(runId));
}

async function execution(runId: string, turn: number) {
  const arn = outputs["StateMachineArn"]?.replace(":stateMachine:", ":execution:") ?? "";
  return sfn.send(new DescribeExecutionCommand({ executionArn: `${arn}:${runId}-${turn}` }));
}

/** The options of a model server at this address. */
function server(baseUrl: string): string[] {
  return ["--provider", "openai-compatible", "--base-url", baseUrl, "--model", "m"];
}

function answer(response: ServerResponse | undefined): void {
  if (!response) throw new Error("no model call is in flight");
  startStream(response);
  send(response, chunk({ content: "Thought through." }), chunk({}, { finish_reason: "stop" }), usageChunk, "[DONE]");
  response.end();
}

describe("an agent of the demo model", () => {
  let agent: Awaited<ReturnType<typeof newAgent>>;
  let runId: string;
  beforeAll(async () => {
    agent = await newAgent("--provider", "demo");
  });

  test("keeps the whole contract, 10 MiB of files included", { timeout: 300_000 }, async () => {
    const other = await newAgent("--provider", "demo");
    const { api_key: disabled = "", hash = "" } = await admin("key", "create", "--agent", agent.id);
    await admin("key", "disable", hash);
    const target = ["--base-url", forwarder.baseUrl, "--template-id", agent.id, "--quotes-files"];
    const keys = ["--api-key", agent.key, "--other-api-key", other.key, "--disabled-api-key", disabled];
    const result = await conformance(...target, ...keys);
    expect(result).toEqual({ status: 0, summary: expect.stringMatching(/^\d\d+ passed, 0 failed$/), failures: "" });
  });

  test("runs a turn with files: table, bucket and execution hold what they should", async () => {
    const content_base64 = Buffer.from("Hello from a file.\n").toString("base64");
    runId = await agent.api.create("What is in the file?", [{ filename: "hello.txt", content_base64 }]);
    const { loop_status, transcript } = await agent.api.ended(runId);
    expect(loop_status).toBe("finished");
    expect(transcript.map(({ role }) => role)).toEqual(["input_to_agent", "output_from_agent"]);
    expect(transcript[1]?.text).toContain("Hello from a file.");

    const items = await itemsOf(runId);
    expect(items[0]).toMatchObject({ sk: "HEAD", status: "finished", turn: 1, agentId: agent.id });
    expect(items.map(({ sk }) => String(sk).split("#")[0])).toEqual(expect.arrayContaining(["MESSAGE", "STEP"]));
    expect(await objectsOf(runId)).toEqual([`workspaces/${runId}/hello.txt`]);
    const { status, input } = await execution(runId, 1);
    expect([status, input]).toEqual(["SUCCEEDED", JSON.stringify({ runId, turn: 1 })]);
  });

  test("runs a second turn on the same workspace", async () => {
    await admin("run", "input", runId, "--text", "Once more, please.");
    const { loop_status, transcript } = await agent.api.ended(runId);
    expect([loop_status, transcript.length]).toEqual(["finished", 4]);
    expect(transcript[3]?.text).toContain("hello.txt");
    expect((await execution(runId, 2)).status).toBe("SUCCEEDED");
  });
});

describe("an agent of a model server", () => {
  const seen: ServerResponse[] = [];
  let hanging: Awaited<ReturnType<typeof chatServer>>;
  let agent: Awaited<ReturnType<typeof newAgent>>;
  beforeAll(async () => {
    hanging = await chatServer(
      ...Array.from({ length: 4 }, () => (response: ServerResponse) => void seen.push(response)),
    );
    agent = await newAgent(...server(hanging.baseUrl));
  });
  afterAll(() => hanging[Symbol.asyncDispose]());

  /** A run whose model call is in flight. */
  async function inFlight(): Promise<string> {
    const before = seen.length;
    const runId = await agent.api.create("Think for a long time.");
    await expect.poll(() => seen.length, { timeout: 20_000 }).toBe(before + 1);
    return runId;
  }

  test("stops at once when the operator says so, and its execution with it", async () => {
    const runId = await inFlight();
    expect(await admin("run", "stop", runId)).toMatchObject({ status: "terminated" });
    expect(await agent.api.read(runId)).toMatchObject({
      loop_status: "terminated",
      transcript: [{ role: "input_to_agent" }],
    });
    expect((await execution(runId, 1)).status).toBe("ABORTED");
    answer(seen.at(-1)); // comes too late, and changes nothing
    await expect.poll(() => agent.api.read(runId)).toMatchObject({ loop_status: "terminated", transcript: [{}] });
  });

  test("ends with technical_error and the reason when its model refuses", async () => {
    await using refusing = await chatServer(refuses(401, "Incorrect API key provided."));
    const { api } = await newAgent(...server(refusing.baseUrl));
    const runId = await api.create("Hello?");
    expect((await api.ended(runId)).loop_status).toBe("technical_error");
    expect(JSON.stringify(await admin("run", "show", runId))).toMatch(/model_/);
    expect((await execution(runId, 1)).status).toBe("SUCCEEDED");
  });

  test("is given to fail when advance rejects: technical_error, and the execution has done its work", async () => {
    const { api } = await newAgent(...server("http://127.0.0.1:9/v1")); // the discard port: nobody listens
    const runId = await api.create("Hello?");
    expect((await api.ended(runId)).loop_status).toBe("technical_error");
    expect((await execution(runId, 1)).status).toBe("SUCCEEDED");
  });

  test("goes on while a changed stack is deployed", { timeout: 300_000 }, async () => {
    const runId = await inFlight();
    await cdk("deploy", "--context", "logRetentionDays=7");
    expect((await agent.api.read(runId)).loop_status).toBe("running");
    answer(seen.at(-1));
    const { loop_status, transcript } = await agent.api.ended(runId);
    expect([loop_status, transcript[1]?.text]).toEqual(["finished", "Thought through."]);
  });
});
