import { describe, expect, it, vi } from "vitest";
import type { Failure, ModelOutcome } from "../../../src/agent/model.ts";
import type { FailedEntry, JournalEntry } from "../../../src/agent/turn/journal.ts";
import { runTurn } from "../../../src/agent/turn/run-turn.ts";
import type { TurnOutcome } from "../../../src/agent/turn/turn-types.ts";
import { answer, call, scripted, turn } from "./scripted.ts";

const outage: Failure = { category: "model_unavailable", title: "Down.", remedy: "Wait.", retryable: true };
const rejected: Failure = { category: "model_refused", title: "No.", remedy: "Change it.", retryable: false };
const { category, title } = outage;

/** Runs a turn whose model has these outcomes in order and then answers. Each call takes 7 ms. */
async function runWith(outcomes: ModelOutcome[], journal: JournalEntry[] = [], record = true) {
  const left = [...outcomes];
  let now = 0;
  const model = async (): Promise<ModelOutcome> => {
    now += 7;
    return left.shift() ?? answer("Done.");
  };
  const { input, ports, records } = turn(model, {
    input: { journal, maxRetryWaitMs: 1e9 },
    ports: { now: () => now, ...(!record && { record: async () => false }) },
  });
  vi.useFakeTimers();
  try {
    const running: Promise<TurnOutcome> = runTurn(input, ports);
    await vi.runAllTimersAsync();
    return { outcome: await running, records, calls: outcomes.length - left.length };
  } finally {
    vi.useRealTimers();
  }
}

describe("a failed model call", () => {
  it("is recorded with its failure, duration and the planned wait", async () => {
    const { outcome, records } = await runWith([{ failure: outage, retryAfterMs: 9_000 }, { failure: outage }]);
    expect(outcome).toMatchObject({ kind: "done", text: "Done.", last: { step: 1 } });
    const failed = { part: "failed", step: 1, failure: { category, title }, milliseconds: 7 };
    expect(records).toEqual([
      { ...failed, attempt: 1, waitMs: 9_000 },
      { ...failed, attempt: 2, waitMs: expect.any(Number) },
    ]);
  });

  const broken: ModelOutcome = { failure: { ...outage, title: "The stream ended." }, begun: true };
  const brokenOff = {
    kind: "failed",
    failure: {
      category: "model_answer",
      title: "The model's answer broke off 5 times in this turn, and it is not asked again. Last: The stream ended.",
    },
  };

  it("ends the turn when it is the fifth that had begun to answer, whatever step and however many others failed", async () => {
    const down: ModelOutcome = { failure: outage };
    const outcomes = [
      broken,
      down,
      broken,
      answer("", [call("1", "list_files", {})]),
      broken,
      down,
      broken,
      broken,
      broken,
    ];
    const { outcome, records, calls } = await runWith(outcomes);
    expect(outcome).toMatchObject(brokenOff);
    expect(calls).toBe(8);
    const failed = records.filter((entry): entry is FailedEntry => entry.part === "failed");
    expect(failed.map(({ begun = false }) => begun)).toEqual([true, false, true, true, false, true, true]);
    expect(failed.at(-1)).toMatchObject({ last: true, failure: { category: "model_answer" } });
  });

  it("has the usage that the server reported, else an estimate, on which limits act", async () => {
    const usage = { inputTokens: 100, outputTokens: 20 };
    const { records } = await runWith([
      { ...broken, usage },
      { ...broken, usage: { inputTokens: 0, outputTokens: 3 } },
    ]);
    expect(records).toMatchObject([
      { part: "failed", begun: true, usage },
      { part: "failed", begun: true, usage: { estimated: true, inputTokens: expect.any(Number), outputTokens: 3 } },
    ]);
    expect(records[0]).not.toHaveProperty("usage.estimated");
    const many = { ...broken, usage: { inputTokens: 1e9, outputTokens: 1 } };
    const { outcome } = await runWith([many, answer("", [call("1", "list_files", {})])]);
    expect(outcome).toMatchObject({ kind: "done", finishReason: "tokens" });
  });

  it("counts those of earlier invocations, although many other failures were not recorded", async () => {
    const failed: FailedEntry = { part: "failed", step: 1, failure: { category, title }, attempt: 1, milliseconds: 7 };
    const journal = [
      ...Array.from({ length: 40 }, () => failed),
      ...Array.from({ length: 3 }, () => ({ ...failed, begun: true as const })),
    ];
    const { outcome, records, calls } = await runWith([broken, broken, broken], journal);
    expect(outcome).toMatchObject(brokenOff);
    expect([calls, records.length]).toEqual([2, 2]);
    const fewer = await runWith([broken], journal);
    expect(fewer.outcome).toMatchObject({ kind: "done" });
  });

  it("is marked as the last of its invocation when no attempt follows", async () => {
    for (const failure of [rejected, outage]) {
      const { input, ports, records } = turn(async () => ({ failure, retryAfterMs: 60_000 }));
      await runTurn(input, ports);
      const attempt = { part: "failed", attempt: 1, waitMs: 60_000, last: true };
      expect(records).toMatchObject([{ ...attempt, failure: { title: failure.title } }]);
    }
  });

  it("is recorded when it is aborted at the turn's limit of seconds", async () => {
    const never = turn(async ({ tools, signal }) => {
      if (tools.length === 0) return answer("So far.");
      return new Promise<never>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)));
    });
    never.input.limits.seconds = 0.02;
    expect(await runTurn(never.input, never.ports)).toMatchObject({ kind: "done", text: "So far." });
    expect(never.records).toMatchObject([{ part: "failed", step: 1, failure: { category: "limit" }, last: true }]);
  });

  it("stops the turn when the run has left it", async () => {
    const { outcome, calls } = await runWith([{ failure: outage }, { failure: outage }], [], false);
    expect([outcome, calls]).toEqual([{ kind: "stopped" }, 1]);
  });

  it("is recorded 20 times in a turn, and after that as the last of an invocation only", async () => {
    const failures = Array.from({ length: 30 }, () => ({ failure: outage }));
    const { records } = await runWith([
      ...failures.slice(0, 12),
      answer("", [call("1", "list_files", {})]),
      ...failures,
    ]);
    expect(records.filter(({ part }) => part === "failed")).toHaveLength(20);
    const before = records.filter((entry): entry is FailedEntry => entry.part === "failed");
    const later = await runWith([...failures.slice(0, 3), { failure: rejected }], before);
    expect(later.records).toMatchObject([{ attempt: 4, failure: { title: "No." }, last: true }]);
  });

  it("changes nothing when the turn resumes", async () => {
    const outcomes = [answer("", [call("1", "list_files", {})]), answer("Done.")];
    const failed: FailedEntry = { part: "failed", step: 1, failure: outage, attempt: 1, milliseconds: 1 };
    const plain = scripted(outcomes);
    const first = turn(plain.model);
    await runTurn(first.input, first.ports);
    const resumed = scripted(outcomes);
    const journal = [failed, ...first.records.flatMap((entry) => [entry, { ...failed, step: entry.step + 1 }])];
    const again = turn(resumed.model, { input: { journal } });
    expect(await runTurn(again.input, again.ports)).toMatchObject({ kind: "done", last: { step: 2 } });
    expect(resumed.requests.map(({ messages }) => messages)).toEqual([plain.requests[1]?.messages]);
  });
});
