import { describe, expect, it } from "vitest";
import { noUsage, addUsage, type RunLimits, type Usage, usageOf } from "../../../src/agent/turn/turn-limits.ts";
import type { Model, ModelAnswer } from "../../../src/agent/model.ts";
import { foldEntry, startProgress } from "../../../src/agent/turn/journal.ts";
import { runTurn } from "../../../src/agent/turn/run-turn.ts";
import { answer, endless, turn } from "./scripted.ts";

const usage: ModelAnswer["usage"] = { inputTokens: 1_000, outputTokens: 100, cachedInputTokens: 400 };
const prices = { input: 3, cachedInput: 0.3, output: 15 };
const priceOfCall = (600 * 3 + 400 * 0.3 + 100 * 15) / 1_000_000;

const spending = (): Model => endless(answer("What I have.", [], { usage }), { usage });

const wide = { steps: 1_000, tokens: 1e9, seconds: 3_600 };

describe("prices", () => {
  it("apply to cached input: its own price, or the input price", () => {
    expect(usageOf(usage, prices).dollars).toBeCloseTo(priceOfCall, 10);
    expect(usageOf(usage, { input: 3, output: 15 }).dollars).toBeCloseTo((1_000 * 3 + 100 * 15) / 1_000_000, 10);
    expect(usageOf(usage, undefined).dollars).toBe(0);
  });

  it("apply to cache writes: their own price, or 1.25 times the input price", () => {
    const written = { ...usage, cacheWriteInputTokens: 500 };
    const others = 100 * 3 + 400 * 0.3 + 100 * 15;
    expect(usageOf(written, { ...prices, cacheWriteInput: 6 }).dollars).toBeCloseTo((others + 500 * 6) / 1e6, 10);
    expect(usageOf(written, prices).dollars).toBeCloseTo((others + 500 * 3.75) / 1e6, 10);
    const more = { inputTokens: 100, outputTokens: 0, cachedInputTokens: 80, cacheWriteInputTokens: 90 };
    expect(usageOf(more, prices).dollars).toBeCloseTo((80 * 0.3 + 20 * 3.75) / 1e6, 10);
  });

  it("add to stored totals that lack a newer field", () => {
    const { cacheWriteInputTokens: _, ...before } = usageOf(usage, prices);
    const after = usageOf({ ...usage, cacheWriteInputTokens: 7 }, prices);
    expect(addUsage(before as Usage, after)).toMatchObject({ steps: 2, cacheWriteInputTokens: 7 });
  });

  it("are recorded as cost of each answer, so that later price changes do not affect it", async () => {
    const { input, ports, records } = turn(spending(), { input: { limits: { ...wide, steps: 2 }, prices } });
    const outcome = await runTurn(input, ports);
    const answers = records.filter((record) => record.part === "answer");
    expect(answers.map((record) => record.dollars?.toFixed(6))).toEqual(answers.map(() => priceOfCall.toFixed(6)));
    expect(outcome).toMatchObject({ kind: "done", last: { dollars: expect.closeTo(priceOfCall, 10) } });
    const { used } = records.reduce(foldEntry, startProgress(input.history, 1));
    expect(used).toMatchObject({ steps: 2, inputTokens: 2_000, cachedInputTokens: 800, outputTokens: 200 });
    expect(used.dollars).toBeCloseTo(2 * priceOfCall, 10);
  });
});

describe("each limit of a turn", () => {
  it.each([
    ["inputTokens", 2_500, 3, "limit of 2500 input tokens of this turn"],
    ["outputTokens", 200, 2, "limit of 200 output tokens of this turn"],
    ["dollars", priceOfCall * 3.5, 4, "US dollars of this turn"],
    ["tokens", 1_100, 1, "limit of 1100 tokens of this turn"],
  ] as const)("%s", async (reason, limit, steps, name) => {
    const limits = { ...wide, [reason]: limit };
    const { input, ports, records } = turn(spending(), { input: { limits, prices } });
    const outcome = await runTurn(input, ports);
    expect(outcome).toMatchObject({ kind: "done", text: "What I have.", finishReason: reason });
    expect(outcome).toMatchObject({ last: { ended: reason, note: expect.stringContaining(name) } });
    expect(records.filter((record) => record.part === "answer")).toHaveLength(steps);
  });
});

describe("each limit of a run", () => {
  const before: Usage = {
    ...noUsage,
    steps: 7,
    inputTokens: 7_000,
    outputTokens: 700,
    milliseconds: 50_000,
    dollars: 1,
  };

  it.each<[keyof RunLimits, number, number]>([
    ["steps", 9, 2],
    ["tokens", 9_000, 2],
    ["inputTokens", 9_500, 3],
    ["outputTokens", 701, 1],
    ["dollars", 1.000001, 1],
    ["steps", 7, 0],
    ["seconds", 50, 0],
  ])("%s of %i: %i more calls", async (reason, limit, steps) => {
    const { input, ports, records, events } = turn(spending(), {
      input: { limits: wide, runLimits: { [reason]: limit }, usedBefore: before, prices },
    });
    expect(await runTurn(input, ports)).toMatchObject({
      kind: "done",
      text: "What I have.",
      finishReason: `run_${reason}`,
      last: { note: expect.stringMatching(/^You have reached the limit of .* of this run\./) },
    });
    expect(records.filter((record) => record.part === "answer")).toHaveLength(steps);
    expect(events).toContainEqual({ type: "limit-reached", step: steps + 1, reason, of: "run" });
  });

  it("includes the journal of the turn after a crash", async () => {
    const first = turn(spending(), { input: { limits: { ...wide, steps: 3 } } });
    await runTurn(first.input, first.ports);
    const second = turn(spending(), { input: { journal: first.records, limits: wide, runLimits: { steps: 4 } } });
    expect(await runTurn(second.input, second.ports)).toMatchObject({ finishReason: "run_steps", last: { step: 5 } });
    expect(second.records.filter((record) => record.part === "answer")).toHaveLength(1);
  });
});
