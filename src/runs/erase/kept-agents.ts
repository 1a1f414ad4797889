import type { Accounts, Agent } from "../../accounts/account-types.ts";
import { boundedCache } from "../bounded-cache.ts";

/** Milliseconds between two reads of an agent, whose definition has up to 350 KB. */
const keptMilliseconds = 5_000;
const maxAgents = 500;

/**
 * `accounts` for lists of runs, with agents that were read within the last 5 seconds, and for all else. An agent that is
 * changed with `others` is read again at once, one that another process changes within 5 seconds.
 */
export function keptAgents(accounts: Accounts, now: () => number): { forLists: Accounts; others: Accounts } {
  const kept = boundedCache<{ agent: Promise<Agent | undefined>; until: number }>(maxAgents);

  function findAgent(id: string): Promise<Agent | undefined> {
    const found = kept.get(id);
    if (found && now() < found.until) return found.agent;
    const agent = accounts.findAgent(id);
    kept.set(id, { agent, until: now() + keptMilliseconds });
    const forget = (): void => kept.delete(id);
    agent.then((one) => one ?? forget(), forget); // a missing agent may be created at once
    return agent;
  }

  return {
    forLists: { ...accounts, findAgent },
    others: {
      ...accounts,
      replaceAgent: (agent, along) => accounts.replaceAgent(agent, along).finally(() => kept.delete(agent.id)),
    },
  };
}
