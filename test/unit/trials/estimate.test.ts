import { describe, expect, it } from "vitest";
import {
  controlCases,
  estimateNotes,
  estimateUse,
  measuredEstimate,
  refusalOfBudget,
} from "../../../src/trials/estimate.ts";
import { arm, caseOf, casesOf, configuration, ended, leftRecord, prices, unpriced, used } from "./samples.ts";

const trial = { candidate: configuration(), control: configuration(), settings: { control: 0 } };
const withControl = (control: number) => ({ ...trial, settings: { control } });
const limits = { steps: 50, tokens: 500_000, seconds: 1_800 };
const limited = (more: object) => ({ ...trial, candidate: configuration({ limits: { ...limits, ...more } }) });

const oneWith = (more: object) => casesOf(1, { source: { runId: "S", turn: 1, used: used(more) } });

const tried = (count: number, more = {}) => casesOf(count, { candidate: arm(), ...more });

const unpricedSentence = (what: string) =>
  `budget.dollars: ${what} has no prices, so its cost is unknown. Set prices in the agent, or budget.tokens instead.`;

describe("an estimate", () => {
  it("is 0.7 to 2 times what the recorded turns have used, at the candidate's prices", () => {
    // 1,000 input tokens at $2 and 100 output tokens at $10 per million: $0.003 for each case.
    const { tokens, dollars, cases } = estimateUse(trial, casesOf(10));
    expect(cases).toBe(10);
    expect(tokens).toEqual({ low: 7_700, high: 22_000 });
    expect(dollars?.low).toBeCloseTo(0.021);
    expect(dollars?.high).toBeCloseTo(0.06);
  });

  it("has the control arms at their prices", () => {
    const dearer = configuration({ prices: { input: 20, output: 100 } });
    const { tokens, dollars } = estimateUse({ ...withControl(3), control: dearer }, casesOf(10));
    expect(tokens).toEqual({ low: 10_010, high: 28_600 });
    expect(dollars?.low).toBeCloseTo(0.021 + 0.063);
    expect(dollars?.high).toBeCloseTo(0.06 + 0.18);
  });

  it("ends at the candidate's limits, and begins at most there", () => {
    const [one] = [casesOf(1)];
    expect(estimateUse(limited({ tokens: 1_500 }), one).tokens).toEqual({ low: 770, high: 1_500 });
    expect(estimateUse(limited({ tokens: 100 }), one).tokens).toEqual({ low: 100, high: 100 });
    expect(estimateUse(limited({ inputTokens: 1_200, outputTokens: 150 }), one).tokens).toEqual({
      low: 770,
      high: 1_350,
    });
    expect(estimateUse(limited({ dollars: 0.001 }), one).dollars).toEqual({ low: 0.001, high: 0.001 });
  });

  it("begins with the recorded share of cached tokens and ends without it", () => {
    const cached = { source: { runId: "S", turn: 1, used: used({ cachedInputTokens: 1_000 }) } };
    const cheaper = { ...trial, candidate: configuration({ prices: { ...prices, cachedInput: 0.2 } }) };
    const { dollars } = estimateUse(cheaper, casesOf(1, cached));
    expect(dollars?.low).toBeCloseTo(0.7 * (0.0002 + 0.001));
    expect(dollars?.high).toBeCloseTo(0.006);
  });

  it("has no dollars if a configuration that is tried has no prices", () => {
    expect(estimateUse({ ...trial, candidate: unpriced() }, casesOf(1))).toEqual({
      cases: 1,
      tokens: { low: 770, high: 2_200 },
    });
    expect(estimateUse({ ...withControl(1), control: unpriced() }, casesOf(2))).not.toHaveProperty("dollars");
    expect(estimateUse({ ...trial, control: unpriced() }, casesOf(2))).toHaveProperty("dollars");
  });

  it("leaves out cases that cannot be tried", () => {
    const cases = [...casesOf(2, { cannotBeTried: "Its files have expired." }), ...casesOf(1)];
    expect(estimateUse(withControl(2), cases)).toMatchObject({ cases: 1, tokens: { low: 1_540, high: 4_400 } });
    expect(controlCases(cases, { control: 2 })).toEqual(casesOf(1));
  });

  it("says which recorded usage is estimated or unknown", () => {
    const cases = [
      ...casesOf(1),
      ...oneWith({ estimatedTokens: 500 }),
      ...oneWith({ inputTokens: 0, outputTokens: 0 }),
    ];
    const estimate = estimateUse(trial, cases);
    expect(estimate).toMatchObject({ cases: 3, estimatedCases: 1, unknownCases: 1, tokens: { high: 4_400 } });
    expect(estimateNotes(estimate)).toEqual([
      "1 of 3 cases are not in the estimate, because the usage of the recorded turn is unknown.",
      "The recorded usage of 1 of 3 cases is itself an estimate, because the provider did not report all tokens.",
    ]);
    expect(estimateNotes(estimateUse({ ...trial, candidate: unpriced() }, casesOf(1)))).toEqual([
      "The cost is unknown, because a configuration of the trial has no prices.",
    ]);
    expect(estimateNotes(estimateUse(trial, casesOf(1)))).toEqual([]);
  });

  it("has no numbers if no usage is known", () => {
    const unknown = { source: { runId: "S", turn: 1, used: used({ inputTokens: 0, outputTokens: 0 }) } };
    expect(estimateUse(trial, casesOf(2, unknown))).toEqual({ cases: 2, unknownCases: 2 });
  });
});

describe("what a trial has measured", () => {
  it("replaces the estimate after five cases", () => {
    expect(measuredEstimate(trial, [...tried(4), ...casesOf(6)])).toBeUndefined();
    const stopped = casesOf(1, { candidate: ended({ kind: "stopped" }) });
    expect(measuredEstimate(trial, [...tried(4), ...stopped, ...casesOf(6)])).toBeUndefined();
    const estimate = measuredEstimate(trial, [
      ...tried(4),
      ...casesOf(1, { candidate: ended(leftRecord) }),
      ...casesOf(6),
    ]);
    expect(estimate).toMatchObject({ cases: 6, tokens: 6_600 });
    expect(estimate?.dollars).toBeCloseTo(0.024);
  });

  it("counts cases in progress as remaining, and none that cannot be tried", () => {
    const cases = [
      ...tried(5),
      caseOf({ candidate: { runId: "R", budget: {} } }),
      caseOf({ cannotBeTried: "It has expired." }),
    ];
    expect(measuredEstimate(trial, cases)).toMatchObject({ cases: 1, tokens: 1_100 });
  });

  it("has the remaining control arms, once one of them has ended", () => {
    const dear = { control: arm({ used: used({ inputTokens: 9_900, dollars: 1 }) }) };
    expect(measuredEstimate(withControl(6), [...tried(5), ...casesOf(3)])).toBeUndefined();
    const estimate = measuredEstimate(withControl(6), [...tried(5, dear), ...casesOf(3)]);
    expect(estimate).toMatchObject({ cases: 3, tokens: 3_300 + 10_000 });
    expect(estimate?.dollars).toBeCloseTo(0.012 + 1);
  });

  it("has no dollars without prices", () => {
    const measured = measuredEstimate({ ...trial, candidate: unpriced() }, [...tried(5), ...casesOf(1)]);
    expect(measured).toEqual({ cases: 1, tokens: 1_100 });
  });

  it("is nothing at the end", () => {
    expect(measuredEstimate(trial, tried(5))).toEqual({ cases: 0, tokens: 0, dollars: 0 });
  });
});

describe("a budget", () => {
  it("is in dollars or tokens", () => {
    const sentence = "budget: expected dollars or tokens, received neither. Set what the trial may use at most.";
    expect(refusalOfBudget({}, trial)).toBe(sentence);
  });

  it("in dollars needs prices of every configuration that is tried", () => {
    expect(refusalOfBudget({ dollars: 2 }, { ...trial, candidate: unpriced() })).toBe(
      unpricedSentence("the candidate"),
    );
    expect(refusalOfBudget({ dollars: 2 }, { ...withControl(1), control: unpriced() })).toBe(
      unpricedSentence("the current configuration, which is tried as well,"),
    );
    expect(refusalOfBudget({ dollars: 2 }, { ...trial, control: unpriced() })).toBeUndefined();
    expect(refusalOfBudget({ tokens: 2 }, { ...trial, candidate: unpriced() })).toBeUndefined();
  });
});
