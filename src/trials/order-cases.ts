import { verdicts } from "./names.ts";
import type { TrialCase } from "./types.ts";
import { verdictOf } from "./verdict.ts";

/** The verdicts of cases that a person should look at, in the order in which they are listed. */
const lookFirst = ["left_record", "failed", "assertion_broken", "worse", "different"];

/** Whether the verdict of a case asks for a look at it. */
export function needsLook(one: TrialCase): boolean {
  return lookFirst.includes(verdictOf(one) ?? "");
}

/** Cases that need a look first, then those with another verdict, then those without one. */
export function orderCases(cases: TrialCase[]): TrialCase[] {
  return cases.toSorted((a, b) => rankOf(a) - rankOf(b));
}

function rankOf(one: TrialCase): number {
  const verdict = verdictOf(one);
  const first = lookFirst.indexOf(verdict ?? "");
  return first === -1 ? lookFirst.length + (verdict ? verdicts.indexOf(verdict) : verdicts.length) : first;
}
