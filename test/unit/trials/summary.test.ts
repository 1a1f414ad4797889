import { describe, expect, it } from "vitest";
import { summarize } from "../../../src/trials/summary.ts";
import type { Verdict } from "../../../src/trials/names.ts";
import type { TrialCase } from "../../../src/trials/trial-types.ts";
import { arm, casesOf, configuration, differs, ended, leftRecord, unpriced, used } from "./samples.ts";

const trial = { candidate: configuration(), control: configuration() };
const given = (verdict: Verdict): Partial<TrialCase> => ({
  candidate: arm(differs),
  verdict: { given: verdict, at: 1 },
});
const decided = (better: number, worse: number) =>
  summarize(trial, [...casesOf(better, given("better")), ...casesOf(worse, given("worse"))]).preference;

const control = (same: number, different: number, left = 0) =>
  summarize(trial, [
    ...casesOf(same, { control: arm({ assertions: [{ assertion: 0, holds: false }] }) }),
    ...casesOf(different, { control: arm(differs) }),
    ...casesOf(left, { control: ended(leftRecord) }),
    ...casesOf(1, { control: ended({ kind: "stopped" }) }),
    ...casesOf(1, { control: { runId: "R", budget: {} } }),
  ]).control;

const source = (steps: number, dollars: number, more = {}) => ({
  source: { runId: "S", turn: 1, used: used({ steps, dollars, milliseconds: steps * 1_000 }), ...more },
});
const triedWith = (steps: number, dollars: number) => ({
  candidate: arm({ ...differs, used: used({ steps, dollars, milliseconds: 500 }) }),
});

describe("a summary", () => {
  it("counts cases by verdict, and those without one", () => {
    const cases = [
      ...casesOf(3, { candidate: arm() }),
      ...casesOf(2, { candidate: arm(differs) }),
      ...casesOf(1, { candidate: ended(leftRecord) }),
      ...casesOf(4, { cannotBeTried: "Its files have expired." }),
      ...casesOf(5),
      ...casesOf(1, { candidate: ended({ kind: "stopped" }) }),
      ...casesOf(2, given("worse")),
    ];
    const { verdicts, tried, open } = summarize(trial, cases);
    expect(verdicts).toEqual({
      cannot_be_tried: 4,
      left_record: 1,
      failed: 0,
      assertion_broken: 0,
      same: 3,
      different: 2,
      better: 0,
      worse: 2,
      equal: 0,
      unclear: 0,
    });
    expect([tried, open]).toEqual([8, 6]);
  });

  it("of no cases has counts of 0", () => {
    const summary = summarize(trial, []);
    expect(summary).toMatchObject({ tried: 0, open: 0, spent: { candidate: { tokens: 0, dollars: 0 } } });
    expect(Object.keys(summary)).not.toContain("medians");
    expect(Object.keys(summary)).not.toContain("control");
  });

  it("has what each arm has used, stopped attempts included", () => {
    const cases = [
      ...casesOf(2, { candidate: arm(), control: arm({ used: used({ inputTokens: 400, dollars: 0.5 }) }) }),
      ...casesOf(1, { candidate: ended({ kind: "stopped" }, { used: used({ dollars: 1 }) }) }),
      ...casesOf(1, { candidate: { runId: "R", budget: {} } }),
    ];
    const { spent } = summarize({ ...trial, control: unpriced() }, cases);
    expect(spent.candidate.tokens).toBe(3_300);
    expect(spent.candidate.dollars).toBeCloseTo(1.008);
    expect(spent.control).toEqual({ tokens: 1_000 });
  });
});

describe("better and worse cases", () => {
  it("are too few to say below six", () => {
    expect(decided(5, 0)).toEqual({
      better: 5,
      worse: 0,
      conclusion: "5 better, 0 worse: too few to say. At least 6 cases must be better or worse.",
    });
  });

  // From tables of the binomial distribution: 2 · P(X ≤ min) with p = 1/2.
  it.each([
    [6, 0, 2 / 64],
    [9, 2, (2 * (1 + 11 + 55)) / 2_048],
    [2, 9, (2 * (1 + 11 + 55)) / 2_048],
    [3, 3, 1],
    [250, 250, 1],
  ])("are split by chance with an exact probability: %i to %i", (better, worse, p) => {
    expect(decided(better, worse).p).toBeCloseTo(p, 10);
  });

  it("have a conclusion with the probability", () => {
    expect(decided(9, 2).conclusion).toBe(
      "9 better, 2 worse: if both were equally likely, the probability of a split at least this uneven would be 0.065.",
    );
    expect(decided(200, 0).conclusion).toContain("less than 0.001");
  });
});

describe("the current configuration against itself", () => {
  it("differs in some cases, whatever the assertions say", () => {
    expect(control(7, 2, 1)).toEqual({ cases: 10, differ: 3, leftRecord: 1 });
    expect(control(5, 5)).not.toHaveProperty("cannotJudge");
  });

  it("differs in most cases: the change cannot be judged", () => {
    expect(control(4, 2, 4)).toEqual({
      cases: 10,
      differ: 6,
      leftRecord: 4,
      cannotJudge:
        "The runs of this agent cannot be repeated well enough to judge the change. With the current configuration, 6 of 10 cases differ from the record. 4 of these left the record.",
    });
    expect(control(1, 2)?.cannotJudge).not.toContain("left");
  });
});

describe("medians", () => {
  it("are over cases that both turns finished", () => {
    const cases = [
      ...casesOf(1, { ...source(8, 0.04), ...triedWith(5, 0.01) }),
      ...casesOf(1, { ...source(10, 0.06), ...triedWith(6, 0.02) }),
      ...casesOf(3, { ...source(100, 9), candidate: ended(leftRecord) }),
      ...casesOf(1, source(100, 9)),
    ];
    const { medians } = summarize(trial, cases);
    expect(medians).toMatchObject({
      cases: 2,
      steps: { recorded: 9, tried: 5.5, saving: 3.5 },

      dollars: { cases: 2, recorded: 0.05, tried: 0.015 },
    });
    expect(medians?.seconds).toEqual({ recorded: 9, tried: 0.5 });
    expect(medians?.dollars?.saving).toBeCloseTo(0.035);
  });

  it("have no dollars without prices, recorded or of the candidate", () => {
    const cases = casesOf(3, { ...source(8, 0.04), ...triedWith(5, 0) });
    expect(summarize({ ...trial, candidate: unpriced() }, cases).medians).not.toHaveProperty("dollars");
    const free = casesOf(3, { ...source(8, 0), ...triedWith(5, 0.01) });
    expect(summarize(trial, free).medians).not.toHaveProperty("dollars");
    expect(
      summarize(trial, [...free, ...casesOf(1, { ...source(8, 0.04), ...triedWith(5, 0.01) })]).medians,
    ).toMatchObject({
      cases: 4,
      dollars: { cases: 1, recorded: 0.04, tried: 0.01 },
    });
  });
});
