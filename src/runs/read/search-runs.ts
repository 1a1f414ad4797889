import type { Agent } from "../../accounts/types.ts";
import { type DescribedRun, excerptLength, type RunDescriber } from "./describe-runs.ts";
import { listRuns, type ListedRuns, type RunFilter } from "./list-runs.ts";
import type { Stores } from "../ports.ts";
import type { RunFilterStatus, RunStatus } from "../status.ts";
import type { Run } from "../types.ts";

/**
 * Which runs to find: with one of `statuses` and all of `labels`. `text`: a part of the name or of the first `excerptLength` characters of the first input, in any
 * case, or the beginning of an id.
 */
export interface RunSearch extends Omit<RunFilter, "statuses" | "matches"> {
  statuses?: RunFilterStatus[];
  text?: string;
  labels?: { name: string; value: string }[];
}

interface Deps extends Pick<Stores, "accounts" | "runs"> {
  describer: RunDescriber;
}

/** A page of found runs, newest first. It may be short, or even empty, although there are more: see `listRuns`. */
export async function searchRuns(deps: Deps, search: RunSearch): Promise<{ runs: DescribedRun[]; cursor?: string }> {
  const { runs, cursor } = await find(deps, search);
  const agents = await agentsOf(deps.accounts, runs);
  const described = await Promise.all(runs.map((run) => deps.describer.describe(run, agents.get(run.agentId))));
  return { runs: described, ...(cursor !== undefined && { cursor }) };
}

/** The agents of the runs of a page, by id. */
async function agentsOf(accounts: Deps["accounts"], runs: Run[]): Promise<Map<string, Agent>> {
  const ids = [...new Set(runs.map(({ agentId }) => agentId))];
  const found = await Promise.all(ids.map((id) => accounts.findAgent(id)));
  return new Map(found.flatMap((agent) => (agent ? [[agent.id, agent] as const] : [])));
}

/** Runs by status. `complete`: all runs are counted. */
export type RunCounts = Record<RunFilterStatus, number> & { complete: boolean };

/** Runs that are counted at most, the newest ones. */
export const maxCounted = 1_000;

/** Counts the newest runs by status. A search for a text ends after `maxCounted` runs, whether they match or not. */
export async function countRuns(
  deps: Deps,
  search: Omit<RunSearch, "statuses" | "limit" | "cursor">,
): Promise<RunCounts> {
  const { runs, cursor } = await find(deps, { ...search, limit: maxCounted });
  const counts = { running: 0, finished: 0, technical_error: 0, terminated: 0, waiting_for_input: 0 };
  for (const run of runs) counts[filterStatusOf(run)]++;
  return { ...counts, complete: cursor === undefined };
}

function storedStatus(status: RunFilterStatus): RunStatus {
  return status === "waiting_for_input" ? "finished" : status;
}

function filterStatusOf({ status, turn }: Run): RunFilterStatus {
  return status === "finished" && turn === 0 ? "waiting_for_input" : status;
}

async function find(deps: Deps, search: RunSearch): Promise<ListedRuns> {
  const { statuses, text, labels, ...rest } = search;
  const stored = statuses && [...new Set(statuses.map(storedStatus))];
  const matchesText = text === undefined || text.trim() === "" ? undefined : textFilter(deps.describer, text.trim());
  const matchesStatus =
    statuses && stored?.includes("finished") ? (run: Run) => statuses.includes(filterStatusOf(run)) : undefined;
  const matchesLabels = labels && ((run: Run) => labels.every(({ name, value }) => run.labels?.[name] === value));
  const matches = async (run: Run): Promise<boolean> =>
    (matchesStatus?.(run) ?? true) && (matchesLabels?.(run) ?? true) && (matchesText ? await matchesText(run) : true);
  return listRuns(deps, {
    ...rest,
    ...(stored && { statuses: stored }),
    ...((matchesText || matchesStatus || matchesLabels) && { matches }),
  });
}

/** Whether name, id or first words of a run match. The input is read only if the others do not match. */
function textFilter(describer: RunDescriber, text: string): (run: Run) => Promise<boolean> {
  const wanted = text.toLowerCase();
  const isId = /^[0-9a-f][0-9a-f-]*$/.test(wanted);
  return async (run) => {
    if ((isId && (run.id.startsWith(wanted) || run.id.endsWith(wanted))) || run.name.toLowerCase().includes(wanted))
      return true;
    if (wanted.length > excerptLength) return false;
    const excerpt = await describer.excerptOf(run);
    return excerpt !== undefined && excerpt.toLowerCase().includes(wanted);
  };
}
