import { randomUUID } from "node:crypto";
import { afterAll, expect, test } from "vitest";
import type { Model } from "../../../src/agent/model.ts";
import { StoreUnavailable } from "../../../src/errors.ts";
import { advance, type AdvanceDeps } from "../../../src/workflow/advance.ts";
import { RetryLater } from "../../../src/workflow/retry-later.ts";
import { fail } from "../../../src/workflow/fail.ts";
import { newRun as newTurn, putAgent } from "../../support/scripted-runs.ts";
import { newRun } from "../../platform/run-fixtures.ts";
import { temporaryStores } from "../../support/temporary-stores.ts";

const stores = temporaryStores();
const { runs } = stores;
afterAll(() => stores[Symbol.dispose]());

async function failureFor(error: string, cause: string) {
  const run = newRun({ sequence: 0 });
  await runs.create(run, []);
  await fail({ runs, now: Date.now }, { runId: run.id, turn: 1 }, { error, cause });
  return (await runs.read(run.id))?.run;
}

test.each(["model_unavailable", "internal", "model_configuration"] as const)(
  "keeps the failure category after the last attempt: %s",
  async (category) => {
    const reason = { category, title: "It is away.", remedy: "Wait.", retryable: true };
    const later = new RetryLater(reason, undefined);
    expect(await failureFor(later.name, later.message)).toMatchObject({
      status: "technical_error",
      failure: { category, title: "Failed after 40 retries: It is away.", retryable: true },
    });
  },
);

/** A model that only calls `run_javascript`. */
const programmer: Model = async () => ({
  answer: {
    text: "",
    toolCalls: [{ id: "a", name: "run_javascript", input: { code: "1" } }],
    finishReason: "tool-calls",
    usage: { inputTokens: 1, outputTokens: 1 },
  },
});

test("names the sandbox when it never responded", async () => {
  await putAgent(stores, { tools: ["run_javascript"] });
  const runId = randomUUID();
  await newTurn(stores, runId, Date.now(), "Compute.");
  const deps: AdvanceDeps = {
    ...stores,
    now: Date.now,
    secretOf: async () => undefined,
    openModel: async () => ({ model: programmer, name: "m", provider: "p" }),
    sandboxOf: () => ({
      maxBytes: 1,
      run: () => Promise.reject(new StoreUnavailable("the sandbox's function did not answer (Timeout)")),
    }),
  };
  const budget = { signal: new AbortController().signal, deadline: Infinity };
  const turn = { runId, turn: 1 };
  expect(await advance(deps, turn, budget)).toEqual({ done: false, turn: 1 }); // progress: the answer was recorded
  const error = await advance(deps, turn, budget).catch((thrown: unknown) => thrown as Error);
  expect(error).toBeInstanceOf(RetryLater);
  const { name, message } = error as RetryLater;
  await fail(deps, turn, { error: name, cause: message });
  expect((await runs.read(runId))?.run.failure?.title).toBe(
    "Failed after 40 retries: A part of the service is unavailable: the sandbox's function did not answer (Timeout).",
  );
});

test("maps other errors to internal and keeps their text out of the run", async () => {
  const run = await failureFor("TypeError", "secret detail");
  expect(run).toMatchObject({ status: "technical_error", failure: { category: "internal" } });
  expect(JSON.stringify(run)).not.toContain("secret detail");
});
