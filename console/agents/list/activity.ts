import type { AgentSummary, Schemas } from "../../api/types.ts";
import { formatRelative } from "../../format.ts";
import { costOf, isCostUnknown } from "../../state/cost.ts";

export type Activity = Schemas["AgentActivity"];
export type ActivityReport = Schemas["AgentActivityReport"];

/** An agent with what it did in the last 24 hours. Undefined: it had no run lately, or that is not read yet. */
export interface AgentRow {
  agent: AgentSummary;
  activity: Activity | undefined;
}

export type Order = "last" | "name" | "runs" | "errors" | "cost";

/** Errors from this share of the runs on are red. */
const alarming = 0.05;

export function runsOf(activity: Activity | undefined): number {
  return activity?.runs.reduce((sum, count) => sum + count, 0) ?? 0;
}

/** Technical errors among the runs: 0 to 1. Undefined: there are no runs. */
export function errorShare(activity: Activity | undefined): number | undefined {
  const runs = runsOf(activity);
  return activity && runs > 0 ? activity.technical_errors / runs : undefined;
}

/** `1.9 %`, `100 %`. */
export function shareText(share: number): string {
  const percent = share * 100;
  return `${percent === 0 || percent >= 10 ? Math.round(percent) : percent.toFixed(1)} %`;
}

export function isAlarming(share: number): boolean {
  return share >= alarming;
}

/** The largest, newest or first name first. Agents that are equal in it are in the order of their names. */
export function sorted(rows: AgentRow[], order: Order): AgentRow[] {
  const value = valueOf[order];
  const compared = rows.map((row) => ({ row, key: value(row) }));
  compared.sort(
    ({ row: one, key: a }, { row: other, key: b }) => b - a || one.agent.name.localeCompare(other.agent.name),
  );
  return compared.map(({ row }) => row);
}

const valueOf: Record<Order, (row: AgentRow) => number> = {
  last: ({ activity }) => (activity ? Date.parse(activity.last_run_at) : 0),
  name: () => 0,
  runs: ({ activity }) => runsOf(activity),
  errors: ({ activity }) => errorShare(activity) ?? -1,
  // What is not known may be the largest.
  cost: ({ activity }) => (activity ? costRank(activity) : -1),
};

function costRank(activity: Activity): number {
  const cost = costOf(activity);
  return isCostUnknown(cost) ? Infinity : cost.dollars;
}

/** When an agent without a known run had its last one: `never`, or before what was read. `now`: milliseconds since 1970. */
export function lastRunText(agent: AgentSummary, { covers_since: since }: ActivityReport, now: number): string {
  if (since === null || (agent.created_at ?? "") >= since) return "never";
  const start = formatRelative(Date.parse(since), now);
  return start.endsWith("ago") || start === "now" ? `over ${start}` : `before ${start}`;
}
