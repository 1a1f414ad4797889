import { createAgent } from "../../src/accounts/agents/agents.ts";
import { createKey } from "../../src/accounts/keys.ts";
import type { Accounts } from "../../src/accounts/account-types.ts";

/** Creates another agent of the same organization. Resolves with a key of it. */
export async function keyOfOtherAgent(accounts: Accounts, agentId: string): Promise<string> {
  const first = await accounts.findAgent(agentId);
  if (!first) throw new Error(`there is no agent ${agentId}`);
  const { id } = await createAgent(accounts, first.organizationId, {
    name: "Other agent",
    instructions: "Work.",
    tools: [],
    limits: { steps: 10, tokens: 100_000, seconds: 60 },
  });
  return (await createKey(accounts, id)).key;
}
