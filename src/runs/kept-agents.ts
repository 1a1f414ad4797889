import type { Accounts, Agent } from "../accounts/types.ts";
import { boundedCache } from "./bounded-cache.ts";

/** Milliseconds between two reads of all agents, whose definitions are up to 350 KB each. */
const keptMilliseconds = 5_000;
/** Lists by organization. */
const maxLists = 20;

/**
 * `accounts` for lists of runs, with agents that were read within the last 5 seconds, and for all else. An agent that is
 * created with `others` is listed at once, one of another process within 5 seconds.
 */
export function keptAgents(accounts: Accounts, now: () => number): { forLists: Accounts; others: Accounts } {
  let kept = boundedCache<{ agents: Promise<Agent[]>; until: number }>(maxLists);

  function listAgents(organizationId?: string): Promise<Agent[]> {
    const key = organizationId ?? "";
    const found = kept.get(key);
    if (found && now() < found.until) return found.agents;
    const agents = accounts.listAgents(organizationId);
    const into = kept;
    into.set(key, { agents, until: now() + keptMilliseconds });
    agents.catch(() => into.delete(key));
    return agents;
  }

  function forgetAfter<Result>(write: Promise<Result>): Promise<Result> {
    return write.finally(() => (kept = boundedCache(maxLists)));
  }

  return {
    forLists: { ...accounts, listAgents },
    others: {
      ...accounts,
      createAgent: (agent, along) => forgetAfter(accounts.createAgent(agent, along)),
      replaceAgent: (agent, along) => forgetAfter(accounts.replaceAgent(agent, along)),
    },
  };
}
