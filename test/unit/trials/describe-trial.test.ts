import { expect, it } from "vitest";
import { describeTrial } from "../../../src/trials/describe-trial.ts";
import { summarize } from "../../../src/trials/summary.ts";
import type { TrialBudget, TrialCase } from "../../../src/trials/trial-types.ts";
import { arm, casesOf, configuration, differs, ended, leftRecord, unpriced, used } from "./samples.ts";

const settings = (budget: TrialBudget) => ({
  settings: { outside: { default: "stop" as const }, control: 10, concurrency: 2, assertions: [], budget },
});
const trial = { candidate: configuration(), control: configuration() };
const free = used({ dollars: 0 });

function line(cases: TrialCase[], budget: TrialBudget, of = trial): string {
  return describeTrial(settings(budget), summarize(of, cases));
}

it("a trial is described in one line", () => {
  const same = { candidate: arm({ used: free }) };
  const cases = [
    ...casesOf(7, { ...same, control: arm({ used: used({ dollars: 0.2 }) }) }),
    ...casesOf(3, { ...same, control: arm({ ...differs, used: used({ dollars: 0.18 }) }) }),
    ...casesOf(21, same),
    ...casesOf(9, { verdict: { given: "better", at: 1 } }),
    ...casesOf(2, { verdict: { given: "worse", at: 1 } }),
    ...casesOf(5, { candidate: ended(leftRecord, { used: free }) }),
  ];
  expect(line(cases, { dollars: 2 })).toBe(
    "47 tried · 31 same · 9 better · 2 worse · 5 left the record · current against itself: 3 of 10 differ · $1.94 of $2.00",
  );
});

it("a trial that has just begun has no counts of 0", () => {
  expect(line(casesOf(3), { dollars: 0.05 })).toBe("0 tried · 3 without a verdict · $0.00 of $0.0500");
});

it("all kinds of cases are named", () => {
  const failure = { category: "limit", title: "The limit is reached." } as const;
  const cases = [
    ...casesOf(1, { candidate: arm(differs) }),
    ...casesOf(1, { candidate: arm({ assertions: [{ assertion: 0, holds: false }] }) }),
    ...casesOf(1, { candidate: ended({ kind: "failed", failure }) }),
    ...casesOf(2, { cannotBeTried: "Its files have expired." }),
    ...casesOf(1, { verdict: { given: "equal", at: 1 } }),
  ];
  expect(line(cases, { tokens: 50_000 })).toBe(
    "4 tried · 1 equal · 1 different · 1 broke an assertion · 1 failed · 2 cannot be tried · $0.0120 · 3,300 of 50,000 tokens",
  );
});

it("a cost that is unknown is not shown", () => {
  const cases = casesOf(2, { candidate: arm({ used: free }), control: arm() });
  const costly = casesOf(2, { candidate: arm(), control: arm() });
  const parts = "2 tried · 2 same · current against itself: 0 of 2 differ";
  expect(line(cases, { tokens: 50_000 }, { ...trial, candidate: unpriced() })).toBe(
    `${parts} · 4,400 of 50,000 tokens`,
  );
  expect(line(costly, {}, { ...trial, control: unpriced() })).toBe(`${parts} · 4,400 tokens`);
});
