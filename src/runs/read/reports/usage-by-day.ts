import { addUsage, noUsage, type Usage } from "../../../agent/turn/turn-limits.ts";
import { dayOf } from "../../quotas.ts";
import type { Run } from "../../run-types.ts";
import type { Uses } from "../../ports.ts";
import { eachRun, type ReportQuery } from "../each-run.ts";

/** What several runs have used together. */
export interface RunTotals {
  /** Runs whose status is now `technical_error`. */
  technicalErrors: number;
  used: Usage;
  /** Tokens of runs without a known cost: their agents had no prices, and their dollars are 0. */
  unpricedTokens: number;
}

/** What the runs of an agent that were created on one day have used, with one model. */
export interface DayUsage extends RunTotals, Pick<Run, "organizationId" | "agentId" | "model"> {
  /** UTC, such as `2026-11-22`. */
  day: string;
  runs: number;
}

/**
 * Adds up the usage of runs by day of creation, agent and model of the last answer, newest day first. `complete`: see `eachRun`.
 */
export async function usageByDay(
  deps: Uses<"accounts" | "runs" | "now">,
  query: ReportQuery,
): Promise<{ rows: DayUsage[]; complete: boolean }> {
  const rows = new Map<string, DayUsage>();
  const { complete } = await eachRun(deps, query, (run) => add(rows, run));
  const byDay = [...rows.values()].toSorted((a, b) => (a.day === b.day ? 0 : a.day < b.day ? 1 : -1));
  return { rows: byDay, complete };
}

export const noRuns: RunTotals = { technicalErrors: 0, used: noUsage, unpricedTokens: 0 };

/** The totals with one more run. */
export function addRun(totals: RunTotals, { status, used = noUsage }: Pick<Run, "status" | "used">): RunTotals {
  return {
    technicalErrors: totals.technicalErrors + (status === "technical_error" ? 1 : 0),
    used: addUsage(totals.used, used),
    unpricedTokens: totals.unpricedTokens + (used.dollars ? 0 : used.inputTokens + used.outputTokens),
  };
}

function add(rows: Map<string, DayUsage>, run: Run): void {
  const { organizationId, agentId, model, createdAt } = run;
  const day = dayOf(createdAt);
  const key = JSON.stringify([day, agentId, model ?? null]);
  const row = rows.get(key) ?? {
    day,
    organizationId,
    agentId,
    ...(model !== undefined && { model }),
    runs: 0,
    ...noRuns,
  };
  rows.set(key, { ...row, runs: row.runs + 1, ...addRun(row, run) });
}
