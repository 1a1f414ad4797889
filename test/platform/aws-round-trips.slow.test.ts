import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { authenticate } from "../../src/accounts/authenticate.ts";
import type { Quota } from "../../src/accounts/account-types.ts";
import { issueKey } from "../../src/accounts/keys.ts";
import type { Stores } from "../../src/runs/ports.ts";
import { newToken, tokenHash } from "../../src/accounts/token.ts";
import { getHandler } from "../../src/v1/get.ts";
import { createRun } from "../../src/runs/begin/create-run.ts";
import { readRun } from "../../src/runs/read/read-run.ts";
import type { Model } from "../../src/agent/model.ts";
import { advance } from "../../src/workflow/advance.ts";
import { fakeAwsStores } from "../support/fake-aws/platform.ts";
import { newRun, putAgent } from "../support/scripted-runs.ts";
import { created, numbered, onTurn, resulted } from "./run-fixtures.ts";
import { apiFunction } from "../support/lambda-function.ts";

const file = (index: number) => ({ name: `${index}.txt`, content: () => Buffer.from("a") });

// The start of the execution is one more call, which the fake does not count.
test.each([
  ["without files", { files: [] }, 3],
  ["with 10 files", { files: Array.from({ length: 10 }, (_, index) => file(index)) }, 3],
  ["with an input of 100 KB", { files: [file(0)], text: "x".repeat(100_000) }, 4],
  ["with a quota", { files: [] }, 4, { maxRunning: 5 }],
  ["with an idempotency key", { files: [], idempotency: { key: "k", request: "r" } }, 4],
])("a create %s makes a fixed number of sequential AWS calls", async (_, input, expected, quota: Quota = {}) => {
  const { stores, key } = await platformWithAgent(quota);
  const before = stores.sequentialCalls();
  const deps = {
    ...stores,
    workflow: { start: async () => {}, stop: async () => {} },
    now: Date.now,
    secretRefusal: () => undefined,
  };
  const principal = await authenticate(stores, key);
  const { id: runId } = await createRun(deps, principal, { name: "n", text: "x", ...input });
  expect(stores.sequentialCalls() - before).toBe(expected);

  const beforeRead = stores.sequentialCalls();
  await readRun(stores, authenticate(stores, key), runId);
  const largeText = "text" in input ? 1 : 0;
  expect(stores.sequentialCalls() - beforeRead).toBe(2 + largeText);
});

test("a read for a client makes no call beyond the key's and the head's, unless the run is its own", async () => {
  const { stores, key, owner } = await platformWithAgent();
  const input = { name: "n", text: "x".repeat(100_000), files: [] };
  const workflow = { start: async () => {}, stop: async () => {} };
  const { id } = await createRun({ ...stores, workflow, now: Date.now, secretRefusal: () => undefined }, owner, input);
  const { key: foreign } = await issueKey(stores.accounts, { id: randomUUID(), organizationId: owner.organizationId });
  // The first use of a key within an hour is recorded, which is a call of its own.
  for (const each of [key, foreign])
    await stores.accounts.touchKey(tokenHash("ak", each) ?? "", Date.now(), Date.now());
  const get = apiFunction(getHandler(stores));
  const callsOf = async (apiKey: string, runId: string): Promise<[number | undefined, number]> => {
    const before = stores.calls();
    const { statusCode } = await get({
      rawPath: "",
      headers: { "x-api-key": apiKey },
      pathParameters: { agent_id: runId },
      isBase64Encoded: false,
      requestContext: { requestId: "r", http: { method: "GET" } },
    });
    return [statusCode, stores.calls() - before];
  };
  for (const runId of [id, randomUUID()]) {
    expect(await callsOf("", runId)).toEqual([401, 0]);
    expect(await callsOf("ak_malformed", runId)).toEqual([401, 0]);
    expect(await callsOf(newToken("ak").token, runId)).toEqual([401, 2]);
    expect(await callsOf(foreign, runId)).toEqual([404, 2]);
  }
  expect(await callsOf(key, id)).toEqual([200, 4]);
});

// The answer and the results, which this model does not outlast. The list of files is in memory. A failed model call adds one call, which no normal step makes.
test("a step makes two sequential AWS calls, and one more for each file that it writes", async () => {
  const [two, five] = await Promise.all([callsOfTurn(2, 0), callsOfTurn(5, 0)]);
  expect(five - two).toBe(3 * 2);
  const [writesTwo, writesFive] = await Promise.all([callsOfTurn(2, 3), callsOfTurn(5, 3)]);
  // The results of calls that write one after the other share one write.
  expect(writesFive - writesTwo).toBeLessThanOrEqual(3 * (2 + 3));
});

test("storing and reading a turn's configuration adds no sequential AWS call before the model", async () => {
  const stores = fakeAwsStores(undefined, { delay: 20 });
  await putAgent(stores);
  await newRun(stores, "r", Date.now(), "Go");
  // Claim and load; agent and organization, which says whether model calls are stopped. The configuration is stored during the call.
  expect(await callsBeforeModel(stores, stores)).toEqual({ sequential: 2, all: 4 });
  // Claim and load; the configuration, in a process that has not read it yet.
  const again = { ...stores, configurations: stores.inAnotherProcess().configurations };
  expect(await callsBeforeModel(stores, again)).toEqual({ sequential: 2, all: 4 });
});

test("a page of events makes one call in sequence, and another one if it has messages", async () => {
  const stores = fakeAwsStores(undefined, { delay: 20 });
  const run = await created(stores.runs);
  const results = Array.from({ length: 300 }, (_, index) => resulted(1, index + 1));
  for (let first = 0; first < results.length; first += 50) {
    const entries = results.slice(first, first + 50);
    expect(await stores.runs.change({ ...onTurn(run), ...numbered(first + 1, { entries }) })).toBe(true);
  }
  for (const [after, calls] of [
    [0, 2],
    [150, 1],
    [298, 1],
    [301, 1],
  ] as const) {
    const before = stores.sequentialCalls();
    const page = await stores.runs.listEvents(run.id, after, 20);
    expect(page.map(({ sequence }) => sequence - after)).toEqual(
      Array.from({ length: Math.min(20, 301 - after) }, (_, index) => index + 1),
    );
    expect(stores.sequentialCalls() - before).toBe(calls);
  }
});

/** Sequential AWS calls of a turn with this number of steps before its last answer, each with parallel calls that write. */
async function callsOfTurn(steps: number, writes: number): Promise<number> {
  const stores = fakeAwsStores(undefined, { delay: 20 });
  await putAgent(stores);
  await newRun(stores, "r", Date.now(), "Go");
  let answers = 0;
  const model: Model = async () => {
    const last = ++answers > steps;
    const list = { id: `c${answers}`, name: "list_files", input: {} };
    const written = Array.from({ length: writes }, (_, index) => {
      const input = { name: `${index}.txt`, content: `of step ${answers}` };
      return { id: `w${answers}-${index}`, name: "write_file", input };
    });
    const toolCalls = last ? [] : [list, ...written];
    const usage = { inputTokens: 1, outputTokens: 1 };
    return { answer: { text: last ? "Done." : "", toolCalls, finishReason: last ? "stop" : "tool-calls", usage } };
  };
  const deps = {
    ...stores,
    now: Date.now,
    secretOf: async () => undefined,
    openModel: async () => ({ model, name: "m", provider: "p" }),
  };
  const before = stores.sequentialCalls();
  const budget = { signal: new AbortController().signal, deadline: Infinity };
  expect(await advance(deps, { runId: "r", turn: 1 }, budget)).toEqual({ done: true, turn: 1 });
  return stores.sequentialCalls() - before;
}

/** AWS calls of an invocation until it calls the model. A later model call is interrupted. */
async function callsBeforeModel(observed: ReturnType<typeof fakeAwsStores>, stores: Stores) {
  const [sequential, all] = [observed.sequentialCalls(), observed.calls()];
  const crash = new AbortController();
  let made: { sequential: number; all: number } | undefined;
  const model: Model = async () => {
    if (made) crash.abort();
    crash.signal.throwIfAborted();
    made = { sequential: observed.sequentialCalls() - sequential, all: observed.calls() - all };
    const toolCalls = [{ id: "c", name: "list_files", input: {} }];
    return { answer: { text: "", toolCalls, finishReason: "tool-calls", usage: { inputTokens: 1, outputTokens: 1 } } };
  };
  const openModel = async () => ({ model, name: "m", provider: "p" });
  const deps = { ...stores, now: Date.now, secretOf: async () => undefined, openModel };
  const budget = { signal: crash.signal, deadline: Infinity, leaseWait: 0 };
  await advance(deps, { runId: "r", turn: 1 }, budget);
  return made;
}

async function platformWithAgent(quota: Quota = {}) {
  const stores = fakeAwsStores(undefined, { delay: 20 });
  const [id, organizationId] = [randomUUID(), randomUUID()];
  const { accounts } = stores;
  await accounts.createOrganization({ id: organizationId, name: "O", model: { enabled: true, provider: "demo" } });
  const limits = { steps: 1, tokens: 1, seconds: 1 };
  await accounts.createAgent({
    ...quota,
    id,
    organizationId,
    name: "A",
    instructions: "",
    tools: [],
    limits,
    status: "active",
  });
  const { key } = await issueKey(accounts, { id, organizationId });
  return { stores, key, owner: { agentId: id, organizationId } };
}
