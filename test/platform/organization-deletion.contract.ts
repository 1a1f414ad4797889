import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { createAgent } from "../../src/accounts/agents/agents.ts";
import { createKey } from "../../src/accounts/keys.ts";
import { createOrganization } from "../../src/accounts/organizations.ts";
import { setWebhook } from "../../src/accounts/webhooks.ts";
import { noUsage } from "../../src/agent/turn/turn-limits.ts";
import { sha256Of } from "../../src/agent/turn/files/manifest.ts";
import { deleteOrganization } from "../../src/runs/erase/delete-organization.ts";
import type { Configurations, Removal, Stores } from "../../src/runs/ports.ts";
import type { Run } from "../../src/runs/run-types.ts";
import { trialCompanions } from "../../src/trials/erase-trials.ts";
import type { Platform } from "../../src/platform/platform-types.ts";
import { ownerOfRuns } from "../../src/trials/trial-id.ts";
import { newTrial } from "./trials.contract.ts";
import { newUpload } from "./pending-uploads.contract.ts";

const definition = { name: "A", instructions: "Secret.", tools: [], limits: { steps: 3, tokens: 1_000, seconds: 60 } };
const workflow = { start: async () => {}, stop: async () => {} };
const killed = (): Promise<never> => Promise.reject(new Error("killed"));

/** Contract tests of `Removal`. `reopenConfigurations`: the store as another process opens it. `send`: stores the content of an upload as its client does. */
export function describeOrganizationDeletion(
  stores: Stores & Pick<Platform, "trials" | "companions">,
  reopenConfigurations: () => Configurations,
  send: (upload: ReturnType<typeof newUpload>, content: Buffer) => Promise<void>,
): void {
  const { accounts, runs, workspace, pendingUploads, deliveries, configurations } = stores;

  /** An organization with an agent, and everything that it can have. */
  async function everything(name: string, runCount: number) {
    const { id: organizationId } = await createOrganization(accounts, { name });
    const { id: agentId } = await createAgent(accounts, organizationId, definition, "mira");
    const { stored: key } = await createKey(accounts, agentId);
    await setWebhook(accounts, agentId, { url: "https://example.com/", privateAddresses: false });
    await configurations.put(agentId, { hash: sha256Of(Buffer.from(agentId)), text: "{}" });
    const content = Buffer.from(`content of ${name}`);
    const upload = newUpload(content, { agentId });
    await pendingUploads.add(upload, { organizationId: "O" });
    await send(upload, content);
    const owner = { agentId, organizationId };
    const all: Run[] = Array.from({ length: runCount }, (_, n) => {
      const times = { createdAt: 1_763_000_000_000 + n, updatedAt: 1_763_000_000_000 };
      return {
        id: randomUUID(),
        ...owner,
        name: "R",
        status: "finished",
        turn: 0,
        sequence: 0,
        webhook: "agent",
        ...times,
      };
    });
    for (const run of all) await runs.create(run, []);
    const [first] = all;
    if (!first) throw new Error("at least one run");
    await workspace.write(first.id, [{ sha256: sha256Of(content), content }]);
    const trial = newTrial({ id: `trial-${randomUUID()}`, agentId, status: "running" });
    const attempt: Run = { ...first, ...ownerOfRuns(trial.id), id: randomUUID() };
    await runs.create(attempt, []);
    const source = { runId: first.id, turn: 0, used: noUsage };
    const candidate = { runId: attempt.id, budget: {} };
    await stores.trials.create(trial, [{ trialId: trial.id, number: 1, revision: 0, source, candidate }]);
    return {
      organizationId,
      agentId,
      key,
      upload,
      trialId: trial.id,
      attemptId: attempt.id,
      ids: all.map(({ id }) => id),
      sha256: sha256Of(content),
    };
  }

  /** What the stores still know of it. */
  async function known(everythingOf: Awaited<ReturnType<typeof everything>>) {
    const { organizationId, agentId, key, upload, ids, sha256, trialId, attemptId } = everythingOf;
    const [first = ""] = ids;
    const found = {
      organization: await accounts.findOrganization(organizationId),
      agent: await accounts.findAgent(agentId),
      version: await accounts.findAgentVersion(agentId, 1),
      key: await accounts.findKey(key.hash),
      keys: (await accounts.listKeys(agentId))[0],
      webhook: await accounts.findWebhook(agentId),
      configuration: await reopenConfigurations().get(agentId, sha256Of(Buffer.from(agentId))),
      upload: await pendingUploads.find(upload.id),
      content: await workspace.read(first, sha256),
      run: await runs.head(first),
      trial: await stores.trials.find(trialId),
      cases: (await stores.trials.listCases(trialId))[0],
      attempt: await runs.head(attemptId),
      runs: (await runs.list({ agentIds: [agentId], limit: 9 })).runs[0],
      delivery: (await deliveries.list({ agentId, limit: 9 })).deliveries[0],
    };
    return Object.entries(found).flatMap(([name, value]) => (value === undefined ? [] : name));
  }

  // Each deletion begins a minute after the one before, so that it does not wait for the last writes of ended turns.
  let minutes = 0;
  const depsWith = (removal: Removal = stores.removal) => {
    const ahead = 60_000 * minutes++;
    const companions = trialCompanions({ ...stores, removal });
    return { ...stores, removal, companions, workflow, now: () => Date.now() + ahead, actor: "mira" };
  };

  describe("the deletion of an organization", () => {
    test("deletes everything of it, nothing of others, and keeps the audit", { timeout: 60_000 }, async () => {
      const [mine, other] = [await everything("Mine", 3), await everything("Other", 1)];
      const before = await known(mine);
      expect(before).toHaveLength(14); // no delivery yet
      const wrong = deleteOrganization(depsWith(), mine.organizationId, { name: "mine", milliseconds: 60_000 });
      await expect(wrong).rejects.toMatchObject({ code: "invalid_argument" });
      expect(await known(mine)).toEqual(before);
      const since = Date.now();
      const done = deleteOrganization(depsWith(), mine.organizationId, { name: "Mine", milliseconds: 60_000 });
      expect(await done).toEqual({ complete: true, runs: 3 });
      expect(await known(mine)).toEqual([]);
      expect(await known(other)).toHaveLength(14);
      const audit = await accounts.listAudit({ since, limit: 20 });
      const ofMine = audit.filter(({ id }) => id === mine.organizationId).map(({ action, actor }) => [action, actor]);
      expect(ofMine).toEqual([
        ["org.deleted", "mira"],
        ["org.delete", "mira"],
      ]);
      const again = deleteOrganization(depsWith(), mine.organizationId, { name: "Mine", milliseconds: 60_000 });
      await expect(again).rejects.toMatchObject({ code: "organization_not_found" });
    });

    test("ends the keys of all agents before it deletes anything", async () => {
      const mine = await everything("Keys", 1);
      const further = await createAgent(accounts, mine.organizationId, definition);
      const { stored } = await createKey(accounts, further.id);
      const broken = { ...stores.removal, removeRuns: killed, removeAgent: killed }; // either agent can be the first
      const confirmed = { name: "Keys", milliseconds: 60_000 };
      const interrupted = deleteOrganization(depsWith(broken), mine.organizationId, confirmed);
      await expect(interrupted).rejects.toThrow("killed");
      for (const { hash } of [mine.key, stored]) {
        expect(await accounts.findKey(hash)).toMatchObject({ enabled: false, agentDeleted: true });
      }
      expect(await deleteOrganization(depsWith(), mine.organizationId, confirmed)).toMatchObject({ complete: true });
    });

    test("ends the keys that an interrupted call left before it deletes anything", async () => {
      const mine = await everything("Left", 1);
      const { stored } = await createKey(accounts, mine.agentId);
      const confirmed = { name: "Left", milliseconds: 60_000 };
      let replaced = 0;
      const failing: typeof accounts = {
        ...accounts,
        replaceKey: (...key) => (replaced++ ? killed() : accounts.replaceKey(...key)),
      };
      const interrupted = deleteOrganization({ ...depsWith(), accounts: failing }, mine.organizationId, confirmed);
      await expect(interrupted).rejects.toThrow("killed");
      const broken = { ...stores.removal, removeRuns: killed };
      const continued = deleteOrganization(depsWith(broken), mine.organizationId, confirmed);
      await expect(continued).rejects.toThrow("killed");
      for (const { hash } of [mine.key, stored]) {
        expect(await accounts.findKey(hash)).toMatchObject({ enabled: false, agentDeleted: true });
      }
      expect(await deleteOrganization(depsWith(), mine.organizationId, confirmed)).toMatchObject({ complete: true });
    });

    test("ends in time, and another call continues, also after a failure", { timeout: 60_000 }, async () => {
      const mine = await everything("Slow", 2);
      const call = (removal?: Removal, milliseconds = 60_000) =>
        deleteOrganization(depsWith(removal), mine.organizationId, { name: "Slow", milliseconds });
      expect(await call(undefined, 0)).toEqual({ complete: false, runs: 0 });
      await expect(createAgent(accounts, mine.organizationId, definition)).rejects.toMatchObject({
        code: "organization_not_found",
      });
      for (const step of ["removeRuns", "removeAgent", "removeOrganization"] as const) {
        const broken = { ...stores.removal, [step]: killed };
        await expect(call(broken)).rejects.toThrow("killed");
      }
      expect(await call()).toEqual({ complete: true, runs: 0 });
      expect(await known(mine)).toEqual([]);
    });
  });
}
