import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { createAgent } from "../../../src/accounts/agents.ts";
import { createOrganization } from "../../../src/accounts/organizations.ts";
import type { Schemas } from "../../../src/manage/call.ts";
import { chatServer, chunk, streams, toolCallChunk } from "../../providers/chat-completions-server.ts";
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

type ModelCall = Extract<Schemas["Event"], { type: "model_call" }>;

async function play(limits: object, more: object = {}) {
  await using server = await chatServer(...Array.from({ length: 9 }, () => calls), answers);
  const { accounts } = service.platform;
  const model = { provider: "openai-compatible", enabled: true, baseUrl: server.baseUrl, model: "m" } as const;
  const { id: owner } = await createOrganization(accounts, { name: "Silent", model });
  const definition = {
    name: "Silent",
    instructions: "Look.",
    tools: ["list_files"],
    limits: { steps: 3, tokens: 1e9, seconds: 60, ...limits },
    prices: { input: 100, output: 1_000 },
    ...more,
  };
  const { id: agent_id } = await createAgent(accounts, owner, definition);
  const { body: created } = await service.call<Schemas["Run"]>("POST", "/runs", {
    body: { agent_id, name: "R", input_text: "Go." },
  });
  const read = async () => (await service.call<Schemas["RunDetail"]>("GET", `/runs/${created.id}`)).body;
  await vi.waitFor(async () => expect((await read()).status).not.toBe("running"), { interval: 10, timeout: 8_000 });
  const { body: events } = await service.call<Schemas["EventPage"]>("GET", `/runs/${created.id}/events`);
  const modelCalls = events.data.filter((event): event is ModelCall => event.type === "model_call");
  return { run: await read(), modelCalls, requests: server.received.length };
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
