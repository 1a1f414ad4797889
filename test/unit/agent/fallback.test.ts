import { describe, expect, it, vi } from "vitest";
import type { Failure, Message, Model, ModelOutcome, ModelRequest } from "../../../src/agent/model.ts";
import type { FailedEntry, JournalEntry } from "../../../src/agent/turn/journal.ts";
import { runTurn } from "../../../src/agent/turn/run-turn.ts";
import type { TurnInput, TurnOutcome, TurnPorts } from "../../../src/agent/turn/turn-types.ts";
import { answer, call, endless, turn } from "./scripted.ts";

const outage: Failure = { category: "model_unavailable", title: "Down.", remedy: "Wait.", retryable: true };
const unreadable: Failure = { category: "model_answer", title: "Not JSON.", remedy: "Check it.", retryable: false };
const given = { category: outage.category, title: outage.title };
const lists = answer("", [call("1", "list_files", {})]);

const first = { modelName: "big", prices: { input: 1, output: 1 }, parameters: { temperature: 0.1 } };
const fallback = {
  modelName: "small",
  modelConfiguration: "backup",
  prices: { input: 1_000, output: 1_000 },
  parameters: { temperature: 0.9 },
  contextTokens: 50_000,
};

/** A model with these outcomes in order. Repeats the last one. Records its requests. */
function model(...outcomes: ModelOutcome[]) {
  const requests: ModelRequest[] = [];
  const asked: Model = async (request) => {
    requests.push({ ...request, messages: structuredClone(request.messages) });
    const outcome = outcomes[requests.length - 1] ?? outcomes.at(-1);
    if (!outcome) throw new Error("this model is not to be asked");
    return structuredClone(outcome);
  };
  return { asked, requests };
}

/** Runs a turn with two models, and waits no real time. */
async function run(
  [one, two]: [Model, Model],
  {
    input = {},
    ports = {},
    journal = [],
  }: { input?: Partial<TurnInput>; ports?: Partial<TurnPorts>; journal?: JournalEntry[] } = {},
) {
  const made = turn(one, {
    input: { ...first, fallback, maxRetryWaitMs: 30_000, journal, ...input },
    ports: { fallback: two, ...ports },
  });
  vi.useFakeTimers();
  try {
    const running: Promise<TurnOutcome> = runTurn(made.input, made.ports);
    await vi.runAllTimersAsync();
    return { outcome: await running, ...made };
  } finally {
    vi.useRealTimers();
  }
}

const failedIn = (records: JournalEntry[]): FailedEntry[] =>
  records.filter((entry): entry is FailedEntry => entry.part === "failed");

describe("the fallback", () => {
  it("answers after the retries of the first model, and for the rest of the turn", async () => {
    const down = model({ failure: outage });
    const second = model(lists, answer("Done."));
    const { outcome, records, events } = await run([down.asked, second.asked]);
    const asked = { model: "small", configuration: "backup", failure: given };
    expect(outcome).toMatchObject({ kind: "done", text: "Done.", last: { step: 2, model: "small", fallback: asked } });
    expect(records.find(({ part }) => part === "answer")).toMatchObject({ step: 1, model: "small", fallback: asked });
    const failed = failedIn(records);
    expect(failed.length).toBeGreaterThan(4);
    expect(down.requests).toHaveLength(failed.length); // and not once more in the second step
    expect(failed.filter(({ last }) => last)).toEqual([failed.at(-1)]);
    expect(failed.some((entry) => "fallback" in entry)).toBe(false);
    expect(events.filter(({ type }) => type === "fallback-asked")).toHaveLength(1);
  });

  it("answers after one attempt that took longer than all retries", async () => {
    let now = 0;
    const silent = model({ failure: outage });
    const slow: Model = (request) => {
      now += 240_000;
      return silent.asked(request);
    };
    const { outcome } = await run([slow, model(answer("Done.")).asked], { ports: { now: () => now } });
    expect([outcome, silent.requests.length]).toMatchObject([{ kind: "done", text: "Done." }, 1]);
  });

  it("has its own parameters, prices and context window", async () => {
    const second = model(lists, answer("Done."));
    const { outcome, records } = await run([model({ failure: unreadable }).asked, second.asked]);
    expect(second.requests.map(({ parameters }) => parameters?.temperature)).toEqual([0.9, 0.9]);
    const dollars = (15 * 1_000) / 1e6; // of 10 tokens in and 5 out
    expect(records.find(({ part }) => part === "answer")).toMatchObject({ dollars });
    expect(outcome).toMatchObject({ last: { dollars } });
    const long = { role: "user", text: "word ".repeat(40_000) } as const; // more than 50,000 tokens
    const history: Message[] = [long, { role: "assistant", answer: { text: "Yes.", toolCalls: [] } }, long, long];
    const small = model(answer("Summary."), answer("Done."));
    const summarized = await run([model({ failure: unreadable }).asked, small.asked], { input: { history } });
    expect(summarized.records.at(-1)).toMatchObject({ part: "summary", fallback: { model: "small" } });
  });

  it.each([
    ["refuses the request", { category: "model_refused" }],
    ["is not configured well", { category: "model_configuration" }],
    ["fails with an error of the service", { category: "internal" }],
  ] as const)("is not asked when the first model %s", async (_, more) => {
    const second = model();
    const failure = { ...unreadable, ...more };
    const { outcome } = await run([model({ failure }).asked, second.asked]);
    expect([outcome, second.requests]).toEqual([{ kind: "failed", failure }, []]);
  });

  it("is recorded without a configuration if it is the organization's model", async () => {
    const { modelConfiguration: _, ...ofOrganization } = fallback;
    const input = { modelConfiguration: "special", fallback: ofOrganization };
    const { outcome } = await run([model({ failure: unreadable }).asked, model(answer("Done.")).asked], { input });
    expect(outcome).toMatchObject({ last: { fallback: { model: "small" } } });
    expect(JSON.stringify(outcome)).not.toContain("special");
  });

  it("gives the final answer at a limit", async () => {
    const limits = { steps: 1, tokens: 1e6, seconds: 600 };
    const one = model(lists, { failure: unreadable });
    const { outcome } = await run([one.asked, endless(answer("So far."))], { input: { limits } });
    expect(outcome).toMatchObject({ kind: "done", text: "So far.", finishReason: "steps", last: { model: "small" } });
  });

  it("answers at once in a turn that is resumed, and as the first model after an operator's retry", async () => {
    const last: FailedEntry = { part: "failed", step: 1, failure: given, attempt: 9, milliseconds: 7, last: true };
    const never = model();
    const { outcome, records } = await run([never.asked, model(answer("Done.")).asked], { journal: [last] });
    expect(outcome).toMatchObject({ kind: "done", text: "Done.", last: { fallback: { failure: given } } });
    expect([never.requests, records]).toEqual([[], []]);
    const retried: JournalEntry = { part: "resumed", step: 1, instance: "i", reason: "retry" };
    const again = await run([model(answer("Again.")).asked, never.asked], { journal: [last, retried] });
    expect(again.outcome).toMatchObject({ kind: "done", text: "Again.", last: { model: "big" } });
  });

  it("may break off five times itself, after the first model did", async () => {
    const broken: ModelOutcome = { failure: { ...outage, title: "The stream ended." }, begun: true, characters: 30 };
    const one = model(broken);
    const two = model(broken, broken, broken, broken, answer("Done."));
    const { outcome, records } = await run([one.asked, two.asked]);
    expect(outcome).toMatchObject({ kind: "done", text: "Done." });
    expect([one.requests.length, two.requests.length]).toEqual([5, 5]);
    const costs = failedIn(records).map(({ dollars = 0 }) => dollars);
    expect(Math.min(...costs.slice(5))).toBeGreaterThan(Math.max(...costs.slice(0, 5)) * 100);
  });
});

describe("when both models are down", () => {
  const busy: Failure = { ...outage, title: "Busy.", remedy: "Ask later." };

  it("the turn waits with an error that names both, and then asks each of them once", async () => {
    const { outcome, records } = await run([model({ failure: outage }).asked, model({ failure: busy }).asked]);
    const title = "Both models of the agent failed. big: Down. small: Busy.";
    expect(outcome).toEqual({ kind: "retry", failure: { ...busy, title } });
    expect(failedIn(records).filter(({ last }) => last)).toMatchObject([
      { failure: given },
      { failure: { title: "Busy." }, fallback: { model: "small", failure: given } },
    ]);

    const [one, two] = [model({ failure: outage }), model({ failure: busy })];
    const later = await run([one.asked, two.asked], { journal: records });
    expect(later.outcome).toEqual(outcome);
    expect([one.requests.length, two.requests.length]).toEqual([1, 1]);

    const journal = [...records, ...later.records];
    const back = model(lists, { failure: outage }, answer("Done."));
    const recovered = await run([back.asked, model().asked], { journal });
    expect(recovered.outcome).toMatchObject({ kind: "done", text: "Done.", last: { step: 2, model: "big" } });
    expect(back.requests).toHaveLength(3); // it has its retries again
    expect(recovered.records.some((entry) => "fallback" in entry)).toBe(false);
  });

  it("the turn waits for the first one although the fallback has no valid key", async () => {
    const wrong: Failure = { category: "model_configuration", title: "Key?", remedy: "Set it.", retryable: false };
    const { outcome } = await run([model({ failure: outage }).asked, model({ failure: wrong }).asked]);
    const title = "Both models of the agent failed. big: Down. small: Key?.";
    expect(outcome).toEqual({
      kind: "retry",
      failure: { category: "model_unavailable", title, remedy: "Set it.", retryable: true },
    });
  });

  it("a model whose answers broke off five times is not asked again, in later invocations neither", async () => {
    const broken: ModelOutcome = { failure: { ...outage, title: "The stream ended." }, begun: true, characters: 30 };
    const { outcome, records } = await run([model({ failure: outage }).asked, model(broken).asked]);
    expect(outcome).toMatchObject({ kind: "retry" });
    const later = await run([model({ failure: outage }).asked, model().asked], { journal: records });
    expect(later.outcome).toEqual({ kind: "retry", failure: outage });
    const still = await run([model({ failure: outage }).asked, model().asked], {
      journal: [...records, ...later.records],
    });
    expect(still.outcome).toEqual(later.outcome);

    const swapped = await run([model(broken).asked, model({ failure: busy }).asked]);
    expect(swapped.outcome).toMatchObject({ kind: "retry" });
    const second = model(answer("Done."));
    const saved = await run([model().asked, second.asked], { journal: swapped.records });
    expect(saved.outcome).toMatchObject({ kind: "done", text: "Done.", last: { model: "small" } });
  });

  it("the turn fails if waiting helps neither", async () => {
    const { outcome } = await run([model({ failure: unreadable }).asked, model({ failure: unreadable }).asked]);
    const title = "Both models of the agent failed. big: Not JSON. small: Not JSON.";
    expect(outcome).toEqual({ kind: "failed", failure: { ...unreadable, title } });
  });
});
