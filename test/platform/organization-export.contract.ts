import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { createAgent } from "../../src/accounts/agents/agents.ts";
import { createKey } from "../../src/accounts/keys.ts";
import { setConfiguration } from "../../src/accounts/model-configurations.ts";
import { createOrganization } from "../../src/accounts/organizations.ts";
import { setWebhook } from "../../src/accounts/webhooks.ts";
import { sha256Of } from "../../src/agent/turn/files/manifest.ts";
import { exportOrganization } from "../../src/manage/export-organization.ts";
import type { Stores } from "../../src/runs/ports.ts";
import type { Trials } from "../../src/trials/ports.ts";
import { newCase, newTrial } from "./trials.contract.ts";

const definition = { name: "A", instructions: "", tools: [], limits: { steps: 3, tokens: 1_000, seconds: 60 } };

/** Contract tests of the export of an organization. */
export function describeOrganizationExport(stores: Stores & { trials: Trials }): void {
  const { accounts, runs, trials, workspace } = stores;

  test(
    "an export has the records of an organization and of no other, and no secrets",
    { timeout: 60_000 },
    async () => {
      const ids = await Promise.all(
        ["Mine", "Other"].map(async (name) => {
          const { id: organizationId } = await createOrganization(accounts, { name }, "mira");
          const backup = {
            provider: "anthropic",
            model: `claude of ${name}`,
            secret: "env:KEY",
            enabled: true,
          } as const;
          await setConfiguration(accounts, organizationId, "backup", () => backup);
          const { id: agentId } = await createAgent(accounts, organizationId, definition, "mira");
          const { stored } = await createKey(accounts, agentId, { actor: "mira" });
          const { secret } = await setWebhook(accounts, agentId, {
            url: "https://example.com/",
            privateAddresses: false,
          });
          const content = Buffer.from(`content of ${name}`);
          const [runId, sha256] = [randomUUID(), sha256Of(content)];
          await workspace.write(runId, [{ sha256, content }]);
          const times = { createdAt: 1_763_000_000_000, updatedAt: 1_763_000_000_000 };
          const run = {
            id: runId,
            agentId,
            organizationId,
            name,
            status: "finished",
            turn: 1,
            sequence: 1,
            ...times,
          } as const;
          const uploads = [{ name: "in.txt", size: content.length, sha256 }];
          const text = `input of ${name}`;
          await runs.create(run, [{ turn: 1, role: "input_to_agent", text, sequence: 1, at: times.createdAt }], {
            uploads,
          });
          const bundled = { runId: randomUUID(), sha256 };
          const brought = { ...run, id: randomUUID(), turn: 0, sequence: 0, imported: bundled };
          await runs.create(brought, []);
          const trial = newTrial({ agentId, organizationId });
          await trials.create(trial, [newCase(trial.id, 1), newCase(trial.id, 2)]);
          return {
            organizationId,
            agentId,
            runId,
            brought: brought.id,
            sha256,
            trialId: trial.id,
            hidden: [stored.hash, secret ?? ""],
          };
        }),
      );
      const [mine, other] = ids;
      if (!mine || !other) throw new Error("two organizations were created");
      const counts = { agents: 0, runs: 0, trials: 0, deliveries: 0, audit: 0 };
      const files = new Map<string, Buffer>();
      const about = { serviceVersion: "1", now: Date.now(), counts };
      for await (const { name, content } of exportOrganization(stores, mine.organizationId, about)) {
        files.set(name, Buffer.from(content));
      }
      expect(counts).toEqual({ agents: 1, runs: 2, trials: 1, deliveries: 0, audit: 3 });
      const [run, agent] = [`runs/${mine.runId}/`, `agents/${mine.agentId}/`];
      expect([...files.keys()].toSorted()).toEqual(
        [
          ...["agent.json", "keys.json", "versions/1.json", "webhook.json", `trials/${mine.trialId}.json`].map(
            (name) => agent + name,
          ),
          ...["contents/".concat(mine.sha256), "events-000001.ndjson", "manifest.json", "run.json"].map(
            (name) => run + name,
          ),
          ...["manifest.json", "run.json"].map((name) => `runs/${mine.brought}/${name}`),
          "audit-1.ndjson",
          "manifest.json",
          "organization.json",
          "usage.json",
        ].toSorted(),
      );
      expect(files.get(`${run}contents/${mine.sha256}`)?.toString()).toBe("content of Mine");
      expect(files.get(`${run}events-000001.ndjson`)?.toString()).toContain("input of Mine");
      const { models } = JSON.parse(String(files.get("organization.json"))) as { models: object[] };
      expect(models).toMatchObject([{ name: "backup", model: "claude of Mine", secret: "env:KEY" }]);
      expect(JSON.parse(String(files.get("usage.json")))).toMatchObject([{ runs: 1 }]); // not the imported one
      const trial = JSON.parse(String(files.get(`${agent}trials/${mine.trialId}.json`))) as { cases: object[] };
      expect(trial).toMatchObject({ id: mine.trialId, agent_id: mine.agentId });
      expect(trial.cases).toMatchObject([{ number: 1 }, { number: 2 }]);
      const all = Buffer.concat([...files.values()]).toString();
      for (const text of [...mine.hidden, ...other.hidden, other.agentId, other.runId, other.trialId, "Other"]) {
        expect(text.length).toBeGreaterThan(4);
        expect(all).not.toContain(text);
      }
    },
  );
}
