import { setImmediate } from "node:timers/promises";
import { findAgent } from "../../accounts/agents/agents.ts";
import { organizationsOf, type RunFilter } from "./list-runs.ts";
import type { Uses } from "../ports.ts";
import type { Run, RunPlace } from "../run-types.ts";

/** Runs that a report reads at most: on AWS, 100,000 runs are 70 MB. */
const maxRuns = 100_000;
/** Runs per read, and reads at a time. Other requests are handled between two reads. */
const [pageLimit, maxReads] = [500, 4];

/** Runs of a report. `milliseconds`: after this time, the report ends with what it has. */
export type ReportQuery = Pick<RunFilter, "of" | "since" | "until" | "onRead"> & { milliseconds: number };

/**
 * Calls `add` with the runs that were created in a period and not imported, those of an agent newest first. `complete`: with all of them.
 * Otherwise, the oldest runs of some agents are missing.
 *
 * Reads the agents in turn, a page of each, because a page of many agents' runs costs a read of each agent's list.
 */
export async function eachRun(
  { accounts, runs, now }: Uses<"accounts" | "runs" | "now">,
  { of, since, until, milliseconds, onRead }: ReportQuery,
  add: (run: Run) => void,
): Promise<{ complete: boolean }> {
  const deadline = now() + milliseconds;
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
      for (const run of page.runs) if (!run.imported) add(run);
      read += page.runs.length;
      if (page.next) unread.push({ agentId, after: page.next });
      await setImmediate();
    }
  }

  await Promise.all(Array.from({ length: maxReads }, readPages));
  return { complete };
}

/** The agents whose runs are read. Throws if the agent or organization does not exist. */
async function agentIdsOf(accounts: Uses<"accounts">["accounts"], of: RunFilter["of"]): Promise<string[]> {
  const { owner, includes } = await organizationsOf(accounts, of);
  const agents = of.agent === undefined ? await accounts.listAgents(owner) : [await findAgent(accounts, of.agent)];
  return agents.flatMap(({ id, organizationId }) => (includes(organizationId) ? [id] : []));
}
