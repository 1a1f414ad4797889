import { addUsage, noUsage, type Usage } from "../agent/turn/turn-limits.ts";
import type { Run } from "../runs/run-types.ts";
import { attemptsOf, type Trial, type TrialBudget, type TrialCase, type TriedName, voteNames } from "./trial-types.ts";

/** Share of what an attempt is expected to use that it needs at least: less would cut it off for sure. */
export const leastShare = 0.7;

export type AttemptUse = Pick<Usage, "inputTokens" | "outputTokens" | "dollars">;

/** What a budget leaves for further attempts. */
export interface BudgetLeft {
  /**
   * Takes the limits of the next attempt out of what is left: an equal share for each of `places`. `expected`: what the attempt is
   * expected to use. Undefined: the share is less than it will need.
   */
  take(places: number, expected: AttemptUse): TrialBudget | undefined;
  giveBack(budget: TrialBudget): void;
}

/**
 * What the budget of a trial leaves: less what ended attempts used, and less the limits of those in progress. So all attempts
 * together stay within it, up to one step of each.
 */
export function budgetLeft({ settings: { budget } }: Trial, cases: TrialCase[], inProgress: Run[]): BudgetLeft {
  const attempts = cases.flatMap(attemptsOf);
  const spent = attempts.reduce((sum, { outcome }) => addUsage(sum, outcome?.used ?? noUsage), noUsage);
  const usedBy = new Map(inProgress.map(({ id, used }) => [id, used ?? noUsage]));
  const left = new Map(
    budgetUnits.flatMap((unit) => {
      const limit = budget[unit];
      if (limit === undefined) return [];
      const open = attempts.filter(({ outcome }) => !outcome);
      const reserved = open.map((attempt) =>
        Math.max(attempt.budget[unit] ?? 0, amountOf(unit, usedBy.get(attempt.runId) ?? noUsage)),
      );
      return [[unit, limit - amountOf(unit, spent) - reserved.reduce((sum, each) => sum + each, 0)] as const];
    }),
  );
  return {
    take(places, expected) {
      const share: TrialBudget = {};
      for (const [unit, amount] of left) {
        share[unit] = amount / places;
        if (amount <= 0 || share[unit] < amountOf(unit, expected) * leastShare) return undefined;
      }
      for (const [unit, amount] of left) left.set(unit, amount - (share[unit] ?? 0));
      return share;
    },
    giveBack(share) {
      for (const [unit, amount] of left) left.set(unit, amount + (share[unit] ?? 0));
    },
  };
}

const budgetUnits = ["dollars", "tokens"] as const;

function amountOf(unit: (typeof budgetUnits)[number], used: AttemptUse): number {
  return unit === "dollars" ? used.dollars : used.inputTokens + used.outputTokens;
}

/** What attempts of a trial have used. `dollars`: US dollars. Absent: its configuration has no prices. */
export interface Spent {
  tokens: number;
  dollars?: number;
}

/** What attempts at cases have used. */
export function spentBy(used: Usage[], { definition }: Trial[TriedName]): Spent {
  const dollars = used.reduce((sum, each) => sum + each.dollars, 0);
  return { tokens: used.reduce((sum, each) => sum + tokensOf(each), 0), ...(definition.prices && { dollars }) };
}

/** Usage of the ended attempts of a name that take the turn. `whole`: without those that were stopped. */
export function usageOfTurns(cases: TrialCase[], name: TriedName, { whole = false } = {}): Usage[] {
  const outcomes = cases.map((each) => each[name]?.outcome).filter((outcome) => outcome !== undefined);
  return outcomes.filter(({ ending }) => !whole || ending.kind !== "stopped").map(({ used }) => used);
}

/** Usage of the votes that have ended, those without an answer included. */
export function usageOfVotes(cases: TrialCase[]): Usage[] {
  return cases.flatMap((one) => voteNames.flatMap((name) => one[name]?.outcome?.used ?? []));
}

export function tokensOf({ inputTokens, outputTokens }: Pick<Usage, "inputTokens" | "outputTokens">): number {
  return inputTokens + outputTokens;
}
