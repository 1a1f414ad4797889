import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import type { Failure, Model, ModelOutcome } from "../../src/agent/model.ts";
import { advance } from "../../src/workflow/advance.ts";
import { RetryLater } from "../../src/workflow/retry-later.ts";
import { newRun, putAgent } from "../support/scripted-runs.ts";
import { chatServer, chunk, streams, usageChunk } from "../providers/chat-completions-server.ts";
import { done } from "./admin.ts";
import { createRun, finished, modelAt, newDataDir, startService } from "./service.ts";
import { temporaryStores } from "../support/temporary-stores.ts";

test("a model response that ends a run with an error is counted and shown", async () => {
  const empty = streams(chunk({ role: "assistant" }), chunk({}, { finish_reason: "stop" }), usageChunk);
  await using server = await chatServer(empty, empty);
  await using service = await startService(newDataDir(), modelAt(server.baseUrl));
  const { agent_id: id, loop_status: status } = await finished(
    service,
    await createRun(service, { input_text: "Go." }),
  );
  expect(status).toBe("technical_error");
  const shown = await done(service.dataDir, "run", "show", id);
  expect(shown).toMatchObject({
    failure: { category: "model_answer" },
    usage: { steps: 2, input_tokens: 42, output_tokens: 14 },
    events: [{}, { step: 1 }, { step: 2, usage: { input_tokens: 21, output_tokens: 7 } }],
  });
});

const busy: Failure = { category: "model_unavailable", title: "Busy.", remedy: "Wait.", retryable: true };

/** Errors of `advance` with a model that does one step per call and then requests a delay. */
async function asked(retryAfter: number, calls: number): Promise<unknown[]> {
  using stores = temporaryStores();
  await putAgent(stores, { limits: { steps: 1_000, tokens: 1e9, seconds: 600 } });
  const runId = randomUUID();
  await newRun(stores, runId, Date.now(), "Go.");
  let answers = 1;
  const model: Model = async (): Promise<ModelOutcome> => {
    if (answers-- <= 0) return { failure: busy, retryAfterMs: retryAfter };
    const toolCalls = [{ id: "a", name: "list_files", input: {} }];
    return { answer: { text: "", toolCalls, finishReason: "tool-calls", usage: { inputTokens: 1, outputTokens: 1 } } };
  };
  const deps = {
    ...stores,
    now: Date.now,
    secretOf: async () => undefined,
    openModel: async () => ({ model, name: "m", provider: "p" }),
  };
  const allowance = { signal: new AbortController().signal, deadline: Infinity };
  const errors: unknown[] = [];
  for (let call = 0; call < calls; call++) {
    errors.push(await advance(deps, { runId, turn: 1 }, allowance).catch((error: unknown) => error));
  }
  return errors;
}

test("delays that a provider requests between recorded steps do not count as failed attempts", async () => {
  const errors = await asked(60_000, 2);
  for (const error of errors) expect(error).toBeInstanceOf(RetryLater);
  expect(errors).toMatchObject([
    { retryAfterMs: 60_000, progress: true },
    { retryAfterMs: 60_000, progress: false },
  ]);
});

test("a delay is limited to the time limit of the turn, even when a proxy requests years", async () => {
  const [error] = await asked(99_999_999_999_000, 1);
  const { retryAfterMs = 0 } = error as RetryLater;
  expect(retryAfterMs).toBeGreaterThanOrEqual(120_000);
  expect(retryAfterMs).toBeLessThanOrEqual(600_000);
});
