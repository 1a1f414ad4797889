import { expect, test } from "vitest";
import { createAgent, updateAgent } from "../../../src/accounts/agents/agents.ts";
import { removeConfiguration, setConfiguration } from "../../../src/accounts/model-configurations.ts";
import { createOrganization, setModel } from "../../../src/accounts/organizations.ts";
import type { AgentDefinition } from "../../../src/accounts/account-types.ts";
import type { Stores } from "../../../src/runs/ports.ts";
import { createRun } from "../../../src/runs/begin/create-run.ts";
import { journalOf } from "../../../src/runs/read/list-events.ts";
import { rebuildRequest } from "../../../src/runs/read/rebuild-request.ts";
import { sentRequest } from "../../../src/runs/read/sent-request.ts";
import { advance } from "../../../src/workflow/advance.ts";
import {
  callsTool,
  chatServer,
  chunk,
  rejects,
  type Reply,
  startStream,
  streams,
  usageChunk,
} from "../../providers/chat-completions-server.ts";
import { fakeAwsStores } from "../../support/fake-aws/platform.ts";
import { temporaryStores } from "../../support/temporary-stores.ts";

const platforms = [
  ["local", temporaryStores],
  ["AWS", () => Object.assign(fakeAwsStores(), { [Symbol.dispose]: () => {} })],
] as const;

const thinks = (text: string): Reply =>
  streams(
    chunk({ role: "assistant", reasoning_content: `Thoughts of ${text}` }),
    chunk({ content: text }),
    chunk({}, { finish_reason: "stop" }),
    usageChunk,
  );

/** 40 s are more than a call waits for retries, so the fallback is asked at once. */
const later = { "retry-after": "40" };

const definition: AgentDefinition = {
  name: "Agent",
  instructions: "Work.",
  tools: ["list_files"],
  limits: { steps: 9, tokens: 1e6, seconds: 600 },
  model: "big",
  prices: { input: 1, output: 1 },
  parameters: { temperature: 0.1, serviceTier: "flex" },
  contextTokens: 100_000,
  fallback: { modelConfiguration: "backup", model: "small", prices: { input: 1_000, output: 1_000 } },
};

function at(baseUrl: string, secret: string) {
  return { provider: "openai-compatible", baseUrl, model: "m", secret, enabled: true } as const;
}

/** An organization with two model servers, and a run of its agent. `secrets`: by location. */
async function start(stores: Stores, urls: [string, string], secrets: Record<string, string> = {}) {
  const { accounts } = stores;
  const { id: organizationId } = await createOrganization(accounts, { name: "O" });
  await setModel(accounts, organizationId, at(urls[0], "env:FIRST"));
  await setConfiguration(accounts, organizationId, "backup", () => at(urls[1], "env:SECOND"));
  const agent = await createAgent(accounts, organizationId, definition);
  const deps = {
    ...stores,
    workflow: { start: async () => {}, stop: async () => {} },
    now: Date.now,
    secretRefusal: () => undefined,
    secretOf: async (secret: string) => secrets[secret] ?? "no key",
  };
  const { id: runId } = await createRun(deps, { agentId: agent.id, organizationId }, { name: "Run", text: "Start." });
  const invoke = (signal = new AbortController().signal) =>
    advance(deps, { runId, turn: 1 }, { signal, deadline: Infinity, leaseWait: 0 });
  return { organizationId, agent, runId, invoke };
}

test.each(platforms)("the fallback answers, and the record says why and with what (%s)", async (_, open) => {
  using stores = open();
  await using one = await chatServer(callsTool("list_files", {}), rejects(529, "Overloaded", later));
  await using two = await chatServer(callsTool("list_files", {}), thinks("Done."));
  const secrets = { "env:FIRST": "key-one", "env:SECOND": "key-two" };
  const { runId, invoke } = await start(stores, [one.baseUrl, two.baseUrl], secrets);
  expect(await invoke()).toMatchObject({ done: true });

  const state = await stores.runs.load(runId);
  expect(state?.run).toMatchObject({ status: "finished", model: "small" });
  const journal = await journalOf(stores, runId);
  const answers = journal.flatMap((entry) => (entry.part === "answer" ? [entry] : []));
  expect(answers.map(({ model, fallback }) => [model, fallback?.configuration])).toEqual([
    ["big", undefined],
    ["small", "backup"],
    ["small", "backup"],
  ]);
  expect(answers[1]?.fallback?.failure.title).toContain("answered 529: Overloaded");
  expect(answers[2]?.dollars).toBe((28 * 1_000) / 1e6);
  expect([one.received.length, two.received.length]).toEqual([2, 2]);
  expect(one.received.map(({ headers }) => headers.authorization)).toEqual(["Bearer key-one", "Bearer key-one"]);
  expect(two.received.map(({ headers }) => headers.authorization)).toEqual(["Bearer key-two", "Bearer key-two"]);
  expect(two.received[0]?.body).toMatchObject({ model: "small", temperature: 0.1 });
  expect(two.received[0]?.body).not.toHaveProperty("service_tier"); // of another provider

  const sent = [one.received[0], two.received[0], two.received[1]];
  for (const [index, received] of sent.entries()) {
    const call = await sentRequest(stores, runId, { turn: 1, step: index + 1 });
    expect(call).toMatchObject({
      exact: true,
      request: { body: received?.text, url: `${index === 0 ? one.baseUrl : two.baseUrl}/chat/completions` },
    });
  }
  const rebuilt = await rebuildRequest(stores, runId, { turn: 1, step: 2 });
  expect(rebuilt).toMatchObject({
    configuration: { agent: { fallback: definition.fallback }, fallbackProvider: { baseUrl: two.baseUrl } },
    asked: { choice: { model: "small" } },
  });
});

test("reasoning of the first model is not sent to the fallback", async () => {
  using stores = temporaryStores();
  const reasons = streams(
    chunk({ role: "assistant", reasoning_content: "Secret thoughts." }),
    chunk({
      tool_calls: [{ index: 0, id: "c1", type: "function", function: { name: "list_files", arguments: "{}" } }],
    }),
    chunk({}, { finish_reason: "tool_calls" }),
  );
  await using one = await chatServer(reasons, rejects(503, "down", later));
  await using two = await chatServer(thinks("Done."));
  const { invoke } = await start(stores, [one.baseUrl, two.baseUrl]);
  await invoke();
  expect(one.received[1]?.text).toContain("Secret thoughts.");
  expect(two.received[0]?.text).toContain("list_files");
  expect(two.received[0]?.text).not.toContain("Secret thoughts.");
});

const garbled: Reply = (response) => {
  startStream(response);
  response.end("data: {not json}\n\n");
};

test.each([
  ["503", rejects(503, "down", later)],
  ["429", rejects(429, "Rate limit reached", later)],
  ["an answer that cannot be read", garbled],
])("after %s, the fallback answers", async (_, reply) => {
  using stores = temporaryStores();
  await using one = await chatServer(reply);
  await using two = await chatServer(thinks("Done."));
  const { runId, invoke } = await start(stores, [one.baseUrl, two.baseUrl]);
  expect(await invoke()).toMatchObject({ done: true });
  expect((await stores.runs.load(runId))?.run.status).toBe("finished");
});

test.each([
  ["400", rejects(400, "messages is not valid")],
  ["401", rejects(401, "Incorrect API key provided")],
  ["a content filter", rejects(400, "The response was filtered due to the prompt triggering content_filter policy")],
])("after %s, the fallback is not asked", async (_, reply) => {
  using stores = temporaryStores();
  await using one = await chatServer(reply);
  await using two = await chatServer(thinks("Done."));
  const { runId, invoke } = await start(stores, [one.baseUrl, two.baseUrl]);
  await invoke();
  expect((await stores.runs.load(runId))?.run.status).toBe("technical_error");
  expect(two.received).toEqual([]);
});

test.each(platforms)(
  "a turn that is killed before the fallback answers pays for one call again (%s)",
  async (_, open) => {
    using stores = open();
    const killed = new AbortController();
    const kills: Reply = (response) => {
      killed.abort();
      response.destroy();
    };
    await using one = await chatServer(rejects(503, "down", later));
    await using two = await chatServer(kills, thinks("Done."));
    const { runId, invoke } = await start(stores, [one.baseUrl, two.baseUrl]);
    expect(await invoke(killed.signal)).toMatchObject({ done: false });
    expect(await invoke()).toMatchObject({ done: true });
    expect([one.received.length, two.received.length]).toEqual([1, 2]);
    expect((await stores.runs.load(runId))?.run.status).toBe("finished");
  },
);

test("when both fail, the workflow is told of both", async () => {
  using stores = temporaryStores();
  await using one = await chatServer(rejects(503, "first is down", later));
  await using two = await chatServer(rejects(503, "second is down", later));
  const { runId, invoke } = await start(stores, [one.baseUrl, two.baseUrl]);
  const waits = await invoke().catch((error: unknown) => error);
  expect(waits).toMatchObject({ name: "RetryLater", retryAfterMs: 40_000 });
  expect(String(waits)).toMatch(/Both models of the agent failed\. big: .*first is down.* small: .*second is down/);
  const failed = await rebuildRequest(stores, runId, { turn: 1, step: 1 });
  expect(failed).toMatchObject({ asked: { choice: { model: "small" } } });
  expect(await sentRequest(stores, runId, { turn: 1, step: 1 })).toMatchObject({ exact: true });
});

test.each(platforms)("a model configuration is kept while an agent names it (%s)", async (_, open) => {
  using stores = open();
  const { accounts } = stores;
  const { organizationId, agent } = await start(stores, ["http://127.0.0.1:1", "http://127.0.0.1:2"]);
  const remove = () => removeConfiguration(accounts, organizationId, "backup");
  await expect(remove()).rejects.toThrow(
    `model configuration "backup" is named by an agent: ${agent.id} (Agent); name another one there first`,
  );
  const unknown = { ...definition, modelConfiguration: "other" };
  await expect(updateAgent(accounts, agent.id, unknown)).rejects.toThrow(
    `modelConfiguration is "other"; organization ${organizationId} has backup`,
  );
  await updateAgent(accounts, agent.id, {
    ...definition,
    fallback: { model: "small", prices: { input: 1, output: 1 } },
  });
  expect(await remove()).not.toHaveProperty("models");
  await expect(remove()).rejects.toThrow(`organization ${organizationId} has no further model configurations`);
});
