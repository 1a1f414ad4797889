import type { ModelConfiguration } from "../agent/model.ts";
import { defaultTools } from "../agent/tools/definitions.ts";
import type { Actor } from "./audit.ts";
import { createAgent, findAgent } from "./agents/agents.ts";
import { issueKey } from "./keys.ts";
import { createOrganization, setModel } from "./organizations.ts";
import type { Accounts, Agent, AgentDefinition } from "./account-types.ts";

const starterName = "Starter agent";

/**
 * Finds or creates the agent that a first `npm start` offers, with its organization.
 *
 * - `model` replaces the organization's model; without it a new organization has the demo model.
 * - `actor`: for the audit.
 * - `key` is set when the agent is new, or when `newKey` asks for one.
 */
export async function seedStarterAgent(
  accounts: Accounts,
  { model, newKey, actor }: { model?: ModelConfiguration | undefined; newKey: boolean; actor?: Actor },
): Promise<{ agent: Agent; key?: string }> {
  const agents = await accounts.listAgents();
  const found = agents.find(({ name, status }) => name === starterName && status === "active");
  const agent = found ? await findAgent(accounts, found.id) : await createStarterAgent(accounts, actor);
  if (model) await setModel(accounts, agent.organizationId, model, actor);
  return found && !newKey ? { agent } : { agent, key: (await issueKey(accounts, agent, { actor })).key };
}

async function createStarterAgent(accounts: Accounts, actor: Actor | undefined): Promise<Agent> {
  const organization = { name: "Local", model: { provider: "demo", enabled: true } } as const;
  const { id } = await createOrganization(accounts, organization, actor);
  const definition: AgentDefinition = {
    name: starterName,
    instructions:
      "Answer the input. Files that came with it are in your workspace: read them before you answer. Compute numbers " +
      "with run_python.",
    tools: defaultTools,
    result: { perRun: true },
    limits: { steps: 50, tokens: 500_000, seconds: 1_800 },
  };
  return createAgent(accounts, id, definition, actor);
}
