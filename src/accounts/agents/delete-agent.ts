import { setAgentStatus } from "./agents.ts";
import { type Actor, along } from "../audit.ts";
import { withoutAgent } from "../key-agents.ts";
import { findKey } from "../keys.ts";
import { modify } from "../modify.ts";
import type { Accounts, Agent } from "../account-types.ts";

/**
 * Deletes an agent and ends its keys; a key of several agents keeps the others. Its runs stay readable for operators.
 * Idempotent: a repeated call ends the keys that a failed one left.
 */
export async function deleteAgent(accounts: Accounts, id: string, actor?: Actor): Promise<Agent> {
  const agent = await setAgentStatus(accounts, id, "deleted", actor);
  await endKeys(accounts, agent, actor);
  return agent;
}

/** Ends the keys of an agent, for this agent. A repeated call only changes those that an earlier one left. */
export async function endKeys(
  accounts: Accounts,
  { id, organizationId }: Pick<Agent, "id" | "organizationId">,
  actor?: Actor,
): Promise<void> {
  for (const listed of await accounts.listKeys(id)) {
    if (withoutAgent(listed, id) === listed) continue;
    const { hash, hint } = listed;
    await modify(
      `key ${hint}`,
      () => findKey(accounts, hash),
      (key) => withoutAgent(key, id),
      (next) => {
        const ended = next.agentDeleted && along(actor, "key.disable", hash, Date.now(), { organizationId });
        return accounts.replaceKey(next, ended ?? {});
      },
    );
  }
}
