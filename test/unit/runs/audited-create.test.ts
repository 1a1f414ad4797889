import { describe, expect, test } from "vitest";
import { createAgent, setAgentStatus } from "../../../src/accounts/agents/agents.ts";
import { createOrganization } from "../../../src/accounts/organizations.ts";
import { createRun } from "../../../src/runs/begin/create-run.ts";
import { platforms } from "../../support/platforms.ts";

const limits = { steps: 1, tokens: 1, seconds: 1 };

describe.each(platforms)("on %s", (_, open) => {
  test.each([{}, { maxRunning: 1 }])(
    "a run that an operator creates is in the audit, unless it is rejected (quota: %j)",
    async (quota) => {
      const stores = open();
      const model = { provider: "demo", enabled: true } as const;
      const { id: organizationId } = await createOrganization(stores.accounts, { name: "O", model });
      const definition = { name: "A", instructions: "Answer.", tools: [], limits, ...quota };
      const { id: agentId } = await createAgent(stores.accounts, organizationId, definition);
      const workflow = { start: async () => {}, stop: async () => {} };
      const deps = { ...stores, workflow, now: Date.now, secretRefusal: () => undefined };
      const actor = "mira (ao_4fK2x9)";
      const create = (more: { actor?: string }) =>
        createRun({ ...deps, ...more }, { agentId, organizationId }, { name: "R", text: "Go." });
      const audit = () => stores.accounts.listAudit({ since: 0, limit: 10 });

      await create({});
      expect(await audit()).toEqual([]);
      const { id } = await create({ actor });
      const entry = { at: expect.any(Number), actor, action: "run.create", id, organizationId };
      expect(await audit()).toEqual([entry]);
      await setAgentStatus(stores.accounts, agentId, "archived");
      await expect(create({ actor })).rejects.toMatchObject({ code: "agent_archived" });
      expect(await audit()).toHaveLength(1);
    },
  );
});
