import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { createAgent } from "../../../src/accounts/agents/agents.ts";
import { createOrganization } from "../../../src/accounts/organizations.ts";
import type { Schemas } from "../../../src/manage/call.ts";
import {
  chatServer,
  chunk,
  type Reply,
  send,
  startStream,
  streams,
  toolCallChunk,
  usageChunk,
} from "../../providers/chat-completions-server.ts";
import { fastClock } from "../../support/fast-clock.ts";
import { type ManageService, manageService } from "../../support/manage-service.ts";

// A model server that reports no tokens: they are unknown, never 0, and limits act on an estimate.

let service: ManageService;
beforeAll(async () => {
  service = await manageService();
});
afterAll(() => service[Symbol.asyncDispose]());

const calls = streams(
  chunk({ role: "assistant", content: "Looks. ".repeat(300) }),
  toolCallChunk(0, { id: "c1", name: "list_files", arguments: "{}" }),
  chunk({}, { finish_reason: "tool_calls" }),
);
const answers = streams(chunk({ role: "assistant", content: "Done." }), chunk({}, { finish_reason: "stop" }));

const breaks: Reply = (response) => {
  startStream(response);
  send(response, chunk({ role: "assistant", content: "Half of it. ".repeat(100) }));
  response.end();
};

type ModelCall = Extract<Schemas["Event"], { type: "model_call" }>;

type FailedCall = Extract<Schemas["Event"], { type: "model_call_failed" }>;

async function play(limits: object, replies: Reply[] = [...Array.from({ length: 9 }, () => calls), answers]) {
  await using server = await chatServer(...replies);
  const { accounts } = service.platform;
  const model = { provider: "openai-compatible", enabled: true, baseUrl: server.baseUrl, model: "m" } as const;
  const { id: owner } = await createOrganization(accounts, { name: "Silent", model });
  const definition = {
    name: "Silent",
    instructions: "Look.",
    tools: ["list_files"],
    limits: { steps: 3, tokens: 1e9, seconds: 60, ...limits },
    prices: { input: 100, output: 1_000 },
  };
  const { id: agent_id } = await createAgent(accounts, owner, definition);
  const { body: created } = await service.call<Schemas["Run"]>("POST", "/runs", {
    body: { agent_id, name: "R", input_text: "Go." },
  });
  const read = async () => (await service.call<Schemas["RunDetail"]>("GET", `/runs/${created.id}`)).body;
  await vi.waitFor(async () => expect((await read()).status).not.toBe("running"), { interval: 10, timeout: 25_000 });
  const { body: events } = await service.call<Schemas["EventPage"]>("GET", `/runs/${created.id}/events`);
  const modelCalls = events.data.filter((event): event is ModelCall => event.type === "model_call");
  const failed = events.data.filter((event): event is FailedCall => event.type === "model_call_failed");
  return { run: await read(), modelCalls, failed, requests: server.received.length };
}

test("the usage of a call is null, with an estimate beside it, and the run says what is estimated", async () => {
  const { run, modelCalls } = await play({ steps: 2 });
  expect(modelCalls.length).toBe(3);
  for (const call of modelCalls) {
    expect(call).toMatchObject({ usage: null, dollars: null });
    expect(call.estimated_usage?.input_tokens).toBeGreaterThan(50);
    expect(call.estimated_dollars).toBeGreaterThan(0);
  }
  // 2,100 characters of text and the call, at 3 bytes per token.
  expect(modelCalls[0]?.estimated_usage?.output_tokens).toBeGreaterThan(700);
  expect(modelCalls[0]?.estimated_usage?.output_tokens).toBeLessThan(800);
  const { usage } = run;
  const sum = (field: "input_tokens" | "output_tokens") =>
    modelCalls.reduce((total, call) => total + (call.estimated_usage?.[field] ?? 0), 0);
  expect([usage.input_tokens, usage.output_tokens]).toEqual([sum("input_tokens"), sum("output_tokens")]);
  expect(usage.estimated_tokens).toBe(usage.input_tokens + usage.output_tokens);
  expect(usage.dollars).toBeCloseTo(
    modelCalls.reduce((total, call) => total + (call.estimated_dollars ?? 0), 0),
    9,
  );
  const { body: report } = await service.call<Schemas["UsageReport"]>("GET", `/usage?agent_id=${run.agent_id}`);
  expect(report.data[0]?.estimated_tokens).toBe(usage.estimated_tokens);
});

test.each([
  ["tokens", { steps: 100, tokens: 1_500 }],
  ["outputTokens", { steps: 100, outputTokens: 1_200 }],
  ["dollars", { steps: 100, dollars: 1 }],
])("the limit of %s ends the turn by the estimate", async (reason, limits) => {
  const { run, modelCalls, requests } = await play(limits);
  expect(run).toMatchObject({ status: "finished", finish_reason: reason });
  expect(modelCalls.length).toBeLessThan(6);
  expect(requests).toBe(modelCalls.length);
});

test("an answer that broke off counts what was sent and what arrived, and is no step", async () => {
  const reported = streams(chunk({ content: "Done." }), chunk({}, { finish_reason: "stop" }), usageChunk);
  const { run, modelCalls, failed } = await play({}, [breaks, breaks, reported]);
  expect(run).toMatchObject({ status: "finished", usage: { steps: 1 } });
  expect(modelCalls).toMatchObject([{ step: 1, usage: { input_tokens: 21, output_tokens: 7 }, estimated_usage: null }]);
  expect(failed).toHaveLength(2);
  for (const call of failed) expect(call.estimated_usage?.output_tokens).toBe(400); // 1,200 characters
  const lost = failed.reduce((sum, { estimated_dollars: dollars }) => sum + (dollars ?? 0), 0);
  expect(lost).toBeGreaterThan(0.8);
  expect(run.usage.dollars).toBeCloseTo(lost + (modelCalls[0]?.dollars ?? 0), 9);
  expect(run.usage.estimated_tokens).toBe(run.usage.input_tokens + run.usage.output_tokens - 28);
});

test("an answer that broke off counts what the server had reported, and an empty one is asked for again", async () => {
  const cut = streams(chunk({ content: "Half" }, { usage: { prompt_tokens: 100, completion_tokens: 20 } }), "[}");
  const reported = streams(chunk({ content: "Done." }), chunk({}, { finish_reason: "stop" }), usageChunk);
  const empty = streams(usageChunk);
  const { run, failed, requests } = await play({}, [empty, reported]);
  expect([run.status, requests]).toEqual(["finished", 2]);
  expect(failed).toMatchObject([{ usage: { input_tokens: 21, output_tokens: 7 }, estimated_usage: null }]);
  expect(failed[0]?.dollars).toBeGreaterThan(0);
  expect(run.usage).toMatchObject({ steps: 1, input_tokens: 42, output_tokens: 14 });
  const refused = await play({}, [cut]);
  expect(refused.failed).toMatchObject([{ category: "model_answer", usage: { input_tokens: 100, output_tokens: 20 } }]);
  expect(refused.run.usage).toMatchObject({ input_tokens: 100, output_tokens: 20 });
});

test("a server that answers with nothing is called five times, and each call is an event with its usage", async () => {
  using _clock = fastClock();
  const empty = streams(chunk({ role: "assistant", content: "" }), usageChunk);
  const { run, failed, requests } = await play(
    {},
    Array.from({ length: 9 }, () => empty),
  );
  expect([run.status, requests, failed.length]).toEqual(["technical_error", 5, 5]);
  expect(failed.at(-1)).toMatchObject({ category: "model_answer", usage: { input_tokens: 21 }, last: true });
  expect(run.usage).toMatchObject({ steps: 0, input_tokens: 105, output_tokens: 35, estimated_tokens: 0 });
});

test("output tokens that a server reports without input tokens are kept beside the estimate", async () => {
  const counted = streams(
    chunk({ content: "Done." }),
    chunk({}, { finish_reason: "stop", usage: { completion_tokens: 345 } }),
  );
  const { run } = await play({}, [counted]);
  expect(run.usage).toMatchObject({ input_tokens: expect.any(Number), output_tokens: 345 });
  expect(run.usage.estimated_tokens).toBe(run.usage.input_tokens + run.usage.output_tokens);
});
