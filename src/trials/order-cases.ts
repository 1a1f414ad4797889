import { type Verdict, verdicts } from "./names.ts";
import type { TrialCase } from "./types.ts";
import { verdictOf } from "./verdict.ts";

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
