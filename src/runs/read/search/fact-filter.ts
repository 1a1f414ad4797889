import type { failureCategories } from "../../../agent/model.ts";
import type { Run } from "../../run-types.ts";

/** What a run must be like, beyond its status, labels and texts. A list: one of its values. */
export interface FactFilter {
  models?: string[];
  tools?: string[];
  categories?: (typeof failureCategories)[number][];
  /** IDs of keys, or operators as in the audit. */
  starters?: string[];
  minDollars?: number;
  maxDollars?: number;
  minSeconds?: number;
  maxSeconds?: number;
}

/** Orders of a list of runs. The largest comes first. */
export const runOrders = ["created", "dollars", "tokens", "duration", "steps"] as const;
export type RunOrder = (typeof runOrders)[number];

/** Each condition of a filter as a test of its own. Absent: the filter has no such condition. */
export function factTests(filter: FactFilter, now: number): { [Condition in FactCondition]?: (run: Run) => boolean } {
  const { models, tools, categories, starters, minDollars, maxDollars, minSeconds, maxSeconds } = filter;
  const costs = minDollars !== undefined || maxDollars !== undefined;
  const lasts = minSeconds !== undefined || maxSeconds !== undefined;
  return {
    ...(models && { model: ({ model }: Run) => model !== undefined && models.includes(model) }),
    ...(tools && { tool: (run: Run) => run.tools?.some((name) => tools.includes(name)) ?? false }),
    ...(categories && {
      category: ({ failure }: Run) => failure !== undefined && categories.includes(failure.category),
    }),
    ...(starters && {
      starter: ({ startedBy }: Run) => startedBy !== undefined && starters.includes(startedBy.id),
    }),
    ...(costs && { dollars: (run: Run) => isWithin(dollarsOf(run), minDollars, maxDollars) }),
    ...(lasts && { duration: (run: Run) => isWithin(millisecondsOf(run, now) / 1_000, minSeconds, maxSeconds) }),
  };
}

export type FactCondition = "model" | "tool" | "category" | "starter" | "dollars" | "duration";

function isWithin(value: number | undefined, min = -Infinity, max = Infinity): boolean {
  return value !== undefined && value >= min && value <= max;
}

/** What a run has cost. Undefined: it used tokens without prices. */
export function dollarsOf(run: Run): number | undefined {
  const dollars = run.used?.dollars ?? 0;
  return dollars === 0 && totalTokensOf(run) > 0 ? undefined : dollars;
}

/** Input and output tokens. */
export function totalTokensOf({ used }: Run): number {
  return used ? used.inputTokens + used.outputTokens : 0;
}

/** Milliseconds of all turns, that in progress included, without its waits for answers. */
export function millisecondsOf({ used, status, updatedAt, askedUntil, worked = 0 }: Run, now: number): number {
  const since = askedUntil === undefined ? Math.max(0, now - updatedAt) : 0;
  return (used?.milliseconds ?? 0) + (status === "running" ? worked + since : 0);
}

/** Sorts runs, the largest first; runs with the same value stay in their order. Unknown costs come last. */
export function inRunOrder(runs: Run[], order: RunOrder, now: number): Run[] {
  const valueOf: Record<RunOrder, (run: Run) => number> = {
    created: ({ createdAt }) => createdAt,
    dollars: (run) => dollarsOf(run) ?? -1,
    tokens: totalTokensOf,
    duration: (run) => millisecondsOf(run, now),
    steps: ({ used }) => used?.steps ?? 0,
  };
  const value = valueOf[order];
  return runs.toSorted((a, b) => value(b) - value(a));
}
