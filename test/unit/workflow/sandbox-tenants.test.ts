import { afterAll, expect, test } from "vitest";
import { advance } from "../../../src/workflow/advance.ts";
import { firstMessages, input, newRun } from "../../platform/run-fixtures.ts";
import type { ProgramOwner } from "../../../src/sandbox/sandbox-types.ts";
import { answer, call, scripted } from "../agent/scripted.ts";
import { temporaryStores } from "../../support/temporary-stores.ts";
const stores = temporaryStores();
afterAll(() => stores[Symbol.dispose]());

test("each agent has its own sandbox tenant, shared by its runs", async () => {
  const programs: [tenant: string, program: string][] = [];
  const limits = { steps: 5, tokens: 10_000, seconds: 60 };
  const agent = { organizationId: "o", name: "A", instructions: "", tools: ["run_javascript"], limits };
  await stores.accounts.createOrganization({ id: "o", name: "O", model: { provider: "demo", enabled: true } });
  for (const [agentId, code] of [
    ["agent-1", "1"],
    ["agent-2", "2"],
    ["agent-1", "3"],
  ] as const) {
    await stores.accounts.createAgent({ ...agent, id: agentId, status: "active" });
    const run = newRun({ agentId, organizationId: "o", createdAt: Date.now(), updatedAt: Date.now() });
    await stores.runs.create(run, firstMessages(input(1, "Compute.")));
    const { model } = scripted([answer("", [call("c", "run_javascript", { code })]), answer("Done.")]);
    const deps = {
      ...stores,
      now: Date.now,
      secretOf: async () => undefined,
      openModel: async () => ({ model, name: "m", provider: "p" }),
      sandboxOf: ({ agentId: tenant }: ProgramOwner) => ({
        maxBytes: 1_000,
        async run({ program }: { program: string }) {
          programs.push([tenant, program]);
          return { output: "", written: [], notes: [] };
        },
      }),
    };
    const budget = { signal: new AbortController().signal, deadline: Infinity };
    expect(await advance(deps, { runId: run.id, turn: 1 }, budget)).toMatchObject({ done: true });
  }
  expect(programs).toEqual([
    ["agent-1", "1"],
    ["agent-2", "2"],
    ["agent-1", "3"],
  ]);
});
