import { isSameOutcome } from "./cases/compare.ts";
import { judgementOf } from "./judge.ts";
import { type Verdict, verdicts } from "./names.ts";
import type { AttemptOutcome, TrialCase, TurnEnding } from "./trial-types.ts";

/**
 * What says something about a turn that has finished, in this order: the first verdict counts. Without one, the case is `different`.
 * Another scorer is a line here; what it reads is in the outcome of the attempt.
 */
const scorers: ((outcome: AttemptOutcome<TurnEnding>, one: TrialCase) => Verdict | "in_progress" | undefined)[] = [
  ({ assertions = [] }) => (assertions.some(({ holds }) => !holds) ? "assertion_broken" : undefined),
  (outcome) => (isSameOutcome(outcome) ? "same" : undefined),
  (_, one) => {
    const judged = judgementOf(one);
    return judged === "in_progress" ? judged : judged?.verdict;
  },
];

/**
 * The verdict of a case: a person's, or else that of the scorers. Undefined: the case was not tried yet, is being tried or judged,
 * or was stopped.
 */
export function verdictOf(one: TrialCase): Verdict | undefined {
  const { verdict, cannotBeTried, candidate } = one;
  if (verdict) return verdict.given;
  if (cannotBeTried !== undefined) return "cannot_be_tried";
  const { outcome } = candidate ?? {};
  if (!outcome || outcome.ending.kind === "stopped") return undefined;
  if (outcome.ending.kind !== "finished") return outcome.ending.kind;
  if (!outcome.comparison && !outcome.steps) {
    throw new Error("a tried turn has finished without a comparison with the recorded one");
  }
  for (const score of scorers) {
    const found = score(outcome, one);
    if (found) return found === "in_progress" ? undefined : found;
  }
  return "different";
}

/** Verdicts of cases that need review, in list order. */
const reviewFirst = ["left_record", "failed", "assertion_broken", "worse", "unclear", "different"];

/** Whether a person should review a case with this verdict. Null: the case has no verdict. */
export function needsReview(verdict: Verdict | null): boolean {
  return reviewFirst.includes(verdict ?? "");
}

/** Cases that need review first, then those with another verdict, then those without one. */
export function orderCases(cases: TrialCase[]): TrialCase[] {
  return cases.toSorted((a, b) => rankOf(a) - rankOf(b));
}

function rankOf(one: TrialCase): number {
  const verdict = verdictOf(one);
  const first = reviewFirst.indexOf(verdict ?? "");
  return first === -1 ? reviewFirst.length + (verdict ? verdicts.indexOf(verdict) : verdicts.length) : first;
}
