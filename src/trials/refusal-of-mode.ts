import type { TrialMode } from "./names.ts";
import type { TrialSettings } from "./types.ts";

/** Why a trial of a mode cannot have these settings, as a sentence. Undefined: it can. */
export function refusalOfMode(
  mode: TrialMode,
  { hasCandidate, hasJudge, settings }: { hasCandidate: boolean; hasJudge: boolean; settings: TrialSettings },
): string | undefined {
  const { outside, assertions, budget, tier } = settings;
  const isReplay = mode === "replay";
  if (isReplay === hasCandidate) {
    return isReplay
      ? "a replay takes each turn with what it was recorded with; leave out definition and version"
      : "expected definition or version, received neither";
  }
  if (isReplay && (budget.dollars !== undefined || budget.tokens !== undefined)) {
    return "budget: a replay calls no model and costs nothing; leave out the budget";
  }
  if (isReplay && tier !== undefined) return "tier: a replay calls no model; leave out the tier";
  if (mode === "rerun") return undefined;
  const reason = isReplay ? "a replay repeats what is recorded" : "next_step compares single steps";
  if (hasJudge) return `judge: ${reason}; leave out the judge, or use the mode rerun`;
  if (assertions.length > 0) return `assertions: ${reason}; leave them out, or use the mode rerun`;
  if (outside.default !== "stop" || outside.tools) {
    return `outside: ${reason} and executes no call; leave it out, or use the mode rerun`;
  }
  return undefined;
}
