import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import type { Accounts, Agent, ListedAgent, ApiKey, Organization } from "../../src/accounts/types.ts";
import { createAgent, setAgentStatus, updateAgent } from "../../src/accounts/agents.ts";
import { createOrganization } from "../../src/accounts/organizations.ts";
import { describeAccountHistory } from "./accounts-history.contract.ts";
import { listed } from "./listed.ts";
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

    test("a record that was never stored is not found", async () => {
      expect(await accounts.findKey("0".repeat(64))).toBeUndefined();
      expect(await accounts.findAgent(randomUUID())).toBeUndefined();
      expect(await accounts.findOrganization(randomUUID())).toBeUndefined();
    });

    test("an agent reads back as it was stored", async () => {
      const plain = agent();
      const full = agent({ model: "large", tools: [], instructions: "", status: "deleted", name: "a\u0000b 日本 🤖" });
      const long = agent({ instructions: "Be thorough. ".repeat(8_000), tools: ["read_file", "write_file"] });
      for (const each of [plain, full, long]) {
        await accounts.createAgent(each);
        expect(await accounts.findAgent(each.id)).toEqual(each);
      }
    });

    test("a key is found by its whole hash", async () => {
      const stored = key();
      await accounts.createKey(stored);
      expect(await accounts.findKey(stored.hash)).toEqual(stored);
      expect(await accounts.findKey(stored.hash.slice(0, -1))).toBeUndefined();
      expect(await accounts.findKey("")).toBeUndefined();
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

    test("a replacement is whole, and the next read sees it", async () => {
      const before = organization({ model: { provider: "demo", enabled: true } });
      await accounts.createOrganization(before);
      const renamed = { id: before.id, name: "renamed", revision: 1 };
      expect(await accounts.replaceOrganization({ id: before.id, name: "renamed" })).toEqual(renamed);
      expect(await accounts.findOrganization(before.id)).toEqual(renamed);

      const small = agent({ model: "small" });
      await accounts.createAgent(small);
      const { model: _model, ...rest } = small;
      expect(await accounts.replaceAgent({ ...rest, status: "archived" })).toMatchObject({ revision: 1 });
      const again = await accounts.replaceAgent({ ...rest, status: "active", revision: 1 });
      expect(again).toEqual({ ...rest, status: "active", revision: 2 });
      expect(await accounts.findAgent(small.id)).toEqual(again);

      const enabled = key();
      await accounts.createKey(enabled);
      await accounts.replaceKey({ ...enabled, enabled: false });
      expect(await accounts.findKey(enabled.hash)).toEqual({ ...enabled, enabled: false, revision: 1 });
    });

    test("a replacement is rejected for an outdated revision and for a missing record", async () => {
      const [storedAgent, storedKey, storedOrganization] = [agent(), key(), organization()];
      await accounts.createAgent(storedAgent);
      await accounts.createKey(storedKey);
      await accounts.createOrganization(storedOrganization);
      const replacements = [
        () => accounts.replaceAgent({ ...storedAgent, name: "new" }),
        () => accounts.replaceKey({ ...storedKey, enabled: false }),
        () => accounts.replaceOrganization({ ...storedOrganization, name: "new" }),
      ];
      for (const replace of replacements) {
        expect(await replace()).toMatchObject({ revision: 1 });
        expect(await replace()).toBeUndefined();
      }
      expect(await accounts.replaceAgent({ ...storedAgent, name: "newer", revision: 2 })).toBeUndefined();
      expect(await accounts.findAgent(storedAgent.id)).toMatchObject({ name: "new", revision: 1 });

      const missing = agent();
      expect(await accounts.replaceAgent(missing)).toBeUndefined();
      expect(await accounts.replaceAgent({ ...missing, revision: 1 })).toBeUndefined();
      expect(await accounts.replaceKey(key())).toBeUndefined();
      expect(await accounts.replaceOrganization(organization())).toBeUndefined();
      expect(await accounts.findAgent(missing.id)).toBeUndefined();
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

    test("an agent's keys are listed oldest first, without keys of other agents", async () => {
      const agentId = randomUUID();
      const times = [1_763_000_000_000, 999, 0, 1_763_000_000_001, 10_000];
      const keys = times.map((createdAt) => key({ agentId, createdAt }));
      const enabled = key({ agentId, createdAt: 5_000 });
      for (const each of [...keys, enabled, key()]) await accounts.createKey(each);
      const disabled = await accounts.replaceKey({ ...enabled, enabled: false });
      expect(disabled).toBeDefined();
      const expected = [...keys, disabled ?? enabled].toSorted((a, b) => a.createdAt - b.createdAt);
      await listed(() => accounts.listKeys(agentId), expected);
      expect(await accounts.listKeys(randomUUID())).toEqual([]);
    });

    test("a key of several agents is listed by each of them, also after a replacement", async () => {
      const [first, second, third] = [randomUUID(), randomUUID(), randomUUID()];
      const several = key({ agentId: first, moreAgents: [second, third], createdAt: 5 });
      const [older, newer] = [key({ agentId: second, createdAt: 4 }), key({ agentId: second, createdAt: 6 })];
      for (const each of [several, newer, older]) await accounts.createKey(each);
      expect(await accounts.findKey(several.hash)).toEqual(several);
      await listed(() => accounts.listKeys(first), [several]);
      await listed(() => accounts.listKeys(second), [older, several, newer]);
      const changed = await accounts.replaceKey({ ...several, deletedAgents: [third], enabled: false });
      expect(changed).toEqual({ ...several, deletedAgents: [third], enabled: false, revision: 1 });
      for (const each of [first, third]) await listed(async () => accounts.listKeys(each), changed ? [changed] : []);
      await listed(() => accounts.listKeys(second), changed ? [older, changed, newer] : []);
    });

    test("agents are listed by organization or all together, without long parts of their definitions", async () => {
      const [one, other] = [organization(), organization()];
      await accounts.createOrganization(one);
      await accounts.createOrganization(other);
      const ours = [1, 2, 3].map(() => agent({ organizationId: one.id })).toSorted(byId);
      const theirs = agent({ organizationId: other.id });
      const clientTools = [{ name: "find", description: "d", input: { type: "object" } }];
      const long = { clientTools, result: { perRun: true } };
      for (const each of [...ours, theirs]) await accounts.createAgent({ ...each, ...long });

      await listed(async () => (await accounts.listAgents(one.id)).toSorted(byId), ours.map(asListed));
      await listed(() => accounts.listAgents(other.id), [asListed(theirs)]);
      expect(await accounts.listAgents(randomUUID())).toEqual([]);
      const ids = new Set([...ours, theirs].map(({ id }) => id));
      const among = async () => (await accounts.listAgents()).filter(({ id }) => ids.has(id)).toSorted(byId);
      await listed(among, [...ours, theirs].toSorted(byId).map(asListed));
    });

    test("an agent that moves to another organization is listed only there", async () => {
      const moved = agent();
      await accounts.createAgent(moved);
      const organizationId = randomUUID();
      expect(await accounts.replaceAgent({ ...moved, organizationId })).toBeDefined();
      await listed(() => accounts.listAgents(organizationId), [asListed({ ...moved, organizationId, revision: 1 })]);
      await listed(() => accounts.listAgents(moved.organizationId), []);
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

function byId(a: { id: string }, b: { id: string }): number {
  return a.id < b.id ? -1 : 1;
}

function asListed({ instructions: _instructions, ...others }: Agent): ListedAgent {
  return others;
}
