import { expect, test, vi } from "vitest";
import { createAgent, setAgentStatus } from "../../../src/accounts/agents.ts";
import { createOrganization } from "../../../src/accounts/organizations.ts";
import { keptAgents } from "../../../src/runs/kept-agents.ts";
import { fakeAwsStores } from "../../support/fake-aws/platform.ts";

const limits = { steps: 5, tokens: 10_000, seconds: 60 };
const definition = { name: "Agent", instructions: "", tools: [], limits };

test("lists of runs read the agents every 5 seconds, and after a change in the same process", async () => {
  const { accounts } = fakeAwsStores();
  const { id } = await createOrganization(accounts, { name: "One" });
  const first = await createAgent(accounts, id, definition);
  let time = 0;
  const { forLists, others } = keptAgents(accounts, () => time);
  const read = vi.spyOn(accounts, "listAgents");

  const statuses = async () => (await forLists.listAgents(id)).map(({ status }) => status);
  expect(await Promise.all([statuses(), statuses()])).toEqual([["active"], ["active"]]);
  await setAgentStatus(accounts, first.id, "archived"); // as another process
  time = 4_999;
  expect(await statuses()).toEqual(["active"]);
  expect(read).toHaveBeenCalledTimes(1);
  time = 5_000;
  expect(await statuses()).toEqual(["archived"]);
  await createAgent(others, id, definition);
  expect(await statuses()).toHaveLength(2);
  expect(read).toHaveBeenCalledTimes(3);

  expect(await forLists.listAgents()).toHaveLength(2);
});

test("a failed read of the agents is repeated", async () => {
  const { accounts } = fakeAwsStores();
  const { forLists } = keptAgents(accounts, () => 0);
  vi.spyOn(accounts, "listAgents").mockRejectedValueOnce(new Error("throttled"));
  await expect(forLists.listAgents()).rejects.toThrow("throttled");
  expect(await forLists.listAgents()).toEqual([]);
});
