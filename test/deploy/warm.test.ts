import { join } from "node:path";
import { QueryCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, expect, test } from "vitest";
import { documentClient } from "../../src/platform/aws/sdk/clients.ts";
import { signedHeaders } from "../../src/platform/aws/sdk/sign-request.ts";
import { chatServer, rejects } from "../providers/chat-completions-server.ts";
import { answer, server } from "./deployed.ts";
import { folder } from "./phases.ts";
import { root } from "./processes.ts";
import { client, emulated, endpoint, forwardToApi, stackOutputs, stackResource } from "./service.ts";
import { adminIn, deploy, settings, testApp } from "./upgraded-stack.ts";

// The setting `warm`: a stack of its own gets it while a turn waits, and its aliases go back to the version before.

const stack = "AgentRunService-warm";
const names = ["Create", "Get", "Advance"];

let outputs: Record<string, string>;
let forwarder: Awaited<ReturnType<typeof forwardToApi>>;
let api: ReturnType<typeof client>;
let org: string;

async function deployWith(more: object): Promise<string> {
  const context = Object.entries({ ...settings, stage: "warm", ...more });
  const given = context.flatMap(([name, value]) => ["--context", `${name}=${value}`]);
  const output = ["--output", join(folder, "warm.out")];
  return deploy(root, [stack, ...given, "--require-approval", "never", ...testApp, ...output]);
}

const admin = (...args: string[]) => adminIn(stack, root, ...args);

beforeAll(async () => {
  await deployWith({});
  outputs = await stackOutputs(stack);
  forwarder = await forwardToApi(outputs["ApiUrl"] ?? "");
  org = String((await admin("org", "create", "--name", "Warm"))["id"]);
  const { id } = await admin("agent", "create", "--org", org, "--file", "examples/assistant.json");
  const { key } = await admin("key", "create", "--agent", String(id));
  api = client(forwarder.baseUrl, String(id), String(key));
});
afterAll(() => forwarder.close());

/** Calls Lambda, whose SDK client is not installed, for a function by its construct id. */
async function lambda(method: string, version: string, name: string, path: string, input?: object) {
  const url = new URL(`/${version}/functions/${await stackResource(name, stack)}${path}`, endpoint());
  const call = { method, url, body: input === undefined ? "" : JSON.stringify(input) };
  const headers = await signedHeaders({ ...call, aws: emulated(), service: "lambda" });
  const response = await fetch(url, { method, headers, ...(input && { body: call.body }) });
  return (await response.json()) as Record<string, unknown>;
}

async function liveVersions(): Promise<unknown[]> {
  const aliases = names.map((name) => lambda("GET", "2015-03-31", name, "/aliases/live"));
  return (await Promise.all(aliases)).map(({ FunctionVersion }) => FunctionVersion);
}

/** Days that a new run is kept: an environment variable of `Create`. */
async function daysOfNewRun(): Promise<number> {
  const documents = documentClient(emulated());
  const runId = await api.create("Hello?");
  const { loop_status } = await api.ended(runId);
  expect(loop_status).toBe("finished");
  const { Items = [] } = await documents.send(
    new QueryCommand({
      TableName: outputs["TableName"] ?? "",
      KeyConditionExpression: "pk = :pk",
      ExpressionAttributeValues: { ":pk": `RUN#${runId}` },
    }),
  );
  documents.destroy();
  const expiry = Math.min(...Items.flatMap(({ expiresAt }) => (expiresAt === undefined ? [] : Number(expiresAt))));
  return Math.round((expiry - Date.now() / 1_000) / 86_400);
}

test("a turn that began before continues when warm is set, and what comes then uses environments that are ready", async () => {
  await using model = await chatServer(rejects(503, "Come back later.", { "retry-after": "60" }), answer);
  await admin("org", "set-model", org, ...server(model.baseUrl));
  const waiting = await api.create("Hello?");
  await expect.poll(() => model.received.length, { timeout: 60_000 }).toBe(1);
  await admin("org", "set-model", org, "--provider", "demo");

  expect(await deployWith({ warm: 1 })).toMatch(/^ok +warm functions +warm 1 takes 2 of \d+ concurrent executions$/m);
  expect(await liveVersions()).toEqual(["1", "1", "1"]);
  for (const name of names) {
    const ready = await lambda("GET", "2019-09-30", name, "/provisioned-concurrency?Qualifier=live");
    expect(ready).toMatchObject({ AllocatedProvisionedConcurrentExecutions: 1, Status: "READY" });
  }
  expect(await daysOfNewRun()).toBe(90);
  expect((await api.ended(waiting)).loop_status).toBe("finished");
});

test("a deployment makes versions of what it changes, and the aliases go back to those before", async () => {
  await deployWith({ warm: 1, retentionDays: 80 }); // not of Get
  expect([await liveVersions(), await daysOfNewRun()]).toEqual([["2", "1", "2"], 80]);
  const RoutingConfig = { AdditionalVersionWeights: {} };
  for (const name of ["Create", "Advance"]) {
    await lambda("PUT", "2015-03-31", name, "/aliases/live", { FunctionVersion: "1", RoutingConfig });
  }
  expect([await liveVersions(), await daysOfNewRun()]).toEqual([["1", "1", "1"], 90]);
});

test("without warm, the functions are called as before", async () => {
  await deployWith({ retentionDays: 70 });
  expect(await daysOfNewRun()).toBe(70);
});
