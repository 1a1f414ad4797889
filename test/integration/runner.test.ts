import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import type { Model } from "../../src/agent/model.ts";
import { startRunner } from "../../src/platform/local/workflow.ts";
import { newRun, outputTo, putAgent, scriptedModel } from "../support/scripted-runs.ts";
import { temporaryStores } from "../support/temporary-stores.ts";

test("after a restart with 200 runs, the number of concurrent turns is limited and all runs finish", async () => {
  using stores = temporaryStores();
  await putAgent(stores);
  const ids = Array.from({ length: 200 }, () => randomUUID());
  await Promise.all(ids.map((id) => newRun(stores, id, Date.now(), "Go")));

  let [open, most] = [0, 0];
  const { model: scripted } = scriptedModel(1);
  const model: Model = async (request) => {
    most = Math.max(most, ++open);
    await new Promise((resolve) => setTimeout(resolve, 2));
    open--;
    return scripted(request);
  };
  const deps = {
    ...stores,
    now: Date.now,
    secretOf: async () => undefined,
    openModel: async () => ({ model, name: "m", provider: "p" }),
  };
  const runner = startRunner(deps, { workers: 10 }); // of which one agent gets all but two
  await runner.resumeRuns();
  await expect.poll(async () => (await stores.runs.listRunning()).length, { timeout: 30_000 }).toBe(0);
  expect(most).toBe(8);
  const last = await stores.runs.read(ids.at(-1) ?? "");
  expect(last?.transcript.at(-1)).toEqual({ role: "output_from_agent", text: outputTo("Go") });
  await runner.close();
});

test("after a restart, agents and organizations take turns", async () => {
  using stores = temporaryStores();
  await putAgent(stores);
  const { accounts, runs } = stores;
  const one = await accounts.findAgent("A");
  for (const [id, organizationId] of [
    ["A2", "O"],
    ["B1", "P"],
  ] as const) {
    if (organizationId === "P")
      await accounts.createOrganization({ id: "P", name: "P", model: { enabled: true, provider: "demo" } });
    await accounts.createAgent({ ...one!, id, organizationId });
  }
  const plan = [...Array<string>(6).fill("A"), "A2", "A2", "B1", "B1"];
  for (const agentId of plan) {
    const run = await newRun(stores, randomUUID(), Date.now(), agentId, [], {
      agentId,
      organizationId: agentId === "B1" ? "P" : "O",
    });
    expect(run.status).toBe("running");
  }
  const { model, calls } = scriptedModel(0);
  const deps = {
    ...stores,
    now: Date.now,
    secretOf: async () => undefined,
    openModel: async () => ({ model, name: "m", provider: "p" }),
  };
  const runner = startRunner(deps, { workers: 1 });
  await runner.resumeRuns();
  await expect.poll(async () => (await runs.listRunning()).length).toBe(0);
  await runner.close();
  expect(calls.map((call) => call.split(" ")[0])).toEqual(["A", "B1", "A2", "B1", "A", "A2", "A", "A", "A", "A"]);
});
