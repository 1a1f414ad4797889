import { call } from "../api/client.ts";
import type { RunCounts } from "../api/types.ts";
import { daysBefore } from "./days.ts";
import type { UsageRow } from "./report.ts";

export interface UsageData {
  rows: UsageRow[];
  /** False: there were more runs than the service adds up. */
  complete: boolean;
  /** By agent ID; `all`: of every agent. */
  counts: Map<string, RunCounts>;
  /** US dollars per day by agent ID, of agents that have a budget. */
  budgets: Map<string, number>;
}

/** Agents whose errors and budgets are read. Each takes two requests. */
const mostAgents = 5;

/** Usage of the days from `first` and of as many days before, for comparison. */
export async function readUsage(
  first: string,
  days: number,
  organizationId: string | undefined,
  signal: AbortSignal,
): Promise<UsageData> {
  const since = daysBefore(first, days <= 30 ? days : 0);
  const report = await call("get_usage", { since, organization_id: organizationId }, { signal });
  const agents = costliest(report.data.filter(({ day }) => day >= first));
  const [counts, budgets] = await Promise.all([
    countRuns(agents, first, organizationId, signal),
    readBudgets(agents, signal),
  ]);
  return { rows: report.data, complete: report.complete, counts, budgets };
}

function costliest(rows: UsageRow[]): string[] {
  const costs = new Map<string, number>();
  for (const { agent_id, dollars, input_tokens } of rows) {
    costs.set(agent_id, (costs.get(agent_id) ?? 0) + dollars + input_tokens * 1e-12);
  }
  const byCost = [...costs].sort(([, one], [, other]) => other - one);
  return byCost.slice(0, mostAgents).map(([id]) => id);
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

async function readBudgets(agents: string[], signal: AbortSignal): Promise<Map<string, number>> {
  const entries = agents.map(async (id): Promise<[string, number][]> => {
    const { definition } = await call("get_agent", { agent_id: id }, { signal });
    const budget = definition.maxDollarsPerDay;
    return budget === undefined ? [] : [[id, budget]];
  });
  return new Map((await Promise.all(entries)).flat());
}
