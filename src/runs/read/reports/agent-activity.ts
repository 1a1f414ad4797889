import { setImmediate } from "node:timers/promises";
import type { Uses } from "../../ports.ts";
import type { Run } from "../../run-types.ts";
import { listRuns, type RunFilter } from "../list-runs.ts";
import { addRun, noRuns, type RunTotals } from "./usage-by-day.ts";

/** What the runs of an agent did in the last 24 hours. Times are milliseconds since 1970. */
export interface AgentActivity extends RunTotals, Pick<Run, "agentId"> {
  /** Runs created in each two hours, oldest first. */
  runs: number[];
  /** Runs in progress, also older ones. */
  running: number;
  /** When the newest run was created, also an older one. */
  lastRunAt: number;
}

/** The activity of the agents that have runs since `coversSince`. Undefined: of all that have runs. */
export interface RecentActivity {
  agents: AgentActivity[];
  /** Runs that were created since then are included. It is later than 24 hours ago if there are too many runs. */
  coversSince: number | undefined;
}

const [hour, parts] = [3_600_000, 12];
const period = 24 * hour;
/**
 * Runs that are read at most: in the last 24 hours, and in all if those are few. On AWS, 5,000 runs are 10 Queries and 50 reads
 * of 100 runs. The numbers of agents and of older runs do not count.
 */
const [maxRecent, maxRuns, pageLimit] = [5_000, 500, 500];

/** Reads the newest runs of an organization, or of all, and adds them up by agent. */
export async function agentActivity(
  deps: Uses<"accounts" | "runs" | "now">,
  { of, onRead }: Pick<RunFilter, "of" | "onRead">,
): Promise<RecentActivity> {
  const now = deps.now();
  const since = now - period;
  const agents = new Map<string, AgentActivity>();
  let cursor: string | undefined;
  let [read, oldest] = [0, now];
  do {
    const after = { ...(cursor !== undefined && { cursor }), ...(onRead && { onRead }) };
    const page = await listRuns(deps, { of: { ...of, imported: false }, limit: pageLimit, ...after });
    for (const run of page.runs) add(agents, run, since);
    read += Math.max(1, page.runs.length); // an empty page counts, too: each costs a read
    oldest = page.runs.at(-1)?.createdAt ?? oldest;
    cursor = page.cursor;
    await setImmediate();
  } while (cursor !== undefined && read < (oldest >= since ? maxRecent : maxRuns));
  return { agents: [...agents.values()], coversSince: cursor === undefined ? undefined : oldest };
}

function add(agents: Map<string, AgentActivity>, run: Run, since: number): void {
  const { agentId, createdAt, status } = run;
  const before = agents.get(agentId) ?? {
    agentId,
    runs: Array.from({ length: parts }, () => 0),
    running: 0,
    ...noRuns,
    lastRunAt: createdAt,
  };
  const running = before.running + (status === "running" ? 1 : 0);
  const part = Math.min(parts - 1, Math.floor(((createdAt - since) / period) * parts));
  agents.set(agentId, {
    ...before,
    running,
    ...(createdAt >= since && { runs: before.runs.with(part, (before.runs[part] ?? 0) + 1), ...addRun(before, run) }),
  });
}
