import { setImmediate } from "node:timers/promises";
import { findAgent } from "../../accounts/agents/agents.ts";
import { findOrganization } from "../../accounts/organizations.ts";
import type { Accounts } from "../../accounts/account-types.ts";
import { decodePlace, encodePlace } from "./cursor.ts";
import { newestFirst, placeOf } from "./merge-runs.ts";
import type { Runs, Uses } from "../ports.ts";
import type { RunStatus } from "../status.ts";
import type { Run, RunPlace, RunQuery } from "../run-types.ts";

/**
 * Which runs to list: of an agent, of the `agents` of a key, of an organization, of several `organizations`, or all, with
 * `imported` only those that the service recorded; created from `since` to before `until`, in milliseconds since
 * 1970. `matches`: a filter that the store does not have. `cursor`: of the page before.
 */
export interface RunFilter {
  of: { agent?: string; agents?: string[]; organization?: string; organizations?: string[]; imported?: false };
  statuses?: readonly RunStatus[];
  since?: number;
  until?: number;
  matches?: (run: Run) => Promise<boolean>;
  limit: number;
  cursor?: string;
  /** Called with the number of runs of each read. */
  onRead?: (runs: number) => void;
}

/** Whose runs a store lists. */
export type RunOwners = { agentIds: string[] } | { organizationIds: string[] };

export interface ListedRuns {
  runs: Run[];
  cursor?: string;
}

/**
 * Lists runs, newest first, at most `limit`. With `cursor`, there may be more: the page can be short, or even empty,
 * because filters end after a bounded number of runs.
 */
export async function listRuns(
  { accounts, runs }: Uses<"accounts" | "runs">,
  { of, statuses, since, until, matches, limit, cursor, onRead }: RunFilter,
): Promise<ListedRuns> {
  const before = until === undefined ? undefined : { createdAt: until, id: "" };
  const [after] = [before, cursor === undefined ? undefined : placeIn(cursor)]
    .filter((place) => place !== undefined)
    .toSorted(newestFirst)
    .slice(-1);
  const query: RunQuery = {
    ...(await ownersOf(accounts, of)),
    ...(of.imported === false && { imported: false }),
    ...(statuses && { statuses }),
    ...(since !== undefined && { since }),
    ...(after && { after }),
    limit,
    ...(onRead && { onRead }),
  };
  const page = matches ? await scan(runs, query, matches) : await runs.list(query);
  return { runs: page.runs, ...(page.next && { cursor: cursorOf(page.next) }) };
}

/** Runs that are read for a page with a filter that the store does not have, and for each read of the store. */
const [maxScanned, scanPage] = [1_000, 250];
/** Runs that are compared before other requests are handled: each can be a read of its input. */
const comparedAtOnce = 50;

async function scan(
  runs: Runs,
  query: RunQuery,
  matches: NonNullable<RunFilter["matches"]>,
): Promise<{ runs: Run[]; next?: RunPlace }> {
  const found: Run[] = [];
  let { after } = query;
  for (let scanned = 0; scanned < maxScanned; scanned += scanPage) {
    const page = await runs.list({ ...query, ...(after && { after }), limit: scanPage });
    for (let at = 0; at < page.runs.length; at += comparedAtOnce) {
      const some = page.runs.slice(at, at + comparedAtOnce);
      const passed = await Promise.all(some.map(matches));
      found.push(...some.filter((_, index) => passed[index]));
      await setImmediate();
    }
    const last = found[query.limit - 1];
    if (last && found.length > query.limit) return { runs: found.slice(0, query.limit), next: placeOf(last) };
    if (!page.next) return { runs: found };
    after = page.next;
    if (last || page.runs.length < scanPage) break; // a short page: the store has read its bounded number of runs
  }
  return { runs: found, ...(after && { next: after }) };
}

/**
 * Whose runs are listed: never each agent of an organization, which would cost a read for each. Throws if the agent or
 * organization does not exist.
 */
export async function ownersOf(accounts: Accounts, of: RunFilter["of"]): Promise<RunOwners> {
  if (of.agents) return { agentIds: of.agents };
  const { owner, includes } = await organizationsOf(accounts, of);
  if (of.agent !== undefined) {
    const { id, organizationId } = await findAgent(accounts, of.agent);
    return { agentIds: includes(organizationId) ? [id] : [] };
  }
  const ids = owner === undefined ? (await accounts.listOrganizations()).map(({ id }) => id) : [owner];
  return { organizationIds: ids.filter(includes) };
}

/** The organization of a filter, and which organizations pass it. Throws if the organization does not exist. */
export async function organizationsOf(
  accounts: Accounts,
  { organization, organizations }: RunFilter["of"],
): Promise<{ owner: string | undefined; includes: (id: string) => boolean }> {
  const owner = organization === undefined ? undefined : (await findOrganization(accounts, organization)).id;
  const includes = (id: string): boolean =>
    (owner === undefined || id === owner) && (organizations?.includes(id) ?? true);
  return { owner, includes };
}

function cursorOf({ createdAt, id }: RunPlace): string {
  return encodePlace({ time: createdAt, id });
}

function placeIn(cursor: string): RunPlace {
  const { time: createdAt, id } = decodePlace(cursor);
  return { createdAt, id };
}
