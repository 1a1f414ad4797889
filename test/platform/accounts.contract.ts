import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import type { Accounts, Agent, ApiKey, Organization } from "../../src/accounts/types.ts";
import { listed } from "./listed.ts";

/** The contract of `Accounts`. `open` is called once; the tests make records of their own and need no empty store. */
export function describeAccounts(open: () => Promise<Accounts>): void {
  describe("accounts", () => {
    let accounts: Accounts;
    beforeAll(async () => {
      accounts = await open();
    });

    test("what was never put is not found", async () => {
      expect(await accounts.findKey("0".repeat(64))).toBeUndefined();
      expect(await accounts.findAgent(randomUUID())).toBeUndefined();
      expect(await accounts.findOrganization(randomUUID())).toBeUndefined();
    });

    test("an organization reads back as it was put, with and without a model", async () => {
      const plain = organization();
      const demo = organization({ model: { provider: "demo", enabled: false } });
      const openAi = organization({
        name: "Überorganisation 🏢",
        model: { provider: "openai-compatible", enabled: true, baseUrl: "http://m/v1", model: "m", secret: "env:KEY" },
      });
      for (const each of [plain, demo, openAi]) {
        await accounts.putOrganization(each);
        expect(await accounts.findOrganization(each.id)).toEqual(each);
      }
    });

    test("an agent reads back as it was put", async () => {
      const plain = agent();
      const full = agent({ model: "large", tools: [], instructions: "", status: "deleted", name: "a\u0000b 日本 🤖" });
      const long = agent({ instructions: "Be thorough. ".repeat(8_000), tools: ["read_file", "write_file"] });
      for (const each of [plain, full, long]) {
        await accounts.putAgent(each);
        expect(await accounts.findAgent(each.id)).toEqual(each);
      }
    });

    test("a key is found by its whole hash", async () => {
      const put = key();
      await accounts.putKey(put);
      expect(await accounts.findKey(put.hash)).toEqual(put);
      expect(await accounts.findKey(put.hash.slice(0, -1))).toBeUndefined();
      expect(await accounts.findKey("")).toBeUndefined();
    });

    test("putting again replaces the whole record, and a read that follows sees it", async () => {
      const before = organization({ model: { provider: "demo", enabled: true } });
      await accounts.putOrganization(before);
      await accounts.putOrganization({ id: before.id, name: "renamed" });
      expect(await accounts.findOrganization(before.id)).toEqual({ id: before.id, name: "renamed" });

      const archived = agent({ model: "small" });
      await accounts.putAgent(archived);
      const { model: _model, ...rest } = archived;
      await accounts.putAgent({ ...rest, status: "archived" });
      expect(await accounts.findAgent(archived.id)).toEqual({ ...rest, status: "archived" });

      const disabled = key();
      await accounts.putKey(disabled);
      await accounts.putKey({ ...disabled, enabled: false });
      expect(await accounts.findKey(disabled.hash)).toEqual({ ...disabled, enabled: false });
    });

    test("an agent's keys are listed oldest first, once each, and no other agent's", async () => {
      const agentId = randomUUID();
      const times = [1_763_000_000_000, 999, 0, 1_763_000_000_001, 10_000];
      const keys = times.map((createdAt) => key({ agentId, createdAt }));
      const replaced = { ...key({ agentId, createdAt: 5_000 }), enabled: false };
      for (const each of [...keys, { ...replaced, enabled: true }, replaced, key()]) await accounts.putKey(each);
      const expected = [...keys, replaced].toSorted((a, b) => a.createdAt - b.createdAt);
      await listed(() => accounts.listKeys(agentId), expected);
      expect(await accounts.listKeys(randomUUID())).toEqual([]);
    });

    test("agents are listed by organization, or all of them", async () => {
      const [one, other] = [organization(), organization()];
      await accounts.putOrganization(one);
      await accounts.putOrganization(other);
      const ours = [1, 2, 3].map(() => agent({ organizationId: one.id })).toSorted(byId);
      const theirs = agent({ organizationId: other.id });
      for (const each of [...ours, theirs]) await accounts.putAgent(each);

      await listed(async () => (await accounts.listAgents(one.id)).toSorted(byId), ours);
      await listed(() => accounts.listAgents(other.id), [theirs]);
      expect(await accounts.listAgents(randomUUID())).toEqual([]);
      const put = new Set([...ours, theirs].map(({ id }) => id));
      const among = async () => (await accounts.listAgents()).filter(({ id }) => put.has(id)).toSorted(byId);
      await listed(among, [...ours, theirs].toSorted(byId));
    });

    test("an agent that moved to another organization is listed there only", async () => {
      const moved = agent();
      await accounts.putAgent(moved);
      const organizationId = randomUUID();
      await accounts.putAgent({ ...moved, organizationId });
      await listed(() => accounts.listAgents(organizationId), [{ ...moved, organizationId }]);
      await listed(() => accounts.listAgents(moved.organizationId), []);
    });

    test("organizations are listed, once each", async () => {
      const put = [organization(), organization({ model: { provider: "demo", enabled: true } })].toSorted(byId);
      for (const each of [...put, ...put]) await accounts.putOrganization(each);
      const ids = new Set(put.map(({ id }) => id));
      const among = async () => (await accounts.listOrganizations()).filter(({ id }) => ids.has(id)).toSorted(byId);
      await listed(among, put);
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
