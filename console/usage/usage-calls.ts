import { call } from "../api/client.ts";
import { daysBefore } from "./days.ts";
import { type Measure, reportOf, type UsageRow } from "./report.ts";

export interface UsageData {
  rows: UsageRow[];
  /** False: there were more runs than the service adds up. */
  complete: boolean;
  /** US dollars per day by the IDs of the agents that have a budget. */
  budgets: Map<string, number>;
}

/**
 * Usage of the days from `first` and of as many days before, for comparison. Budgets are those of the agents that `measure`
 * ranks first: each takes a request.
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
  const ids = series.flatMap(({ id }) => id ?? []);
  return { rows: report.data, complete: report.complete, budgets: await readBudgets(ids, signal) };
}

async function readBudgets(agents: string[], signal: AbortSignal): Promise<Map<string, number>> {
  const entries = agents.map(async (id) => {
    const { definition } = await call("get_agent", { agent_id: id }, { signal });
    const { maxDollarsPerDay: budget } = definition;
    return budget === undefined ? [] : [[id, budget] as const];
  });
  return new Map((await Promise.all(entries)).flat());
}
