import { randomUUID } from "node:crypto";
import type { ModelConfiguration } from "../../src/agent/model.ts";
import { defaultTools } from "../../src/agent/tools/index.ts";
import { newApiKey } from "../../src/accounts/api-key.ts";
import type { Accounts, Agent } from "../../src/accounts/types.ts";

const starterName = "Starter agent";

/**
 * The agent that `npm start` talks of, made with its organization when there is none. `key` is set when it was made
 * now, or when `freshKey` asks for one. `model` replaces the organization's configuration.
 */
export async function starterAgent(
  accounts: Accounts,
  { model, freshKey }: { model?: ModelConfiguration | undefined; freshKey: boolean },
): Promise<{ agent: Agent; key?: string }> {
  const agents = await accounts.listAgents();
  const found = agents.find(({ name, status }) => name === starterName && status === "active");
  const agent = found ?? (await createStarter(accounts));
  if (model) {
    const organization = await accounts.findOrganization(agent.organizationId);
    if (organization) await accounts.putOrganization({ ...organization, model });
  }
  return found && !freshKey ? { agent } : { agent, key: await createKey(accounts, agent) };
}

async function createStarter(accounts: Accounts): Promise<Agent> {
  const organization = { id: randomUUID(), name: "Local", model: { provider: "demo" as const, enabled: true } };
  await accounts.putOrganization(organization);
  const agent: Agent = {
    id: randomUUID(),
    organizationId: organization.id,
    name: starterName,
    instructions:
      "Answer the input. Files that came with it are in your workspace: read them before you answer. Compute numbers " +
      "with run_javascript.",
    tools: defaultTools,
    limits: { steps: 50, tokens: 500_000, seconds: 1_800 },
    status: "active",
  };
  await accounts.putAgent(agent);
  return agent;
}

async function createKey(accounts: Accounts, { id, organizationId }: Agent): Promise<string> {
  const { key, hash, hint } = newApiKey();
  await accounts.putKey({ hash, hint, agentId: id, organizationId, enabled: true, createdAt: Date.now() });
  return key;
}
