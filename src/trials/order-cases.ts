import { verdicts } from "./names.ts";
import type { TrialCase } from "./types.ts";
import { verdictOf } from "./verdict.ts";

/** Verdicts that a person should review, in the order of lists. */
const lookFirst = ["left_record", "failed", "assertion_broken", "worse", "different"];

/** Whether a person should review a case. */
export function needsLook(one: TrialCase): boolean {
  return lookFirst.includes(verdictOf(one) ?? "");
}

/** Cases to review first, then those with another verdict, then those without one. */
export function orderCases(cases: TrialCase[]): TrialCase[] {
  return cases.toSorted((a, b) => rankOf(a) - rankOf(b));
}

function rankOf(one: TrialCase): number {
  const verdict = verdictOf(one);
  const first = lookFirst.indexOf(verdict ?? "");
  return first === -1 ? lookFirst.length + (verdict ? verdicts.indexOf(verdict) : verdicts.length) : first;
}
