import { randomUUID } from "node:crypto";
import { expect, test, vi } from "vitest";
import { createAgent } from "../../../src/accounts/agents/agents.ts";
import { createOrganization } from "../../../src/accounts/organizations.ts";
import { runDescriber } from "../../../src/runs/read/describe-runs.ts";
import { agentActivity } from "../../../src/runs/read/reports/agent-activity.ts";
import { countRuns } from "../../../src/runs/read/reports/count-runs.ts";
import { searchRuns } from "../../../src/runs/read/search/search-runs.ts";
import { created } from "../../platform/run-fixtures.ts";
import { fakeAwsStores } from "../../support/fake-aws/platform.ts";

const limits = { steps: 5, tokens: 10_000, seconds: 60 };

/** Stores with one organization, and the requests of one page of its list and of its counts. */
async function requestsOf(agents: number) {
  const stores = fakeAwsStores();
  const { id: organizationId } = await createOrganization(stores.accounts, { name: "O" });
  const ids = await Promise.all(
    Array.from({ length: agents }, async (_, index) => {
      const definition = { name: `Agent ${index}`, instructions: "", tools: [], limits };
      return (await createAgent(stores.accounts, organizationId, definition)).id;
    }),
  );
  for (let index = 0; index < 60; index++) {
    const times = { createdAt: 1_763_000_000_000 + index, updatedAt: 0 };
    await created(stores.runs, { id: randomUUID(), organizationId, agentId: ids[index % 3] ?? "", ...times });
  }
  const describer = runDescriber({ ...stores, now: Date.now });
  const deps = { ...stores, describer };
  const listAgents = vi.spyOn(stores.accounts, "listAgents");
  const of = { organization: organizationId };
  const start = stores.calls();
  const { runs } = await searchRuns(deps, { of, limit: 50 });
  const listed = stores.calls() - start;
  const counts = await countRuns(deps, { of });
  const counted = stores.calls() - start - listed;
  const activity = await agentActivity({ ...stores, now: () => 1_763_000_000_100 }, { of });
  expect(activity.agents).toHaveLength(3);
  expect(runs).toHaveLength(50);
  expect(new Set(runs.map(({ agent }) => agent?.name))).toEqual(new Set(["Agent 0", "Agent 1", "Agent 2"]));
  expect(counts).toMatchObject({ complete: true });
  expect(listAgents).not.toHaveBeenCalled();
  return { list: listed, counts: counted, activity: stores.calls() - start - listed - counted };
}

test("a page of an organization's runs, their counts and the activity of its agents cost the same with 3 agents and with 120", async () => {
  const few = await requestsOf(3);
  expect(await requestsOf(120)).toEqual(few);
  expect(few).toMatchObject({ counts: 3, activity: 3 }); // organization, keys of the runs, runs
});
