import type { Usage } from "../agent/turn/limits.ts";
import { type ArmName, type Trial, type TrialCase, voteNames } from "./types.ts";

/** What an arm or the judge of a trial has used. `dollars`: US dollars. Absent: its configuration has no prices. */
export interface Spent {
  tokens: number;
  dollars?: number;
}

/** What attempts at cases have used. */
export function spentBy(used: Usage[], { definition }: Trial[ArmName]): Spent {
  const dollars = used.reduce((sum, each) => sum + each.dollars, 0);
  return { tokens: used.reduce((sum, each) => sum + tokensOf(each), 0), ...(definition.prices && { dollars }) };
}

/** Usage of the ended attempts of an arm. `whole`: without those that were stopped. */
export function usageOfArm(cases: TrialCase[], arm: ArmName, { whole = false } = {}): Usage[] {
  const outcomes = cases.map((each) => each[arm]?.outcome).filter((outcome) => outcome !== undefined);
  return outcomes.filter(({ ending }) => !whole || ending.kind !== "stopped").map(({ used }) => used);
}

/** Usage of the votes that have ended, those without an answer included. */
export function usageOfVotes(cases: TrialCase[]): Usage[] {
  return cases.flatMap((one) => voteNames.flatMap((name) => one[name]?.outcome?.used ?? []));
}

export function tokensOf({ inputTokens, outputTokens }: Pick<Usage, "inputTokens" | "outputTokens">): number {
  return inputTokens + outputTokens;
}
