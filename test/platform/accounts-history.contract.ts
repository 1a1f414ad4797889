import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import {
  agentHistory,
  createAgent,
  findAgentVersion,
  setAgentStatus,
  updateAgent,
} from "../../src/accounts/agents/agents.ts";
import { createKey, setKeyEnabled } from "../../src/accounts/keys.ts";
import { clearModel, createOrganization, setModel } from "../../src/accounts/organizations.ts";
import type { Accounts, Agent, AuditEntry } from "../../src/accounts/account-types.ts";

const definition = { name: "A", instructions: "Answer.", tools: [], limits: { steps: 1, tokens: 1, seconds: 1 } };

/** Contract tests of versions, times and the audit. `open` is called once. The store may hold other records. */
export function describeAccountHistory(open: () => Promise<Accounts>): void {
  describe("versions and audit", () => {
    let accounts: Accounts;
    beforeAll(async () => {
      accounts = await open();
    });
    const newAgent = async (actor?: string): Promise<Agent> => {
      const { id } = await createOrganization(accounts, { name: "O" }, actor);
      return createAgent(accounts, id, definition, actor);
    };
    const auditOf = async (ids: string[]): Promise<AuditEntry[]> =>
      (await accounts.listAudit({ since: 0, limit: 1_000 })).filter(({ id }) => ids.includes(id));

    test("every change of an agent's definition makes a version, which stays as it was", async () => {
      const created = await newAgent();
      const { id } = created;
      expect(created).toMatchObject({ version: 1, createdAt: expect.any(Number), updatedAt: created.createdAt });
      const second = { ...definition, instructions: "Answer briefly.", model: "small" };
      const updated = await updateAgent(accounts, id, second);
      expect(updated).toMatchObject({ version: 2, createdAt: created.createdAt, ...second });
      expect(await updateAgent(accounts, id, definition)).not.toHaveProperty("model");
      const history = await agentHistory(accounts, id, 10);
      expect(history.map(({ version }) => version)).toEqual([3, 2, 1]);
      expect(history[0]?.hash).toBe(history[2]?.hash);
      expect(history[1]).toEqual({
        agentId: id,
        version: 2,
        createdAt: updated.updatedAt,
        hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      });
      expect(await agentHistory(accounts, id, 2)).toEqual(history.slice(0, 2));
      expect(await findAgentVersion(accounts, id, 2)).toEqual({ ...history[1], definition: second });
      expect((await findAgentVersion(accounts, id, 1)).definition).toEqual(definition);
      const missing = { code: "version_not_found", message: `agent ${id} has no version 4; its latest is 3` };
      await expect(findAgentVersion(accounts, id, 4)).rejects.toMatchObject(missing);
    });

    test("the schema of results keeps the order of its fields and its depth, also in versions", async () => {
      const { id } = await newAgent();
      let schema: Record<string, unknown> = { type: "string", title: "" };
      for (let level = 0; level < 30; level++) schema = { type: "object", properties: { zebra: true, apple: schema } };
      const typed = { ...definition, result: { perRun: true, schema } };
      const text = JSON.stringify(schema);
      const updated = await updateAgent(accounts, id, typed);
      for (const agent of [updated, await accounts.findAgent(id)])
        expect([JSON.stringify(agent?.result?.schema), agent?.result?.perRun]).toEqual([text, true]);
      expect(JSON.stringify((await findAgentVersion(accounts, id, 2)).definition.result?.schema)).toBe(text);
      expect(await updateAgent(accounts, id, typed)).toMatchObject({ version: 2 });
      const reordered = { type: "object", properties: { apple: schema, zebra: true } };
      await updateAgent(accounts, id, {
        ...typed,
        result: { schema: { type: "object", properties: { zebra: true, apple: schema } } },
      });
      expect(await updateAgent(accounts, id, { ...typed, result: { schema: reordered } })).toMatchObject({
        version: 4,
      });
    });

    test("an agent of an earlier release has no version until its next update", async () => {
      const old: Agent = { ...definition, id: randomUUID(), organizationId: randomUUID(), status: "active" };
      await accounts.createAgent(old);
      const { id } = old;
      expect(await agentHistory(accounts, id, 10)).toEqual([]);
      await expect(findAgentVersion(accounts, id, 1)).rejects.toMatchObject({ code: "version_not_found" });
      expect(await setAgentStatus(accounts, id, "archived")).not.toHaveProperty("version");
      const updated = await updateAgent(accounts, id, definition);
      expect(updated).toMatchObject({ version: 1, updatedAt: expect.any(Number) });
      expect(updated).not.toHaveProperty("createdAt");
      expect((await findAgentVersion(accounts, id, 1)).definition).toEqual(definition);
    });

    test("a version is never replaced, even if an earlier release replaced the agent meanwhile", async () => {
      const agent = await newAgent();
      const { id } = agent;
      const { version: _version, ...old } = agent;
      await accounts.replaceAgent({ ...old, instructions: "By an earlier release." });
      expect(await accounts.findAgent(id)).not.toHaveProperty("version");
      expect(await updateAgent(accounts, id, { ...definition, name: "B" })).toMatchObject({ version: 2 });
      expect((await findAgentVersion(accounts, id, 1)).definition).toEqual(definition);
    });

    test("a definition of the largest accepted size is stored with its version", async () => {
      const { id } = await newAgent();
      const large = { ...definition, instructions: "Be thorough. ".repeat(26_000) };
      await updateAgent(accounts, id, large);
      expect((await findAgentVersion(accounts, id, 2)).definition).toEqual(large);
    });

    test("of concurrent updates, each makes one version", async () => {
      const { id } = await newAgent();
      const names = ["a", "b", "c"];
      await Promise.all(names.map((name) => updateAgent(accounts, id, { ...definition, name })));
      const history = await agentHistory(accounts, id, 10);
      expect(history.map(({ version }) => version)).toEqual([4, 3, 2, 1]);
      const versions = await Promise.all(history.map(({ version }) => findAgentVersion(accounts, id, version)));
      expect(versions.map((each) => each.definition.name).toSorted()).toEqual(["A", ...names]);
      expect(await accounts.findAgent(id)).toMatchObject({ version: 4, name: versions[0]?.definition.name });
    });

    test("each action of an operator is in the audit, newest first, without actions of the service itself", async () => {
      const agent = await newAgent("alice");
      const { id, organizationId } = agent;
      await setModel(accounts, organizationId, { provider: "demo", enabled: true }, "bob");
      await clearModel(accounts, organizationId, "bob");
      await updateAgent(accounts, id, { ...definition, name: "B" }, "bob");
      await updateAgent(accounts, id, { ...definition, name: "B" }, "bob"); // a no-op
      for (const status of ["archived", "active", "deleted"] as const)
        await setAgentStatus(accounts, id, status, "alice");
      const other = await newAgent();
      const { key, stored } = await createKey(accounts, other.id, { name: "crawler", actor: "alice" });
      await setKeyEnabled(accounts, key, false, "bob");
      await setKeyEnabled(accounts, key, true, "bob");
      const found = await auditOf([id, organizationId, stored.hash, other.id]);
      const times = found.map(({ at }) => at);
      expect(times).toEqual(times.toSorted((a, b) => b - a));
      expect(found.map(({ actor, action }) => `${actor} ${action}`).toSorted()).toEqual(
        [
          "alice org.create",
          "alice agent.create",
          "bob org.set-model",
          "bob org.clear-model",
          "bob agent.update",
          "alice agent.archive",
          "alice agent.unarchive",
          "alice agent.delete",
          "alice key.create",
          "bob key.disable",
          "bob key.enable",
        ].toSorted(),
      );
      expect(found.find(({ action }) => action === "agent.update")).toEqual({
        at: expect.any(Number),
        actor: "bob",
        action: "agent.update",
        id,
        organizationId,
        version: 2,
      });
      expect(JSON.stringify(found)).not.toContain(key);
    });

    test("the audit is listed between two times and up to a limit", async () => {
      const { id } = await newAgent();
      const from = 4_102_444_800_000; // later than the entries of other tests
      const entries = [0, 1, 2, 3].map(
        (n) => ({ at: from + n, actor: "a", action: "key.create", id: `${n}` }) as const,
      );
      for (const [n, audit] of entries.entries()) {
        await accounts.replaceAgent({ ...(await accounts.findAgent(id)) } as Agent, { audit });
        expect(await accounts.listAudit({ since: from + n, limit: 10 })).toEqual([audit]);
      }
      expect(await accounts.listAudit({ since: from + 1, limit: 2 })).toEqual([entries[3], entries[2]]);
      expect(await accounts.listAudit({ since: from + 10, limit: 2 })).toEqual([]);
      expect(await accounts.listAudit({ since: from, until: from + 3, limit: 2 })).toEqual([entries[2], entries[1]]);
      expect(await accounts.listAudit({ since: from + 1, until: from + 1, limit: 2 })).toEqual([]);
    });
  });
}
