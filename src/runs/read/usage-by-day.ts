import { setImmediate } from "node:timers/promises";
import { findAgent } from "../../accounts/agents.ts";
import { addUsage, noUsage, type Usage } from "../../agent/turn/limits.ts";
import { organizationsOf, type RunFilter } from "./list-runs.ts";
import type { Stores } from "../ports.ts";
import { dayOf } from "../quotas.ts";
import type { Run, RunPlace } from "../types.ts";

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

/** Runs that are added up at most: on AWS, 100,000 runs are 70 MB. */
const maxRuns = 100_000;
/** Runs per read, and reads at a time. Other requests are handled between two reads. */
const [pageLimit, maxReads] = [500, 4];

interface UsageDeps extends Pick<Stores, "accounts" | "runs"> {
  now: () => number;
}

/** Runs to add up. `milliseconds`: after this time, the report ends with what it has. */
type UsageQuery = Pick<RunFilter, "of" | "since" | "until" | "onRead"> & { milliseconds: number };

/**
 * Adds up the usage of runs by day of creation, agent and model of the last answer, newest day first. `complete`: all runs
 * are included. Otherwise, the oldest runs of some agents are missing.
 *
 * Reads the agents in turn, a page of each, because a page of many agents' runs costs a read of each agent's list.
 */
export async function usageByDay(
  { accounts, runs, now }: UsageDeps,
  { of, since, until, milliseconds, onRead }: UsageQuery,
): Promise<{ rows: DayUsage[]; complete: boolean }> {
  const deadline = now() + milliseconds;
  const rows = new Map<string, DayUsage>();
  const start = until === undefined ? undefined : { createdAt: until, id: "" };
  const agentIds = await agentIdsOf(accounts, of);
  const unread: { agentId: string; after: RunPlace | undefined }[] = agentIds.map((agentId) => ({
    agentId,
    after: start,
  }));
  let [read, complete] = [0, true];

  async function readPages(): Promise<void> {
    for (let next = unread.shift(); next; next = unread.shift()) {
      if (read >= maxRuns || now() >= deadline) {
        complete = false;
        return;
      }
      const { agentId, after } = next;
      const range = { ...(since !== undefined && { since }), ...(after && { after }), ...(onRead && { onRead }) };
      const page = await runs.list({ agentIds: [agentId], limit: pageLimit, ...range });
      for (const run of page.runs) add(rows, run);
      read += page.runs.length;
      if (page.next) unread.push({ agentId, after: page.next });
      await setImmediate();
    }
  }

  await Promise.all(Array.from({ length: maxReads }, readPages));
  const byDay = [...rows.values()].toSorted((a, b) => (a.day === b.day ? 0 : a.day < b.day ? 1 : -1));
  return { rows: byDay, complete };
}

/** The agents whose runs are added up. Throws if the agent or organization does not exist. */
async function agentIdsOf(accounts: UsageDeps["accounts"], of: RunFilter["of"]): Promise<string[]> {
  const { owner, includes } = await organizationsOf(accounts, of);
  const agents = of.agent === undefined ? await accounts.listAgents(owner) : [await findAgent(accounts, of.agent)];
  return agents.flatMap(({ id, organizationId }) => (includes(organizationId) ? [id] : []));
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
