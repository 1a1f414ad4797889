import { describe, expect, it, vi } from "vitest";
import type { Failure, ModelOutcome } from "../../../src/agent/model.ts";
import { reasoningText } from "../../../src/agent/reasoning.ts";
import { retryDelay } from "../../../src/agent/turn/request-answer.ts";
import { runTurn } from "../../../src/agent/turn/run-turn.ts";
import { answer, scripted, turn } from "./scripted.ts";

const outage: Failure = { category: "model_unavailable", title: "Down.", remedy: "Wait.", retryable: true };

/** A model with these outcomes in order, repeating the last one. Records the times of its calls. */
function model(first: ModelOutcome, ...later: ModelOutcome[]) {
  const outcomes = [first, ...later];
  const calledAt: number[] = [];
  const call = async (): Promise<ModelOutcome> => outcomes[calledAt.push(Date.now()) - 1] ?? outcomes.at(-1) ?? first;
  return { calledAt, call };
}

async function withFakeTime<Value>(work: () => Promise<Value>, milliseconds = 600_000): Promise<Value> {
  vi.useFakeTimers();
  try {
    const result = work();
    await vi.advanceTimersByTimeAsync(milliseconds);
    return await result;
  } finally {
    vi.useRealTimers();
  }
}

describe("a busy provider", () => {
  it("is called again within the step, and the turn continues", async () => {
    const { call, calledAt } = model({ failure: outage }, { failure: outage }, answer("Done."));
    const { input, ports, events } = turn(call, { input: { maxRetryWaitMs: 30_000 } });
    expect(await withFakeTime(() => runTurn(input, ports))).toMatchObject({ kind: "done", text: "Done." });
    expect(calledAt).toHaveLength(3);
    expect(events.filter(({ type }) => type === "model-retry-scheduled")).toHaveLength(2);
  });

  it("is called again after the delay that it asks for", async () => {
    const { call, calledAt } = model({ failure: outage, retryAfterMs: 12_000 }, answer("Done."));
    const { input, ports } = turn(call, { input: { maxRetryWaitMs: 30_000 } });
    await withFakeTime(() => runTurn(input, ports));
    expect((calledAt[1] ?? 0) - (calledAt[0] ?? 0)).toBeGreaterThanOrEqual(12_000);
  });

  it("is left to the workflow when it asks for more than the retry wait or the time left", async () => {
    for (const more of [{ maxRetryWaitMs: 10_000 }, { maxRetryWaitMs: 60_000, deadline: Date.now() + 5_000 }]) {
      const { call, calledAt } = model({ failure: outage, retryAfterMs: 12_000 });
      const { input, ports } = turn(call, { input: { startedAt: Date.now(), ...more }, ports: { now: Date.now } });
      expect(await runTurn(input, ports)).toEqual({ kind: "retry", failure: outage, retryAfterMs: 12_000 });
      expect(calledAt).toHaveLength(1);
    }
  });

  it("is left to the workflow when it stays busy for the whole retry wait", async () => {
    const { call, calledAt } = model({ failure: outage });
    const { input, ports } = turn(call, { input: { maxRetryWaitMs: 30_000 } });
    expect(await withFakeTime(() => runTurn(input, ports))).toEqual({ kind: "retry", failure: outage });
    expect(calledAt.length).toBeGreaterThan(4);
    expect((calledAt.at(-1) ?? 0) - (calledAt[0] ?? 0)).toBeLessThanOrEqual(30_000);
  });

  it("is not called again after the turn is stopped", async () => {
    const stop = new AbortController();
    const { call, calledAt } = model({ failure: outage, retryAfterMs: 20_000 });
    const { input, ports } = turn(call, { input: { maxRetryWaitMs: 30_000 }, ports: { signal: stop.signal } });
    setTimeout(() => stop.abort(), 20);
    expect(await runTurn(input, ports)).toEqual({ kind: "stopped" });
    expect(calledAt).toHaveLength(1);
  });

  it("is called once when the failure is not retryable", async () => {
    const { call, calledAt } = model({ failure: { ...outage, retryable: false } });
    const { input, ports } = turn(call, { input: { maxRetryWaitMs: 30_000 } });
    expect(await runTurn(input, ports)).toMatchObject({ kind: "failed" });
    expect(calledAt).toHaveLength(1);
  });
});

it.each([
  [undefined, "Hm."],
  [true, "Hm."],
  [false, undefined],
])("with recordReasoning %s, the recorded answer has the reasoning %s", async (recordReasoning, shown) => {
  const echo = { origin: "p m", messages: [{ role: "assistant", content: [{ type: "reasoning", text: "Hm." }] }] };
  const tooled = answer("", [{ id: "1", name: "list_files", input: {} }], { echo, reasoning: { milliseconds: 400 } });
  const { model: scriptedModel, requests } = scripted([tooled, answer("Done.")]);
  const { input, ports, records } = turn(scriptedModel, {
    input: recordReasoning === undefined ? {} : { recordReasoning },
  });
  await runTurn(input, ports);
  const [first] = records.flatMap((entry) => (entry.part === "answer" ? [entry.answer] : []));
  expect(first && reasoningText(first)).toBe(shown);
  expect(first?.reasoning).toEqual(shown && { milliseconds: 400 });
  // What the provider needs back is sent back.
  expect(requests[1]?.messages[1]).toMatchObject({ answer: { echo } });
});

it("retry delays have full jitter below a bound that doubles up to 8 s", () => {
  for (const [attempt, bound] of [500, 1_000, 2_000, 4_000, 8_000, 8_000].entries()) {
    const delays = Array.from({ length: 200 }, () => retryDelay(attempt + 1));
    expect(Math.max(...delays)).toBeLessThan(bound);
    expect(Math.max(...delays)).toBeGreaterThan(bound * 0.8);
    expect(Math.min(...delays)).toBeLessThan(bound * 0.2);
  }
  expect(retryDelay(1, 3_000)).toBe(3_000);
});
