import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { newestFirst } from "../../src/runs/read/merge-runs.ts";
import type { Runs } from "../../src/runs/ports.ts";
import type { Run, RunPlace, RunQuery } from "../../src/runs/run-types.ts";
import { listed } from "./listed.ts";
import { created, failure, onTurn } from "./run-fixtures.ts";

/** Contract tests of `Runs.list`. `open` is called once. Each test creates its own runs. */
export function describeRunList(open: () => Promise<Runs>): void {
  let runs: Runs;
  beforeAll(async () => {
    runs = await open();
  });

  const list = async (query: RunQuery): Promise<Run[]> => (await runs.list(query)).runs;

  /** All pages of a list. */
  async function pagesOf(query: RunQuery): Promise<Run[][]> {
    const pages: Run[][] = [];
    for (let after = query.after; ;) {
      const page = await runs.list({ ...query, ...(after && { after }) });
      pages.push(page.runs);
      if (!page.next) return pages;
      after = page.next;
    }
  }

  /** Runs of an agent, created at these times. */
  function createdAt(agentId: string, times: number[]): Promise<Run[]> {
    return Promise.all(times.map((time) => created(runs, { agentId, createdAt: time })));
  }

  describe("list", () => {
    test("runs of an agent are listed newest first, up to the limit, with their current status", async () => {
      const agentId = randomUUID();
      const [changed, ...others] = await createdAt(agentId, [5, 1_763_000_000_000, 40, 300, 2, 1_763_000_000_001, 1e3]);
      await created(runs);
      if (!changed) throw new Error("no run was created");
      const set = { status: "technical_error", turn: 1, updatedAt: 7, failure } as const;
      await runs.change({ ...onTurn(changed), set });
      const expected = [{ ...changed, ...set }, ...others].toSorted(newestFirst);
      await listed(() => list({ agentIds: [agentId], limit: 100 }), expected);
      await listed(() => list({ agentIds: [agentId], limit: 7 }), expected);
      expect(await runs.list({ agentIds: [agentId], limit: 100 })).toEqual({ runs: expected });
      expect(await list({ agentIds: [agentId], limit: 3 })).toEqual(expected.slice(0, 3));
      expect(await list({ agentIds: [agentId], limit: 1 })).toEqual(expected.slice(0, 1));
      expect(await runs.list({ agentIds: [randomUUID()], limit: 10 })).toEqual({ runs: [] });
      expect(await runs.list({ agentIds: [], limit: 10 })).toEqual({ runs: [] });
    });

    test("pages continue after a place, also between runs of the same time", async () => {
      const agentId = randomUUID();
      const times = Array.from({ length: 30 }, (_, index) => Math.floor(index / 7));
      const expected = (await createdAt(agentId, times)).toSorted(newestFirst);
      await listed(() => list({ agentIds: [agentId], limit: 30 }), expected);
      for (const limit of [1, 7, 29, 30]) {
        const pages = await pagesOf({ agentIds: [agentId], limit });
        expect(pages.flat()).toEqual(expected);
        expect(pages.slice(0, -1).every((page) => page.length === limit)).toBe(true);
      }
    });

    test("the runs of several agents are one list", async () => {
      const agentIds = Array.from({ length: 3 }, () => randomUUID());
      const times = Array.from({ length: 20 }, (_, index) => index);
      const all = (
        await Promise.all(
          agentIds.map((id, agent) =>
            createdAt(
              id,
              times.map((time) => 10 * time + agent),
            ),
          ),
        )
      ).flat();
      const expected = all.toSorted(newestFirst);
      await listed(() => list({ agentIds, limit: 60 }), expected);
      expect((await pagesOf({ agentIds, limit: 8 })).flat()).toEqual(expected);
      expect(await list({ agentIds: agentIds.slice(0, 1), limit: 60 })).toEqual(
        expected.filter(({ agentId }) => agentId === agentIds[0]),
      );
    });

    test("the runs of organizations are one list, whatever their agents", async () => {
      const [organizationId, other] = [randomUUID(), randomUUID()];
      const times = Array.from({ length: 30 }, (_, index) => 1_763_000_000_000 + Math.floor(index / 4));
      const createdIn = (id: string) =>
        Promise.all(times.map((time) => created(runs, { organizationId: id, agentId: randomUUID(), createdAt: time })));
      const [own, others] = [await createdIn(organizationId), await createdIn(other)];
      await created(runs);
      const [changed] = own;
      if (!changed) throw new Error("no run was created");
      const set = { status: "technical_error", turn: 1, updatedAt: 7, failure } as const;
      await runs.change({ ...onTurn(changed), set });
      Object.assign(changed, set);
      const expected = own.toSorted(newestFirst);
      await listed(() => list({ organizationIds: [organizationId], limit: 30 }), expected);
      expect(await runs.list({ organizationIds: [organizationId], limit: 30 })).toEqual({ runs: expected });
      for (const limit of [1, 7, 29]) {
        expect((await pagesOf({ organizationIds: [organizationId], limit })).flat()).toEqual(expected);
      }
      const both = [...own, ...others].toSorted(newestFirst);
      await listed(async () => (await pagesOf({ organizationIds: [organizationId, other], limit: 8 })).flat(), both);
      const since = 1_763_000_000_003;
      expect(await list({ organizationIds: [organizationId], since, limit: 30 })).toEqual(
        expected.filter(({ createdAt: at }) => at >= since),
      );
      expect(await list({ organizationIds: [organizationId], statuses: ["technical_error"], limit: 2 })).toEqual([
        changed,
      ]);
      expect(await list({ organizationIds: [organizationId], since: 1e15 - 1, limit: 2 })).toEqual([]);
      expect(await runs.list({ organizationIds: [], limit: 10 })).toEqual({ runs: [] });
    });

    test("runs are filtered by the time of creation", async () => {
      const agentId = randomUUID();
      const all = (await createdAt(agentId, [100, 200, 300, 400, 500])).toSorted(newestFirst);
      await listed(() => list({ agentIds: [agentId], limit: 10 }), all);
      const between = async (since: number | undefined, until: number | undefined): Promise<number[]> => {
        const query = { agentIds: [agentId], limit: 10, ...(since !== undefined && { since }) };
        const found = await list({ ...query, ...(until !== undefined && { after: { createdAt: until, id: "" } }) });
        return found.map((run) => run.createdAt);
      };
      expect(await between(200, undefined)).toEqual([500, 400, 300, 200]);
      expect(await between(undefined, 300)).toEqual([200, 100]);
      expect(await between(200, 400)).toEqual([300, 200]);
      expect(await between(201, 300)).toEqual([]);
      expect(await between(400, 200)).toEqual([]);
    });

    test("runs are filtered by status; a page ends after a bounded number of runs", async () => {
      const agentId = randomUUID();
      const all = await createdAt(
        agentId,
        Array.from({ length: 40 }, (_, index) => index),
      );
      const set = { status: "finished", turn: 1, updatedAt: 7 } as const;
      const finished = all.filter((_, index) => index % 3 === 0);
      for (const run of finished) await runs.change({ ...onTurn(run), set });
      const expected = finished.map((run) => Object.assign(run, set)).toSorted(newestFirst);
      const query: RunQuery = { agentIds: [agentId], statuses: ["finished"], limit: 5 };
      await listed(async () => (await pagesOf(query)).flat(), expected);
      expect((await pagesOf({ ...query, limit: 100 })).flat()).toEqual(expected);
      const [oldest] = all;
      const place: RunPlace = { createdAt: oldest?.createdAt ?? 0, id: oldest?.id ?? "" };
      expect(await runs.list({ ...query, after: place })).toEqual({ runs: [] });
      expect((await pagesOf({ ...query, statuses: ["technical_error"] })).flat()).toEqual([]);
    });
  });
}
