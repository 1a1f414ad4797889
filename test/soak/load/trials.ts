import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import type { Schemas } from "../../../src/manage/schema-types.ts";
import { forAll, type Work } from "./callers.ts";
import { definition } from "./set-up.ts";

/** Each trial that was acknowledged and started ends, with a verdict on each case. */
export function trials({ agentId, runs }: { agentId: string; runs: string[] }): Work {
  const started: string[] = [];
  const draft = {
    definition: { ...definition, instructions: "Work well." },
    last: runs.length,
    control: 1,
    concurrency: 2,
    budget: { tokens: 100_000 },
  };
  return {
    name: "trials",
    callers: 2,
    acknowledged: () => started.length,
    async round(service) {
      const path = `/manage/v1/agents/${agentId}/trials`;
      const { id } = (await service.send<Schemas["Trial"]>("POST", path, { body: draft })).body;
      await service.insist("POST", `/manage/v1/trials/${id}/start`);
      started.push(id);
      const isRunning = async () =>
        (await service.insist<Schemas["Trial"]>("GET", `/manage/v1/trials/${id}`)).body.status === "running";
      while (await isRunning()) await sleep(20); // between polls
    },
    async check(service, count) {
      await forAll(started.slice(0, count), async (id) => {
        const { status } = (await service.send<Schemas["Trial"]>("GET", `/manage/v1/trials/${id}`)).body;
        const cases = await service.send<Schemas["TrialCasePage"]>("GET", `/manage/v1/trials/${id}/cases`);
        const verdicts = cases.body.data.map(({ verdict }) => verdict);
        expect([id, status, verdicts]).toEqual([id, "finished", runs.map(() => "same")]);
      });
    },
  };
}
