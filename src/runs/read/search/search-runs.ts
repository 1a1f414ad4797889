import type { Agent } from "../../../accounts/account-types.ts";
import { ServiceError } from "../../../errors.ts";
import { type DescribedRun, excerptLength, type RunDescriber } from "../describe-runs.ts";
import { type FactCondition, type FactFilter, factTests, inRunOrder, type RunOrder } from "./fact-filter.ts";
import { listRuns, type ListedRuns, type RunFilter } from "../list-runs.ts";
import type { Stores } from "../../ports.ts";
import type { RunFilterStatus, RunStatus } from "../../status.ts";
import type { Run } from "../../run-types.ts";

/**
 * Which runs to find: with one of `statuses`, all of `labels` and the `facts`. `text`: a part of the name or of the first
 * `excerptLength` characters of the first input, in any case, or the beginning of an id. `order`: default `created`.
 */
export interface RunSearch extends Omit<RunFilter, "statuses" | "matches"> {
  statuses?: RunFilterStatus[];
  text?: string;
  labels?: { name: string; value: string }[];
  facts?: FactFilter;
  order?: RunOrder;
  /** For the duration of turns in progress, in milliseconds since 1970. Default: that of this machine. */
  now?: number;
}

export interface SearchDeps extends Pick<Stores, "accounts" | "runs"> {
  describer: RunDescriber;
}

/** `complete`: in another order than by creation, whether the newest `maxSorted` are all that match. */
export interface FoundRuns {
  runs: DescribedRun[];
  cursor?: string;
  complete?: boolean;
}

/** A page of found runs. By creation, it may be short, or even empty, although there are more: see `listRuns`. */
export async function searchRuns(deps: SearchDeps, search: RunSearch): Promise<FoundRuns> {
  const { runs, cursor, complete } = await findPage(deps, search);
  const described = await describeAll(deps, runs);
  return { runs: described, ...(complete !== undefined && { complete }), ...(cursor !== undefined && { cursor }) };
}

/** A page of found runs as they are stored. See `searchRuns`. */
export function findPage(deps: SearchDeps, search: RunSearch): Promise<ListedRuns & { complete?: boolean }> {
  const { order = "created" } = search;
  return order === "created" ? findRuns(deps, search) : sortedRuns(deps, { ...search, order });
}

/** The runs of a page as lists show them. */
export async function describeAll({ accounts, describer }: SearchDeps, runs: Run[]): Promise<DescribedRun[]> {
  const agents = await agentsOf(accounts, runs);
  return Promise.all(runs.map((run) => describer.describe(run, agents.get(run.agentId))));
}

/** Runs that are sorted at most: the newest ones that match. */
const maxSorted = 1_000;

/** A page of runs in another order than that of their creation. The cursor is the number of runs before the page. */
async function sortedRuns(
  deps: SearchDeps,
  { order, cursor, limit, now = Date.now(), ...search }: RunSearch & { order: RunOrder },
): Promise<ListedRuns & { complete: boolean }> {
  const from = cursor === undefined ? 0 : offsetIn(cursor);
  const { runs, cursor: more } = await findRuns(deps, { ...search, now, limit: maxSorted });
  const page = inRunOrder(runs, order, now).slice(from, from + limit);
  const next = from + limit < runs.length ? { cursor: `sorted-${from + limit}` } : {};
  return { runs: page, complete: more === undefined, ...next };
}

function offsetIn(cursor: string): number {
  const [, offset] = /^sorted-(\d{1,4})$/.exec(cursor) ?? [];
  if (offset !== undefined) return Number(offset);
  throw new ServiceError("invalid_argument", "cursor is of a list in another order; begin again without it");
}

/** The agents of the runs of a page, by id. */
async function agentsOf(accounts: SearchDeps["accounts"], runs: Run[]): Promise<Map<string, Agent>> {
  const ids = [...new Set(runs.map(({ agentId }) => agentId))];
  const found = await Promise.all(ids.map((id) => accounts.findAgent(id)));
  return new Map(found.flatMap((agent) => (agent ? [[agent.id, agent] as const] : [])));
}

function storedStatus(status: RunFilterStatus): RunStatus {
  if (status === "waiting_for_input") return "finished";
  return status === "waiting" ? "running" : status;
}

/** The conditions of a search that are compared run by run, besides its text. */
export type Condition = FactCondition | "status" | "label";

/** Each condition as a test of its own. Absent: the search has no such condition. */
export function conditionTests(
  { statuses, labels, facts = {} }: { [Name in "statuses" | "labels" | "facts"]?: RunSearch[Name] | undefined },
  now: number,
): { [Name in Condition]?: (run: Run) => boolean } {
  return {
    ...factTests(facts, now),
    ...(statuses && { status: (run: Run) => statuses.includes(filterStatusOf(run)) }),
    ...(labels && { label: (run: Run) => labels.every(({ name, value }) => run.labels?.[name] === value) }),
  };
}

/** The status that filters and counts know a run by. */
export function filterStatusOf({ status, turn, askedUntil }: Run): RunFilterStatus {
  if (askedUntil !== undefined) return "waiting";
  return status === "finished" && turn === 0 ? "waiting_for_input" : status;
}

/** The runs that pass all conditions, newest first. */
export async function findRuns(
  deps: SearchDeps,
  { statuses, text, labels, facts, now = Date.now(), order: _order, ...rest }: RunSearch,
): Promise<ListedRuns & { complete?: boolean }> {
  const stored = statuses && [...new Set(statuses.map(storedStatus))];
  const matchesText = text === undefined || text.trim() === "" ? undefined : textFilter(deps.describer, text.trim());
  // The store compares the status. Its "finished" and "running" are two statuses of a search each.
  const compared = stored?.some((status) => status === "finished" || status === "running") ? statuses : undefined;
  const tests = Object.values(conditionTests({ statuses: compared, labels, facts }, now));
  const matches = async (run: Run): Promise<boolean> =>
    tests.every((test) => test(run)) && (matchesText ? await matchesText(run) : true);
  return listRuns(deps, {
    ...rest,
    ...(stored && { statuses: stored }),
    ...((matchesText || tests.length > 0) && { matches }),
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
