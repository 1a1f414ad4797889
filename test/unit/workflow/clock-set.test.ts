import { expect, test } from "vitest";
import type { Model } from "../../../src/agent/model.ts";
import { advance } from "../../../src/workflow/advance.ts";
import { newRun, putAgent, scriptedModel } from "../../support/scripted-runs.ts";
import { temporaryStores } from "../../support/temporary-stores.ts";

const hour = 3_600_000;

test.each([
  ["forward", 48 * hour],
  ["back", -24 * hour],
])("a turn during which the clock is set %s takes as long as before, and ends as planned", async (_, jump) => {
  using stores = temporaryStores();
  await putAgent(stores, { limits: { steps: 10, tokens: 1e9, seconds: 60 } });
  await newRun(stores, "R", Date.now(), "Go.");
  const { model } = scriptedModel(3);
  let set = 0;
  const now = (): number => Date.now() + set;
  const later: Model = (request) => {
    set = jump;
    return model(request);
  };
  const deps = {
    ...stores,
    now,
    secretOf: async () => undefined,
    openModel: async () => ({ model: later, name: "m", provider: "demo" }),
  };
  const budget = { signal: new AbortController().signal, deadline: Infinity };
  expect(await advance(deps, { runId: "R", turn: 1 }, budget)).toEqual({ done: true, turn: 1 });
  const { run } = (await stores.runs.read("R")) ?? {};
  expect([run?.status, run?.used?.steps]).toEqual(["finished", 4]);
  expect(run?.used?.milliseconds).toBeGreaterThanOrEqual(0);
  expect(run?.used?.milliseconds).toBeLessThan(hour);
});
