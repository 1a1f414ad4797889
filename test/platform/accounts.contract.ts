import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import type { Accounts, Agent, ApiKey, Organization } from "../../src/accounts/account-types.ts";
import { createAgent, setAgentStatus, updateAgent } from "../../src/accounts/agents/agents.ts";
import { createOrganization } from "../../src/accounts/organizations.ts";
import { describeAccountHistory } from "./accounts-history.contract.ts";
import { describeOperators } from "./operators.contract.ts";
import { describeWebhooks } from "./webhooks.contract.ts";

/** Contract tests of `Accounts`. `open` is called once. Each test creates its own records; the store may hold others. */
export function describeAccounts(open: () => Promise<Accounts>): void {
  describeAccountHistory(open);
  describeOperators(open);
  describeWebhooks(open);
  describe("accounts", () => {
    let accounts: Accounts;
    beforeAll(async () => {
      accounts = await open();
    });

    test("a record that is created again stays as it is, with what was stored along", async () => {
      const [anOrganization, anAgent, aKey] = [organization(), agent(), key()];
      const at = Date.now();
      const along = (actor: string) => ({ audit: { at, actor, action: "agent.create", id: anAgent.id } }) as const;
      await accounts.createOrganization(anOrganization, along("first"));
      await accounts.createAgent(anAgent, along("first"));
      await accounts.createKey(aKey, along("first"));
      await accounts.createOrganization({ ...anOrganization, name: "other" }, along("second"));
      await accounts.createAgent({ ...anAgent, name: "other" }, along("second"));
      await accounts.createKey({ ...aKey, enabled: false }, along("second"));
      expect(await accounts.findOrganization(anOrganization.id)).toEqual(anOrganization);
      expect(await accounts.findAgent(anAgent.id)).toEqual(anAgent);
      expect(await accounts.findKey(aKey.hash)).toEqual(aKey);
      const recorded = await accounts.listAudit({ since: at, until: at + 1, limit: 100 });
      const actors = recorded.filter(({ id }) => id === anAgent.id).map(({ actor }) => actor);
      expect(new Set(actors)).toEqual(new Set(["first"]));
    });

    test("one of several concurrent replacements of the same revision is applied", async () => {
      const stored = agent();
      await accounts.createAgent(stored);
      const names = ["a", "b", "c", "d"];
      const results = await Promise.all(names.map((name) => accounts.replaceAgent({ ...stored, name })));
      const applied = results.filter((result) => result !== undefined);
      expect(applied).toHaveLength(1);
      expect(await accounts.findAgent(stored.id)).toEqual(applied[0]);
    });

    test("update and archive at the same time both take effect", async () => {
      const { id: organizationId } = await createOrganization(accounts, { name: "Organization" });
      const definition = { name: "old", instructions: "Answer.", tools: [], limits: agent().limits };
      for (let round = 0; round < 10; round++) {
        const { id } = await createAgent(accounts, organizationId, definition);
        await Promise.all([
          updateAgent(accounts, id, { ...definition, name: "new" }),
          setAgentStatus(accounts, id, "archived"),
        ]);
        expect(await accounts.findAgent(id)).toMatchObject({
          name: "new",
          status: "archived",
          revision: 2,
          version: 2,
        });
      }
    });
  });
}

function organization(fields: Partial<Organization> = {}): Organization {
  return { id: randomUUID(), name: "Organization", ...fields };
}

function agent(fields: Partial<Agent> = {}): Agent {
  return {
    id: randomUUID(),
    organizationId: randomUUID(),
    name: "Agent",
    instructions: "Answer.",
    tools: ["list_files"],
    limits: { steps: 20, tokens: 100_000, seconds: 600 },
    status: "active",
    ...fields,
  };
}

function key(fields: Partial<ApiKey> = {}): ApiKey {
  const hash = (randomUUID() + randomUUID()).replaceAll("-", "");
  const owner = { agentId: randomUUID(), organizationId: randomUUID() };
  return { hash, hint: "ak_Ab12Cd", enabled: true, createdAt: 1_763_000_000_000, ...owner, ...fields };
}
