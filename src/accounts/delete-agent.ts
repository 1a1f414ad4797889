import { setAgentStatus } from "./agents.ts";
import { type Actor, along } from "./audit.ts";
import { withoutAgent } from "./key-agents.ts";
import { findKey } from "./keys.ts";
import { modify } from "./modify.ts";
import type { Accounts, Agent } from "./types.ts";

/**
 * Deletes an agent and ends its keys; a key of several agents keeps the others. Its runs stay readable for operators.
 * Idempotent: a repeated call ends the keys that a failed one left.
 */
export async function deleteAgent(accounts: Accounts, id: string, actor?: Actor): Promise<Agent> {
  const agent = await setAgentStatus(accounts, id, "deleted", actor);
  for (const { hash, hint } of await accounts.listKeys(agent.id)) {
    await modify(
      `key ${hint}`,
      () => findKey(accounts, hash),
      (key) => withoutAgent(key, agent.id),
      (next) => {
        const { organizationId } = agent;
        const ended = next.agentDeleted && along(actor, "key.disable", hash, Date.now(), { organizationId });
        return accounts.replaceKey(next, ended ?? {});
      },
    );
  }
  return agent;
}
