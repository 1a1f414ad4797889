import { setImmediate } from "node:timers/promises";
import { findAgent } from "../../../accounts/agents/agents.ts";
import type { AskKind } from "../../../agent/ask-kinds.ts";
import { keysApprove } from "../../control/answer-call.ts";
import type { Stores } from "../../ports.ts";
import type { Run } from "../../run-types.ts";
import { organizationsOf, type RunFilter } from "../list-runs.ts";
import { type AskedCall, openCalls } from "../open-calls.ts";

/** Which waiting runs to list, and which of their calls. */
interface WaitingFilter extends Pick<RunFilter, "of" | "onRead"> {
  kinds?: readonly AskKind[];
  /** Only calls that no API key may answer: approvals, unless the agent lets its keys answer them. */
  forOperators?: boolean;
  limit: number;
}

/** Runs with calls that wait for answers. `more`: there are further ones. */
export interface WaitingRuns {
  waiting: { run: Run; calls: AskedCall[] }[];
  more: boolean;
}

/** Runs whose calls are read at a time, and at most: a filter of calls reads the turn of each run. */
const [readAtOnce, maxRead] = [50, 1_000];

/**
 * Lists runs that wait for answers, those whose time ends first at the beginning, at most `limit`. A filter of calls compares
 * the first 1,000 runs.
 */
export async function waitingRuns(
  { accounts, runs }: Pick<Stores, "accounts" | "runs">,
  { of, kinds, forOperators = false, limit, onRead }: WaitingFilter,
): Promise<WaitingRuns> {
  const { owner, includes } = await organizationsOf(accounts, of);
  const agent = of.agent === undefined ? undefined : (await findAgent(accounts, of.agent)).id;
  const listed = await runs.listAsking(owner === undefined ? {} : { organizationId: owner });
  const asking = listed.filter(
    ({ organizationId, agentId }) => includes(organizationId) && (agent ?? agentId) === agentId,
  );

  const rules = new Map<string, Promise<boolean>>();
  const keysMay = ({ kind }: AskedCall, { agentId }: Run): boolean | Promise<boolean> => {
    if (kind !== "approval") return true;
    const rule = rules.get(agentId) ?? keysApprove(accounts, { agentId });
    rules.set(agentId, rule);
    return rule;
  };
  async function matching(id: string): Promise<WaitingRuns["waiting"]> {
    const state = await runs.loadTurn(id);
    if (!state) return [];
    const { run } = state;
    const calls: AskedCall[] = [];
    for (const call of openCalls(state)) {
      if (kinds && !kinds.includes(call.kind)) continue;
      if (!forOperators || !(await keysMay(call, run))) calls.push(call);
    }
    return calls.length > 0 ? [{ run, calls }] : []; // answered since it was listed: none
  }

  const waiting: WaitingRuns["waiting"] = [];
  let read = 0;
  if (asking.length === 0) onRead?.(0);
  while (read < Math.min(asking.length, maxRead) && waiting.length <= limit) {
    const some = asking.slice(read, read + readAtOnce);
    waiting.push(...(await Promise.all(some.map(({ id }) => matching(id)))).flat());
    read += some.length;
    onRead?.(some.length);
    await setImmediate();
  }
  return { waiting: waiting.slice(0, limit), more: waiting.length > limit || read < asking.length };
}
