import { isSame } from "./compare.ts";
import type { Verdict } from "./names.ts";
import type { ArmOutcome, TrialCase } from "./types.ts";

/**
 * The verdict of a case: a person's, or else the computed one. Undefined: the case was not tried yet, is being tried, or was
 * stopped.
 */
export function verdictOf({ verdict, cannotBeTried, candidate }: TrialCase): Verdict | undefined {
  if (verdict) return verdict.given;
  if (cannotBeTried !== undefined) return "cannot_be_tried";
  return candidate?.outcome && verdictOfOutcome(candidate.outcome);
}

/** The order is that of `verdicts`. */
function verdictOfOutcome({ ending, assertions, comparison }: ArmOutcome): Verdict | undefined {
  if (ending.kind === "stopped") return undefined;
  if (ending.kind !== "finished") return ending.kind;
  if (assertions.some(({ holds }) => !holds)) return "assertion_broken";
  if (!comparison) throw new Error("a tried turn has finished without a comparison with the recorded one");
  return isSame(comparison) ? "same" : "different";
}
