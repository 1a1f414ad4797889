import { isSameOutcome } from "./compare.ts";
import { judgementOf } from "./judge/judgement.ts";
import type { Verdict } from "./names.ts";
import type { ArmOutcome, TrialCase } from "./types.ts";

/**
 * The verdict of a case: a person's, or else the computed one, or that of the judge in place of `different`. Undefined: the case
 * was not tried yet, is being tried or judged, or was stopped.
 */
export function verdictOf(one: TrialCase): Verdict | undefined {
  const { verdict, cannotBeTried, candidate } = one;
  if (verdict) return verdict.given;
  if (cannotBeTried !== undefined) return "cannot_be_tried";
  const computed = candidate?.outcome && verdictOfOutcome(candidate.outcome);
  const judged = computed === "different" ? judgementOf(one) : undefined;
  if (judged === "in_progress") return undefined;
  return judged?.verdict ?? computed;
}

/** The order is that of `verdicts`. */
function verdictOfOutcome(outcome: ArmOutcome): Verdict | undefined {
  const { ending, assertions, comparison, steps } = outcome;
  if (ending.kind === "stopped") return undefined;
  if (ending.kind !== "finished") return ending.kind;
  if (assertions.some(({ holds }) => !holds)) return "assertion_broken";
  if (!comparison && !steps) throw new Error("a tried turn has finished without a comparison with the recorded one");
  return isSameOutcome(outcome) ? "same" : "different";
}
