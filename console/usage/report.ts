import type { Schemas } from "../api/types.ts";
import { type Cost, costOf, isCostUnknown } from "../state/cost.ts";

export type UsageRow = Schemas["UsageRow"];

/** What is counted per day. */
export interface Totals extends Cost {
  runs: number;
  /** Runs that ended with a technical error. */
  errors: number;
  steps: number;
  inputTokens: number;
  outputTokens: number;
  cachedTokens: number;
  /** Of the input and output tokens. */
  estimatedTokens: number;
  milliseconds: number;
}

/** What one agent or model used. `days`: totals by the report's days, in their order. */
export interface Series {
  /** The ID of the agent, or the model's name. Undefined: several ("Other"). Null: the model is not recorded. */
  id: string | null | undefined;
  name: string;
  days: Totals[];
  total: Totals;
}

export type Grouping = "agent" | "model";

/** What series are ranked by. */
export type Measure = "dollars" | "tokens" | "runs" | "errors";

export interface Report {
  days: string[];
  measure: Measure;
  /** The largest first, at most five. The fifth adds up the others if there are more. */
  series: Series[];
  /** Those that the fifth series adds up, in the same order. */
  others: Series[];
  total: Totals;
}

/** Series of a chart. More colours look alike. */
const most = 5;

export const notRecorded = "not recorded";

/**
 * Adds up the rows of some days by agent or model. `names`: agents' names by their ID. `chosen`: what to rank by. Default:
 * dollars, or tokens if the cost of some is unknown, since the largest may be among those.
 */
export function reportOf(
  rows: UsageRow[],
  days: string[],
  grouping: Grouping,
  names: Map<string, string>,
  chosen?: Measure,
): Report {
  const byId = Map.groupBy(
    rows.filter(({ day }) => days.includes(day)),
    (row) => (grouping === "agent" ? row.agent_id : row.model),
  );
  const all = [...byId].map(([id, of]): Series => {
    const name = grouping === "model" ? (id ?? notRecorded) : (names.get(id ?? "") ?? (id ?? "").slice(0, 8));
    const perDay = addedUp(of, days);
    return { id, name, days: perDay, total: sum(perDay) };
  });
  const total = sum(all.map((each) => each.total));
  const measure = chosen ?? (total.unpricedTokens > 0 ? "tokens" : "dollars");
  all.sort(
    ({ total: one }, { total: other }) =>
      measured(other, measure) - measured(one, measure) || tokensOf(other) - tokensOf(one),
  );
  const others = all.length > most ? all.slice(most - 1) : [];
  const series =
    others.length > 0 ? [...all.slice(0, most - 1), added(others, days, `Other (${others.length} ${grouping}s)`)] : all;
  return { days, measure, series, others, total };
}

export function measured(totals: Totals, measure: Measure): number {
  return measure === "tokens" ? tokensOf(totals) : totals[measure];
}

function addedUp(rows: UsageRow[], days: string[]): Totals[] {
  return days.map((day) => sum(rows.filter((row) => row.day === day).map(totalsOf)));
}

/** Several series as one. */
export function added(series: Series[], days: string[], name: string): Series {
  return {
    id: undefined,
    name,
    days: days.map((_, index) => sum(series.flatMap((each) => each.days[index] ?? []))),
    total: sum(series.map((each) => each.total)),
  };
}

function totalsOf(row: UsageRow): Totals {
  return {
    runs: row.runs,
    errors: row.technical_errors,
    steps: row.steps,
    inputTokens: row.input_tokens,
    outputTokens: row.output_tokens,
    cachedTokens: row.cached_input_tokens,
    estimatedTokens: row.estimated_tokens,
    ...costOf(row),
    milliseconds: row.milliseconds,
  };
}

export function sum(totals: Totals[]): Totals {
  const result: Totals = {
    runs: 0,
    errors: 0,
    steps: 0,
    inputTokens: 0,
    outputTokens: 0,
    cachedTokens: 0,
    estimatedTokens: 0,
    dollars: 0,
    unpricedTokens: 0,
    milliseconds: 0,
  };
  for (const each of totals) {
    for (const name of Object.keys(result) as (keyof Totals)[]) result[name] += each[name];
  }
  return result;
}

export function tokensOf({ inputTokens, outputTokens }: Totals): number {
  return inputTokens + outputTokens;
}

/** What the series has of the whole, in the report's measure: 0 to 1. Undefined: its cost, or the whole, is not known. */
export function shareOf({ total }: Pick<Series, "total">, { measure, total: whole }: Report): number | undefined {
  const all = measured(whole, measure);
  const isUnknown = measure === "dollars" && isCostUnknown(total);
  return isUnknown || all === 0 ? undefined : measured(total, measure) / all;
}

/** Share of the input that the provider read from its cache: 0 to 1. Undefined: no input. */
export function cachedShare({ inputTokens, cachedTokens }: Totals): number | undefined {
  return inputTokens > 0 ? cachedTokens / inputTokens : undefined;
}
