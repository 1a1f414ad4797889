import { describe, expect, test } from "vitest";
import { authenticate } from "../../../src/accounts/authenticate.ts";
import { createAgent, setAgentStatus } from "../../../src/accounts/agents/agents.ts";
import { createKey, findKey, setKeyEnabled } from "../../../src/accounts/keys.ts";
import { clearModel, createOrganization, setModel } from "../../../src/accounts/organizations.ts";
import { seedStarterAgent } from "../../../src/accounts/seed.ts";
import type { Accounts } from "../../../src/accounts/account-types.ts";
import { fakeAwsStores } from "../../support/fake-aws/platform.ts";

const definition = { name: "A", instructions: "Answer.", tools: [], limits: { steps: 1, tokens: 1, seconds: 1 } };

function newAccounts(): Accounts {
  return fakeAwsStores().accounts;
}

async function newAgent(accounts: Accounts) {
  const { id } = await createOrganization(accounts, { name: "O" });
  return createAgent(accounts, id, definition);
}

describe("organizations", () => {
  test("are created with a valid name", async () => {
    const accounts = newAccounts();
    for (const name of ["", " ", "n".repeat(201)]) {
      await expect(createOrganization(accounts, { name })).rejects.toMatchObject({ code: "invalid_argument" });
    }
    expect(await createOrganization(accounts, { name: "n".repeat(200) })).not.toHaveProperty("model");
  });

  test("get and lose a model; ids are accepted in upper case", async () => {
    const accounts = newAccounts();
    const { id } = await createOrganization(accounts, { name: "O" });
    const model = { provider: "demo", enabled: true } as const;
    expect(await setModel(accounts, ` ${id.toUpperCase()} `, model)).toMatchObject({ id, name: "O", model });
    const times = { createdAt: expect.any(Number), updatedAt: expect.any(Number) };
    expect(await clearModel(accounts, id)).toEqual({ id, name: "O", revision: 2, ...times });
    await expect(setModel(accounts, "x", model)).rejects.toMatchObject({ code: "organization_not_found" });
  });
});

describe("agents", () => {
  test("a change that always meets another writer fails after five attempts", async () => {
    const accounts = newAccounts();
    const { id } = await newAgent(accounts);
    let attempts = 0;
    const contended: Accounts = {
      ...accounts,
      async replaceAgent(agent) {
        attempts++;
        const { revision: _revision, ...stored } = (await accounts.findAgent(id)) ?? agent;
        await accounts.replaceAgent({ ...stored, ...(attempts > 1 && { revision: attempts - 1 }) });
        return accounts.replaceAgent(agent);
      },
    };
    const error = { code: "modified_concurrently", message: `agent ${id} was modified concurrently; retry` };
    await expect(setAgentStatus(contended, id, "archived")).rejects.toMatchObject(error);
    expect(attempts).toBe(5);
    expect(await accounts.findAgent(id)).toMatchObject({ status: "active", revision: 5 });
  });
});

describe("keys", () => {
  test("are found by key, hash and prefix, and enabled and disabled", async () => {
    const accounts = newAccounts();
    const { id } = await newAgent(accounts);
    const { key, stored } = await createKey(accounts, id);
    for (const text of [key, stored.hash, stored.hash.toUpperCase(), stored.hash.slice(0, 8), stored.hint]) {
      expect(await findKey(accounts, text)).toEqual(stored);
    }
    expect(await setKeyEnabled(accounts, stored.hint, false)).toMatchObject({ enabled: false, revision: 1 });
    expect(await setKeyEnabled(accounts, key, false)).toMatchObject({ enabled: false, revision: 1 });
    expect(await setKeyEnabled(accounts, key, true)).toMatchObject({ enabled: true, revision: 2 });
  });

  test("have a name that is not a key", async () => {
    const accounts = newAccounts();
    const { id } = await newAgent(accounts);
    const { key } = await createKey(accounts, id, { name: "n".repeat(200) });
    for (const name of ["", " ", "n".repeat(201), `the key ${key}`]) {
      const created = createKey(accounts, id, { name });
      await expect(created).rejects.toMatchObject({
        code: "invalid_argument",
        message: expect.stringContaining("the key's name "),
      });
    }
    expect(await accounts.listKeys(id)).toHaveLength(1);
  });

  test("a request records the use of its key once an hour, and does not wait for it", async () => {
    const accounts = newAccounts();
    const { id } = await newAgent(accounts);
    const { key, stored } = await createKey(accounts, id);
    let [touches, refused] = [0, true];
    const watched: Accounts = {
      ...accounts,
      async touchKey(...args) {
        touches++;
        if (refused) throw new Error("not permitted");
        return accounts.touchKey(...args);
      },
    };
    for (let request = 1; request <= 3; request++) await authenticate({ accounts: watched }, key);
    expect(touches).toBe(1);
    const { key: other, stored: otherStored } = await createKey(accounts, id);
    refused = false;
    await authenticate({ accounts: watched }, other);
    await expect.poll(() => accounts.findKey(otherStored.hash)).toMatchObject({ lastUsedAt: expect.any(Number) });
    expect(touches).toBe(2);
    expect(await accounts.findKey(stored.hash)).toEqual(stored);
    await setKeyEnabled(accounts, other, false);
    await expect(authenticate({ accounts: watched }, other)).rejects.toMatchObject({ code: "key_invalid" });
  });

  test("an unknown or ambiguous key is an error that does not repeat the key", async () => {
    const accounts = newAccounts();
    const { id } = await newAgent(accounts);
    const { stored } = await createKey(accounts, id);
    await accounts.createKey({ ...stored, hash: `${stored.hash.slice(0, 60)}0000` });
    const start = stored.hash.slice(0, 20);
    await expect(findKey(accounts, start)).rejects.toMatchObject({
      code: "key_ambiguous",
      message: `2 keys start with "${start}"`,
    });
    await expect(findKey(accounts, stored.hash.slice(0, 7))).rejects.toMatchObject({ code: "key_not_found" });
    await expect(findKey(accounts, "ak_pasted0123456789")).rejects.toMatchObject({
      message: 'key "ak_pasted…" does not exist',
    });
  });
});

test("the starter agent is created once, and again when it is no longer active", async () => {
  const accounts = newAccounts();
  const first = await seedStarterAgent(accounts, { newKey: false });
  expect(first.key).toMatch(/^ak_/);
  expect(await seedStarterAgent(accounts, { newKey: false })).toEqual({ agent: first.agent });
  const model = { provider: "openai-compatible", enabled: true, baseUrl: "http://m/v1", model: "m" } as const;
  const again = await seedStarterAgent(accounts, { newKey: true, model });
  expect(again).toMatchObject({ agent: first.agent, key: expect.stringMatching(/^ak_/) });
  expect(await accounts.findOrganization(first.agent.organizationId)).toMatchObject({ model });
  await setAgentStatus(accounts, first.agent.id, "archived");
  expect((await seedStarterAgent(accounts, { newKey: false })).agent.id).not.toBe(first.agent.id);
});
