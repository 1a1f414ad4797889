import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DescribeExecutionCommand } from "@aws-sdk/client-sfn";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Schemas } from "../../src/ext/call.ts";
import { chatServer, chunk, type Reply, streams, toolCallChunk } from "../providers/chat-completions-server.ts";
import { type Agent, type Deployed, openDeployed, server } from "./deployed.ts";
import { admin, callFunction } from "./service.ts";

/** Calls the client tool, and then repeats its result. */
const reply: Reply = (response, request) => {
  const messages = request.body.messages as { role: string; content: string }[];
  const result = messages.find(({ role }) => role === "tool");
  const call = toolCallChunk(0, { id: "c", name: "find_order", arguments: '{"id":"4711"}' });
  const chunks = result ? [chunk({ content: result.content })] : [call];
  const end = chunk({}, { finish_reason: result ? "stop" : "tool_calls" });
  return streams(...chunks, end)(response, request);
};

let deployed: Deployed;
let model: Awaited<ReturnType<typeof chatServer>>;
let agent: Agent;
beforeAll(async () => {
  deployed = await openDeployed();
  model = await chatServer(...Array.from({ length: 100 }, () => reply));
  agent = await deployed.newAgent(...server(model.baseUrl));
  const folder = mkdtempSync(join(tmpdir(), "agent-"));
  const definition = {
    name: "Asks",
    instructions: "Ask.",
    tools: [],
    clientTools: [{ name: "find_order", description: "Finds an order.", input: { type: "object" } }],
    answers: { withinSeconds: 60 },
  };
  writeFileSync(join(folder, "agent.json"), JSON.stringify(definition));
  await admin("agent", "update", agent.id, "--file", join(folder, "agent.json"));
  rmSync(folder, { recursive: true });
});
afterAll(async () => {
  await model[Symbol.asyncDispose]();
  deployed.close();
});

async function ext(method: string, path: string, body?: object) {
  const headers = { authorization: `Bearer ${agent.key}`, "content-type": "application/json" };
  const options = { method, headers, ...(body && { body: JSON.stringify(body) }) };
  const response = await fetch(`${deployed.baseUrl}/ext/v1/runs${path}`, options);
  return { status: response.status, body: (await response.json()) as Schemas["RunDetail"] };
}

async function waiting(runId: string): Promise<Schemas["OpenCall"]> {
  const state = async () => (await ext("GET", `/${runId}`)).body.state;
  await expect.poll(state, { timeout: 60_000 }).toBe("waiting");
  const [open] = (await ext("GET", `/${runId}`)).body.open_calls;
  if (!open) throw new Error("no call is open");
  return open;
}

/** Resolves when the execution has ended: nothing is billed after it. */
async function executionEnds(name: string): Promise<void> {
  const executionArn = deployed.executionArn(name, 1);
  const status = async () => (await deployed.sfn.send(new DescribeExecutionCommand({ executionArn }))).status;
  await expect.poll(status, { timeout: 60_000 }).toBe("SUCCEEDED");
}

test("a run that waits has no execution; an answer starts another one; the sweep ends what nobody answers", async () => {
  const unanswered = await agent.api.create("Find the order.");
  const begun = Date.now();
  const runId = await agent.api.create("Find the order.");
  const open = await waiting(runId);
  await executionEnds(runId);
  expect(await agent.api.read(runId)).toMatchObject({ loop_status: "running" });
  const answer = { call: open.id, arguments_sha256: open.arguments_sha256, output: "It is on its way." };
  const outcomes = await Promise.all(Array.from({ length: 3 }, () => ext("POST", `/${runId}/answers`, answer)));
  expect(outcomes.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect((await agent.api.ended(runId)).transcript[1]?.text).toBe("It is on its way.");
  const resumed = deployed.executionArn(runId, 1);
  const found = await deployed.sfn.send(new DescribeExecutionCommand({ executionArn: `${resumed}-1` }));
  expect(["SUCCEEDED", "RUNNING"]).toContain(found.status);

  const late = await waiting(unanswered);
  expect(await deployed.stores.runs.listAsking({ until: Date.now() })).toEqual([]);
  await expect.poll(() => Date.now() - begun, { timeout: 90_000, interval: 1_000 }).toBeGreaterThan(75_000);
  await callFunction("Sweep");
  expect((await agent.api.ended(unanswered)).transcript[1]?.text).toContain("no program answered the call in time");
  const again = { call: late.id, arguments_sha256: late.arguments_sha256, output: "Late." };
  expect((await ext("POST", `/${unanswered}/answers`, again)).status).toBe(409);
});
