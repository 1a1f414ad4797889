import { setImmediate } from "node:timers/promises";
import { addUsage, noUsage, type Usage } from "../agent/turn/limits.ts";
import { agentsOf, type RunFilter } from "./list-runs.ts";
import type { Stores } from "./ports.ts";
import { dayOf } from "./quotas.ts";
import type { Run, RunPlace } from "./types.ts";

/** What the runs of an agent that were created on one day have used, with one model. */
export interface DayUsage extends Pick<Run, "organizationId" | "agentId" | "model"> {
  /** UTC, such as `2026-11-22`. */
  day: string;
  runs: number;
  used: Usage;
}

/** Runs that are added up at most, the newest ones: on AWS, 100,000 runs are 70 MB. */
const maxRuns = 100_000;
/** Runs per read. Other requests are handled between two reads. */
const pageLimit = 500;

/**
 * Adds up the usage of runs by day of creation, agent and model of the last answer, newest day first. `complete`: all runs
 * are included.
 */
export async function usageByDay(
  { accounts, runs }: Pick<Stores, "accounts" | "runs">,
  { of, since, until }: Pick<RunFilter, "of" | "since" | "until">,
): Promise<{ rows: DayUsage[]; complete: boolean }> {
  const rows = new Map<string, DayUsage>();
  const agentIds = [...(await agentsOf(accounts, of)).keys()];
  const query = { agentIds, limit: pageLimit, ...(since !== undefined && { since }) };
  let after: RunPlace | undefined = until === undefined ? undefined : { createdAt: until, id: "" };
  let complete = false;
  for (let read = 0; read < maxRuns && !complete; read += pageLimit) {
    const page = await runs.list({ ...query, ...(after && { after }) });
    for (const run of page.runs) add(rows, run);
    after = page.next;
    complete = after === undefined;
    await setImmediate();
  }
  const byDay = [...rows.values()].toSorted((a, b) => (a.day === b.day ? 0 : a.day < b.day ? 1 : -1));
  return { rows: byDay, complete };
}

function add(rows: Map<string, DayUsage>, { organizationId, agentId, model, createdAt, used }: Run): void {
  const day = dayOf(createdAt);
  const key = JSON.stringify([day, agentId, model ?? null]);
  const row = rows.get(key) ?? {
    day,
    organizationId,
    agentId,
    ...(model !== undefined && { model }),
    runs: 0,
    used: noUsage,
  };
  rows.set(key, { ...row, runs: row.runs + 1, used: addUsage(row.used, used ?? noUsage) });
}
