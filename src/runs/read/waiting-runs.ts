import type { Stores } from "../ports.ts";
import type { Run } from "../types.ts";
import { organizationsOf, type RunFilter } from "./list-runs.ts";
import { type AskedCall, openCalls } from "./open-calls.ts";

/** Runs with calls that wait for answers. `more`: there are further ones. */
export interface WaitingRuns {
  waiting: { run: Run; calls: AskedCall[] }[];
  more: boolean;
}

/** Lists runs that wait for answers, those whose time ends first at the beginning, at most `limit`. */
export async function waitingRuns(
  { accounts, runs }: Pick<Stores, "accounts" | "runs">,
  of: Pick<RunFilter["of"], "organization" | "organizations">,
  limit: number,
): Promise<WaitingRuns> {
  const { owner, includes } = await organizationsOf(accounts, of);
  const listed = await runs.listAsking(owner === undefined ? {} : { organizationId: owner });
  const asking = listed.filter(({ organizationId }) => includes(organizationId));
  const states = await Promise.all(asking.slice(0, limit).map(({ id }) => runs.loadTurn(id)));
  const waiting = states.flatMap((state) => {
    const calls = state ? openCalls(state) : []; // answered since it was listed: none
    return state && calls.length > 0 ? [{ run: state.run, calls }] : [];
  });
  return { waiting, more: asking.length > limit };
}
