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
  "waiting",
  "waiting_for_input",
  "finished",
  "technical_error",
  "terminated",
] as const satisfies RunState[];
export type FilterState = (typeof filterStates)[number];

/** The orders of the list, by their names in the address. The largest comes first. */
export const orders = ["created", "steps", "tokens", "dollars", "duration"] as const;
export type Order = (typeof orders)[number];

type Category = NonNullable<RunQuery["category"]>[number];

/** Categories of failures that the list can be limited to. */
const categories: readonly Category[] = [
  "model_configuration",
  "model_refused",
  "model_unavailable",
  "model_answer",
  "limit",
  "internal",
];

/** What the address says about the list. */
export interface Filters {
  status?: FilterState;
  agent?: string;
  text?: string;
  /** As `KEY=VALUE`. */
  label?: string;
  /** One of these, as all lists of values. */
  model?: string[];
  tool?: string[];
  category?: Category[];
  /** IDs. */
  starter?: string[];
  /** US dollars, and seconds, that runs have at least. */
  cost?: number;
  duration?: number;
  window: string;
  sort: Order;
}

export function parseFilters(query: Record<string, string>): Filters {
  const status = filterStates.find((state) => state === query["status"]);
  const sort = orders.find((order) => order === query["sort"]) ?? "created";
  const { agent, q: text, label, since = "" } = query;
  const [model, tool, starter] = [query["model"], query["tool"], query["by"]].map(valuesIn);
  const category = valuesIn(query["category"])?.filter((value): value is Category =>
    categories.some((each) => each === value),
  );
  const [cost, duration] = [amountIn(query["cost"]), amountIn(query["duration"])];
  return {
    ...(status && { status }),
    ...(agent && { agent }),
    ...(text && { text }),
    ...(label && { label }),
    ...(model && { model }),
    ...(tool && { tool }),
    ...(category?.length && { category }),
    ...(starter && { starter }),
    ...(cost !== undefined && { cost }),
    ...(duration !== undefined && { duration }),
    window: Object.hasOwn(windows, since) ? since : defaultWindow,
    sort,
  };
}

function amountIn(text = ""): number | undefined {
  const amount = Number(text);
  return text !== "" && amount >= 0 && amount <= 1e9 ? amount : undefined;
}

/** Values in one field of the address, with commas between them. A comma of a value is `%2C` there, before the address is encoded. */
function valuesIn(field = ""): string[] | undefined {
  const values = field.split(",").filter((value) => value !== "");
  return values.length > 0 ? values.map((value) => value.replaceAll("%2C", ",").replaceAll("%25", "%")) : undefined;
}

/** See `valuesIn`. */
export function fieldOf(values: string[]): string {
  return values.map((value) => value.replaceAll("%", "%25").replaceAll(",", "%2C")).join(",");
}

/** The conditions besides status and time, by their names in the address. */
export function conditionsOf({
  text,
  agent,
  label,
  model,
  tool,
  category,
  starter,
  cost,
  duration,
}: Filters): string[] {
  const all = { q: text, agent, label, model, tool, category, by: starter, cost, duration };
  return Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [name]));
}

export type RunQuery = Operations["list_runs"]["parameters"];

/** The query of the API. `now`: milliseconds since 1970. */
export function apiQuery(
  { status, agent, text, label, model, tool, category, starter, cost, duration, window, sort }: Filters,
  organizationId: string | undefined,
  now: number,
): RunQuery {
  const { hours } = windows[window] ?? {};
  return {
    status: status && [status],
    agent_id: agent,
    q: text,
    label: label === undefined ? undefined : [label],
    model,
    tool,
    category,
    started_by: starter,
    min_dollars: cost,
    min_seconds: duration,
    sort: sort === "created" ? undefined : sort,
    organization_id: agent === undefined ? organizationId : undefined,
    // Whole minutes: the address of the request changes rarely.
    since: hours === undefined ? undefined : new Date(Math.floor(now / 60_000 - hours * 60) * 60_000).toISOString(),
  };
}
