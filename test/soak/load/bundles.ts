import { createHash } from "node:crypto";
import { expect } from "vitest";
import type { Schemas } from "../../../src/manage/schema-types.ts";
import { forAll, type Work } from "./callers.ts";
import type { KilledService } from "./killed-service.ts";

/** Exports ended runs and imports them again. Each import that was acknowledged is one run, whose export is the bundle. */
export function bundles({ agentId, runs }: { agentId: string; runs: string[] }): Work {
  let sent = 0;
  let exports = 0;
  const hashes = new Map<string, string>();
  const imported: { id: string; run: string }[] = [];

  /** The bundle of a run: the same bytes each time. `of`: the run that was exported first. */
  async function exported(service: KilledService, id: string, of = id): Promise<Buffer> {
    const { bytes } = await service.send("GET", `/manage/v1/runs/${id}/export`);
    const hash = createHash("sha256").update(bytes).digest("hex");
    expect([id, hash]).toEqual([id, hashes.get(of) ?? hash]);
    hashes.set(of, hash);
    exports++;
    return bytes;
  }

  return {
    name: "imports",
    callers: 2,
    acknowledged: () => imported.length,
    async round(service, numbers) {
      const run = numbers.pick(runs);
      const body = await exported(service, run);
      sent++;
      const path = `/manage/v1/agents/${agentId}/runs/import`;
      const { id } = (await service.send<Schemas["Run"]>("POST", path, { body })).body;
      imported.push({ id, run });
    },
    async check(service, count) {
      console.log(`${exports} exports`);
      let found = 0;
      for (let more = ""; ;) {
        const path = `/manage/v1/runs?agent_id=${agentId}&limit=200${more}`;
        const { data, next } = (await service.send<Schemas["RunPage"]>("GET", path)).body;
        found += data.length - data.filter(({ id }) => runs.includes(id)).length;
        if (next === null) break;
        more = `&cursor=${encodeURIComponent(next)}`;
      }
      expect(found).toBeGreaterThanOrEqual(count);
      expect(found).toBeLessThanOrEqual(sent);
      await forAll(imported.slice(0, count), async ({ id, run }) => {
        const { body } = await service.send<Schemas["RunDetail"]>("GET", `/manage/v1/runs/${id}`);
        const source = { run_id: run, bundle_sha256: hashes.get(run) };
        expect(body).toMatchObject({ status: "finished", imported_from: source });
        await exported(service, id, run);
      });
    },
  };
}
