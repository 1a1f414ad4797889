import type { Operations } from "../api/operations.ts";
import type { RunState } from "../api/types.ts";

/** Times that the list can begin at, by their names in the address, shortest first. `hours` absent: all runs. */
export const windows: Record<string, { name: string; span: string; hours?: number }> = {
  "1h": { name: "Last hour", span: "1 hour", hours: 1 },
  "24h": { name: "Last 24 hours", span: "24 hours", hours: 24 },
  "7d": { name: "Last 7 days", span: "7 days", hours: 7 * 24 },
  "14d": { name: "Last 14 days", span: "14 days", hours: 14 * 24 },
  "90d": { name: "Last 90 days", span: "90 days", hours: 90 * 24 },
  all: { name: "All time", span: "all time" },
};

const defaultWindow = "14d";

/** The states that the list can be limited to, in the order of the tabs. */
export const filterStates = [
  "running",
  "waiting_for_input",
  "finished",
  "technical_error",
  "terminated",
] as const satisfies RunState[];
export type FilterState = (typeof filterStates)[number];

/** What the address says about the list. */
export interface Filters {
  status?: FilterState;
  agent?: string;
  text?: string;
  /** As `KEY=VALUE`. */
  label?: string;
  window: string;
}

export function parseFilters(query: Record<string, string>): Filters {
  const status = filterStates.find((state) => state === query["status"]);
  const { agent, q: text, label, since = "" } = query;
  const window = Object.hasOwn(windows, since) ? since : defaultWindow;
  return { ...(status && { status }), ...(agent && { agent }), ...(text && { text }), ...(label && { label }), window };
}

export type RunQuery = Operations["list_runs"]["parameters"];

/** The query of the API. `now`: milliseconds since 1970. */
export function apiQuery(
  { status, agent, text, label, window }: Filters,
  organizationId: string | undefined,
  now: number,
): RunQuery {
  const { hours } = windows[window] ?? {};
  return {
    status: status && [status],
    agent_id: agent,
    q: text,
    label: label === undefined ? undefined : [label],
    organization_id: agent === undefined ? organizationId : undefined,
    // Whole minutes: the address of the request changes rarely.
    since: hours === undefined ? undefined : new Date(Math.floor(now / 60_000 - hours * 60) * 60_000).toISOString(),
  };
}

/** A label as the filter and the address have it. */
export function labelText([name, value]: [name: string, value: string]): string {
  return `${name}=${value}`;
}
