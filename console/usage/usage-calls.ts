import { call } from "../api/client.ts";
import type { RunCounts } from "../api/types.ts";
import { daysBefore } from "./days.ts";
import { type Measure, reportOf, type UsageRow } from "./report.ts";

export interface UsageData {
  rows: UsageRow[];
  /** False: there were more runs than the service adds up. */
  complete: boolean;
  /** By agent ID; `all`: of every agent. */
  counts: Map<string, RunCounts>;
  /** US dollars per day by the IDs of the agents that were read. Null: no budget. */
  budgets: Map<string, number | null>;
}

/**
 * Usage of the days from `first` and of as many days before, for comparison. Errors and budgets are those of the agents
 * that `measure` ranks first: each takes two requests.
 */
export async function readUsage(
  first: string,
  days: number,
  organizationId: string | undefined,
  measure: Measure | undefined,
  signal: AbortSignal,
): Promise<UsageData> {
  const since = daysBefore(first, days <= 30 ? days : 0);
  const report = await call("get_usage", { since, organization_id: organizationId }, { signal });
  const shown = new Set(report.data.map(({ day }) => day).filter((day) => day >= first));
  const { series } = reportOf(report.data, [...shown], "agent", new Map(), measure);
  const agents = series.flatMap(({ id }) => id ?? []);
  const [counts, budgets] = await Promise.all([
    countRuns(agents, first, organizationId, signal),
    readBudgets(agents, signal),
  ]);
  return { rows: report.data, complete: report.complete, counts, budgets };
}

async function countRuns(
  agents: string[],
  first: string,
  organizationId: string | undefined,
  signal: AbortSignal,
): Promise<Map<string, RunCounts>> {
  const since = `${first}T00:00:00.000Z`;
  const entries = ["all", ...agents].map(async (id) => {
    const query = { since, organization_id: organizationId, agent_id: id === "all" ? undefined : id };
    return [id, await call("count_runs", query, { signal })] as const;
  });
  return new Map(await Promise.all(entries));
}

async function readBudgets(agents: string[], signal: AbortSignal): Promise<Map<string, number | null>> {
  const entries = agents.map(async (id) => {
    const { definition } = await call("get_agent", { agent_id: id }, { signal });
    return [id, definition.maxDollarsPerDay ?? null] as const;
  });
  return new Map(await Promise.all(entries));
}
