import type { Schemas } from "../api/types.ts";

export type UsageRow = Schemas["UsageRow"];

/** What is counted per day. */
export interface Totals {
  runs: number;
  steps: number;
  inputTokens: number;
  outputTokens: number;
  cachedTokens: number;
  dollars: number;
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

export interface Report {
  days: string[];
  /** Most expensive first, at most five. The fifth adds up the others if there are more. */
  series: Series[];
  total: Totals;
}

/** Series of a chart. More colours look alike. */
const most = 5;

export const notRecorded = "not recorded";

/** Adds up the rows of some days by agent or model. `names`: agents' names by their ID. */
export function reportOf(rows: UsageRow[], days: string[], grouping: Grouping, names: Map<string, string>): Report {
  const byId = Map.groupBy(
    rows.filter(({ day }) => days.includes(day)),
    (row) => (grouping === "agent" ? row.agent_id : row.model),
  );
  const all = [...byId]
    .map(([id, of]): Series => {
      const name = grouping === "model" ? (id ?? notRecorded) : (names.get(id ?? "") ?? (id ?? "").slice(0, 8));
      const perDay = addedUp(of, days);
      return { id, name, days: perDay, total: sum(perDay) };
    })
    .sort((one, other) => weight(other.total) - weight(one.total) || other.total.runs - one.total.runs);
  const total = sum(all.map((each) => each.total));
  return { days, series: folded(all, days, grouping), total };
}

/** Dollars, or tokens where there are no prices: a token is far below the price of any. */
function weight({ dollars, inputTokens, outputTokens }: Totals): number {
  return dollars + (inputTokens + outputTokens) * 1e-12;
}

function addedUp(rows: UsageRow[], days: string[]): Totals[] {
  return days.map((day) => sum(rows.filter((row) => row.day === day).map(totalsOf)));
}

function folded(all: Series[], days: string[], grouping: Grouping): Series[] {
  if (all.length <= most) return all;
  const others = all.slice(most - 1);
  const other: Series = {
    id: undefined,
    name: `Other (${others.length} ${grouping}s)`,
    days: days.map((_, index) => sum(others.flatMap((each) => each.days[index] ?? []))),
    total: sum(others.map((each) => each.total)),
  };
  return [...all.slice(0, most - 1), other];
}

function totalsOf(row: UsageRow): Totals {
  return {
    runs: row.runs,
    steps: row.steps,
    inputTokens: row.input_tokens,
    outputTokens: row.output_tokens,
    cachedTokens: row.cached_input_tokens,
    dollars: row.dollars,
    milliseconds: row.milliseconds,
  };
}

export function sum(totals: Totals[]): Totals {
  const result: Totals = {
    runs: 0,
    steps: 0,
    inputTokens: 0,
    outputTokens: 0,
    cachedTokens: 0,
    dollars: 0,
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

/** Share of the input that the provider read from its cache: 0 to 1. Undefined: no input. */
export function cachedShare({ inputTokens, cachedTokens }: Totals): number | undefined {
  return inputTokens > 0 ? cachedTokens / inputTokens : undefined;
}
