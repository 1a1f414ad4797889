import { expect, test, vi } from "vitest";
import { createAgent, setAgentStatus } from "../../../src/accounts/agents/agents.ts";
import { createOrganization } from "../../../src/accounts/organizations.ts";
import { keptAgents } from "../../../src/runs/erase/kept-agents.ts";
import { fakeAwsStores } from "../../support/fake-aws/platform.ts";

const limits = { steps: 5, tokens: 10_000, seconds: 60 };
const definition = { name: "Agent", instructions: "", tools: [], limits };

test("lists of runs read an agent every 5 seconds, and after a change in the same process", async () => {
  const { accounts } = fakeAwsStores();
  const { id: organizationId } = await createOrganization(accounts, { name: "One" });
  const { id } = await createAgent(accounts, organizationId, definition);
  let time = 0;
  const { forLists, others } = keptAgents(accounts, () => time);
  const read = vi.spyOn(accounts, "findAgent");

  const status = async () => (await forLists.findAgent(id))?.status;
  expect(await Promise.all([status(), status()])).toEqual(["active", "active"]);
  expect(read).toHaveBeenCalledTimes(1);
  await setAgentStatus(accounts, id, "archived"); // as another process
  time = 4_999;
  expect(await status()).toBe("active");
  time = 5_000;
  expect(await status()).toBe("archived");
  await setAgentStatus(others, id, "active");
  expect(await status()).toBe("active");
});

test("a failed read of an agent is repeated, and one that finds none", async () => {
  const { accounts } = fakeAwsStores();
  const { forLists } = keptAgents(accounts, () => 0);
  const read = vi.spyOn(accounts, "findAgent").mockRejectedValueOnce(new Error("throttled"));
  await expect(forLists.findAgent("A")).rejects.toThrow("throttled");
  for (let call = 0; call < 2; call++) expect(await forLists.findAgent("A")).toBeUndefined();
  expect(read).toHaveBeenCalledTimes(3);
});
