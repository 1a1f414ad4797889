import type { Client } from "@modelcontextprotocol/client";
import { resultFromTaskOutcome } from "@modelcontextprotocol/ext-tasks/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createAgent } from "../../../src/accounts/agents/agents.ts";
import { createKey } from "../../../src/accounts/keys.ts";
import { parseExact } from "../../../src/json.ts";
import { scriptedModel } from "../../browser/scripted-model.ts";
import {
  callTool,
  connectClient,
  connectTasks,
  formCapabilities,
  sendRpc,
  taskCapabilities,
} from "../../support/mcp-clients.ts";
import { manageService, type ManageService } from "../../support/manage-service.ts";

const calls = {
  write: { name: "write_file", arguments: { name: "a.txt", content: "x" } },
  ask: { name: "ask_person", arguments: { question: "Which colour?", choices: ["red", "blue"] } },
  stock: { name: "stock_of", arguments: { sku: "4711" } },
};

const model = await scriptedModel((input, step) => {
  const asked = input.split("\n")[0]?.split(" ") ?? [];
  if (step === 1) return { calls: asked.map((name) => calls[name as keyof typeof calls]) };
  return { text: `Done with: ${asked.join(" ")}` };
});

const definition = {
  name: "Asks",
  instructions: "Ask.",
  tools: ["write_file", "ask_person"],
  toolPolicy: { write_file: "ask" as const },
  clientTools: [{ name: "stock_of", description: "Stock of a product.", input: { type: "object" } }],
  limits: { steps: 5, tokens: 100_000, seconds: 60 },
};

let service: ManageService;
/** Of an agent whose keys may not approve, and of one whose keys may. */
let strict: { baseUrl: string; apiKey: string };
let approving: typeof strict;
beforeAll(async () => {
  service = await manageService({
    model: { enabled: true, provider: "openai-compatible", baseUrl: model.baseUrl, model: "m" },
  });
  const { accounts } = service.platform;
  const { organizationId = "" } = (await accounts.findAgent(service.templateId)) ?? {};
  const endpointOf = async (more: object) => {
    const { id } = await createAgent(accounts, organizationId, { ...definition, ...more });
    return { baseUrl: service.baseUrl, apiKey: (await createKey(accounts, id)).key };
  };
  strict = await endpointOf({});
  approving = await endpointOf({ answers: { keysApprove: true } });
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  await model.close();
});

interface OpenCall {
  id: string;
  arguments_sha256: string;
}

/** The results that the model got for its tool calls, and who answered. */
async function answersOf(runId: string) {
  const { body } = await service.call("GET", `/runs/${runId}/events`);
  const { data } = body as { data: Record<string, unknown>[] };
  const of = (type: string) => data.filter((event) => event["type"] === type);
  return { results: of("tool_result"), answered: of("call_answered") };
}

async function start(client: Client, input: string): Promise<string> {
  const { structured } = await callTool(client, "start_run", { name: "Test", input_text: input });
  return String(structured["run_id"]);
}

describe.each(["legacy", "auto"] as const)("answer_call of a client with protocol version %s", (mode) => {
  let client: Client;
  beforeAll(async () => {
    client = await connectClient(approving, mode);
    return () => client.close();
  });

  test("answer_call is listed for an agent that asks, and no other", async () => {
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain("answer_call");
    const wait = tools.find(({ name }) => name === "wait_for_run");
    expect(wait?.outputSchema?.properties).toHaveProperty("open_calls");
    expect(client.getInstructions()).toContain("give them with answer_call");
    const starter = await connectClient(service, mode);
    expect((await starter.listTools()).tools.map(({ name }) => name)).not.toContain("answer_call");
    expect(starter.getInstructions()).not.toContain("answer_call");
    await starter.close();
  });

  test("wait_for_run returns when the run waits, and says what for and how to answer", async () => {
    const run_id = await start(client, "write stock");
    const waits = await callTool(client, "wait_for_run", { run_id });
    expect(waits.structured).toMatchObject({ status: "running", activity: "waits for answers" });
    const open = waits.structured["open_calls"] as OpenCall[];
    expect(open).toMatchObject([
      { id: "1.1.0", kind: "approval", name: "write_file", arguments: '{"name":"a.txt","content":"x"}' },
      { id: "1.1.1", kind: "client_tool", name: "stock_of", arguments: '{"sku":"4711"}' },
    ]);
    expect(waits.text).toContain('answer to call 1.1.0 (approval): write_file {"name":"a.txt","content":"x"}\n');
    expect(waits.text).toContain(`arguments_sha256: ${open[0]?.arguments_sha256}`);
    expect(waits.text).toContain("Answer with answer_call, then call wait_for_run.");
    expect((await callTool(client, "get_run", { run_id })).structured).toEqual(waits.structured);

    const answer = (index: number, more: object) => {
      const { id: call, arguments_sha256 } = open[index] ?? { id: "", arguments_sha256: "" };
      return callTool(client, "answer_call", { run_id, call, arguments_sha256, ...more });
    };
    expect(await answer(1, { output: { in_stock: 4 } })).toMatchObject({
      isError: false,
      structured: { run_id, status: "running", next: expect.stringContaining("get_run") as string },
    });
    expect((await callTool(client, "get_run", { run_id })).structured["open_calls"]).toMatchObject([{ id: "1.1.0" }]);
    expect((await answer(0, { decision: "deny", reason: "Not now." })).structured["next"]).toBe("Call wait_for_run.");
    const ended = await callTool(client, "wait_for_run", { run_id });
    expect(ended.structured).toMatchObject({ status: "finished", output: "Done with: write stock", open_calls: [] });
    const { results, answered } = await answersOf(run_id);
    expect(results).toMatchObject([{ text: expect.stringContaining("Not now.") }, { text: '{"in_stock":4}' }]);
    expect(answered.map((event) => event["answered_by"])).toEqual(["mcp", "mcp"]);
    // The first answer counts.
    expect(await answer(0, { decision: "allow" })).toMatchObject({
      isError: true,
      text: expect.stringContaining("was denied by a program") as string,
    });
  });

  test("an output keeps the digits of its numbers", async () => {
    const run_id = await start(client, "stock");
    const { structured } = await callTool(client, "wait_for_run", { run_id });
    const [{ id: call, arguments_sha256 } = { id: "", arguments_sha256: "" }] = structured["open_calls"] as OpenCall[];
    const output = '{"ean":9007199254740993,"price":10.10}';
    await callTool(client, "answer_call", { run_id, call, arguments_sha256, output: parseExact(output) });
    await callTool(client, "wait_for_run", { run_id });
    expect((await answersOf(run_id)).results).toMatchObject([{ text: output }]);
  });

  test("an approval is refused unless the agent lets its keys approve", async () => {
    const other = await connectClient(strict, mode);
    const run_id = await start(other, "write");
    const { structured } = await callTool(other, "wait_for_run", { run_id });
    const [{ id: call, arguments_sha256 } = { id: "", arguments_sha256: "" }] = structured["open_calls"] as OpenCall[];
    const input = { run_id, call, arguments_sha256 };
    const refused = await callTool(other, "answer_call", { ...input, decision: "allow" });
    expect([refused.isError, refused.text]).toEqual([true, expect.stringContaining("answers.keysApprove")]);
    for (const [more, problem] of [
      [{}, "one of decision, output and error; received none"],
      [{ decision: "allow", output: "x" }, "received decision and output"],
      [{ output: "x", arguments_sha256: "0".repeat(64) }, "not the one of this answer"],
      [{ output: "x" }, "(approval) is answered with a decision"],
      [{ output: "x", call: "1.9.0" }, "has not asked for an answer to call 1.9.0"],
    ] as const) {
      const wrong = await callTool(other, "answer_call", { ...input, ...more });
      expect([wrong.isError, wrong.text]).toEqual([true, expect.stringContaining(problem)]);
    }
    const foreign = await callTool(client, "answer_call", { ...input, decision: "allow" });
    expect([foreign.isError, foreign.text]).toEqual([true, `run "${run_id}" does not exist`]);
    await callTool(other, "stop_run", { run_id });
    await other.close();
  });
});

/** Starts a task. Resolves with its id when the run waits. */
async function waiting(of: typeof strict, input: string): Promise<string> {
  const call = { name: "start_run", arguments: { name: "Test", input_text: input } };
  const { result } = await sendRpc(of, "tools/call", call, taskCapabilities);
  const taskId = String(result?.["taskId"]);
  await expect.poll(async () => (await get(of, taskId))?.["status"]).toBe("input_required");
  return taskId;
}

async function get(of: typeof strict, taskId: string, capabilities: object = taskCapabilities) {
  return (await sendRpc(of, "tasks/get", { taskId }, capabilities)).result;
}

const accept = (content: object) => ({ action: "accept", content });

describe("a task", () => {
  test("asks the user of its client, and continues with the answers", async () => {
    const shown: unknown[] = [];
    const session = await connectTasks(approving, async (request) => {
      shown.push(request);
      const isQuestion = JSON.stringify(request).includes("Which colour?");
      const content = isQuestion ? { answer: "green" } : { decision: "allow", reason: "" };
      return { action: "accept", content } as never;
    });
    const states: string[] = [];
    const execution = await session.callTool("start_run", { name: "Test", input_text: "write ask" });
    const { outcome } = await execution.settle({
      onEvent: (event) => void (event.type === "task" && states.push(event.task.status)),
    });
    const result = resultFromTaskOutcome(outcome) as unknown as { structuredContent: { run_id: string } };
    expect(states).toContain("input_required");
    const exact = JSON.stringify('{"name":"a.txt","content":"x"}').slice(1, -1);
    expect(JSON.stringify(shown)).toContain(`write_file with exactly these arguments:\\n${exact}`);
    expect(JSON.stringify(shown)).toContain("Suggested answers: red; blue");
    const { run_id } = result.structuredContent;
    const { results, answered } = await answersOf(run_id);
    expect(results.map((event) => event["text"])).toContain("green");
    expect(answered.map((event) => [event["answer"], event["answered_by"]])).toEqual([
      ["allow", "mcp"],
      ["output", "mcp"],
    ]);
    await session.close();
    await session.client.close();
  });

  test("sends no forms to a client without them, nor what its key may not answer, nor client tools", async () => {
    const taskId = await waiting(strict, "write ask stock");
    const task = { status: "input_required", statusMessage: "running, 1 step, waits for answers" };
    expect(await get(strict, taskId)).toMatchObject({ ...task, inputRequests: {} });
    const urlOnly = { ...taskCapabilities, elicitation: { url: {} } };
    expect(await get(strict, taskId, urlOnly)).toMatchObject({ inputRequests: {} });
    const { inputRequests = {} } = (await get(strict, taskId, formCapabilities)) ?? {};
    expect(Object.keys(inputRequests as object)).toEqual(["1.1.1"]);
    // It cannot answer the others with tasks/update either.
    const update = (inputResponses: object) =>
      sendRpc(strict, "tasks/update", { taskId, inputResponses }, formCapabilities);
    const { error } = await update({ "1.1.0": accept({ decision: "allow" }) });
    expect(error?.message).toContain("answers.keysApprove");
    await update({ "1.1.2": accept({ answer: "4" }), "1.1.1": { action: "cancel" } });
    expect((await answersOf(taskId)).answered).toEqual([]);
    await update({ "1.1.1": { action: "decline" } });
    expect((await answersOf(taskId)).answered).toMatchObject([{ answer: "error", call: 1 }]);
    await sendRpc(strict, "tasks/cancel", { taskId }, taskCapabilities);
    expect(await get(strict, taskId)).toMatchObject({ status: "cancelled" });
  });
});
