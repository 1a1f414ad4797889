import type { Trial, TrialCase } from "../types.ts";

/**
 * Whether the judge is to be asked about a case: its outputs differ, no assertion decides, and neither a person nor the judge has
 * a verdict. Turns that differ in files alone are not judged: the judge does not see contents of files.
 */
export function needsJudge({ judge }: Pick<Trial, "judge">, one: TrialCase): boolean {
  const outcome = one.candidate?.outcome;
  if (!judge || !outcome?.comparison || one.verdict || one.cannotBeTried !== undefined) return false;
  if (one.recordedFirst || one.candidateFirst || outcome.ending.kind !== "finished") return false;
  return !outcome.comparison.sameOutput && outcome.assertions.every(({ holds }) => holds);
}
