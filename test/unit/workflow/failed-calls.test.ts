import { afterAll, expect, onTestFinished, test, vi } from "vitest";
import type { Failure, Model } from "../../../src/agent/model.ts";
import { advance } from "../../../src/workflow/advance.ts";
import { RetryLater } from "../../../src/workflow/retry-later.ts";
import { violations } from "../../support/event-rules.ts";
import { newRun, outputTo, putAgent } from "../../support/scripted-runs.ts";
import { temporaryStores } from "../../support/temporary-stores.ts";

const stores = temporaryStores();
afterAll(() => stores[Symbol.dispose]());

const busy: Failure = { category: "model_unavailable", title: "Busy.", remedy: "Wait.", retryable: true };

test("a failed model call is an event, but not progress that resets the count of retries", async () => {
  await putAgent(stores);
  const { id, createdAt } = await newRun(stores, "r", 1_763_000_000_000, "Go");
  let now = createdAt;
  const clock = vi.spyOn(performance, "now").mockImplementation(() => now);
  onTestFinished(() => clock.mockRestore());
  let calls = 0;
  const model: Model = async () => {
    now += 50;
    if (++calls < 3) return { failure: busy, retryAfterMs: 60_000 };
    const usage = { inputTokens: 1, outputTokens: 1 };
    return { answer: { text: outputTo("Go"), toolCalls: [], finishReason: "stop", usage } };
  };
  const deps = {
    ...stores,
    now: () => now,
    secretOf: async () => undefined,
    openModel: async () => ({ model, name: "m", provider: "p" }),
  };
  const once = () =>
    advance(deps, { runId: id, turn: 1 }, { signal: new AbortController().signal, deadline: Infinity });
  for (const waited of [0, 60_000]) {
    now += waited;
    const error: unknown = await once().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(RetryLater);
    expect(error).toMatchObject({ retryAfterMs: 60_000, progress: false });
  }
  now += 60_000;
  expect(await once()).toEqual({ done: true, turn: 1 });
  const events = await stores.runs.listEvents(id, 0, 100);
  const failed = { part: "failed", failure: { title: "Busy." }, milliseconds: 50, waitMs: 60_000, last: true };
  expect(events).toMatchObject([
    { sequence: 1, role: "input_to_agent", at: createdAt },
    { sequence: 2, ...failed, at: createdAt + 50 },
    { sequence: 3, ...failed, at: createdAt + 60_100 },
    { sequence: 4, part: "answer", milliseconds: 50, at: createdAt + 120_150 },
    { sequence: 5, role: "output_from_agent" },
  ]);
  expect((await stores.runs.read(id))?.run.used).toMatchObject({ steps: 1 });
  expect(await violations(stores.runs, id)).toEqual([]);
});
