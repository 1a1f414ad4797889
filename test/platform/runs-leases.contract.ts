import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import type { Claim, Lease, Run } from "../../src/runs/run-types.ts";
import type { Runs } from "../../src/runs/ports.ts";
import { answered, created, numbered, onTurn, output } from "./run-fixtures.ts";

const now = 1_763_000_000_000;
const lasts = 45_000;
const entries = numbered(1, { entries: [answered(1, 1)] });

/** Contract tests of leases. `open` is called once. Each test creates its own runs. */
export function describeLeases(open: () => Promise<Runs>): void {
  let runs: Runs;
  beforeAll(async () => {
    runs = await open();
  });

  const claim = (run: Run, owner: string, at = now): Promise<Claim | undefined> =>
    runs.claim({ runId: run.id, owner, now: at, until: at + lasts });

  async function leased(run: Run, owner = "a", at = now): Promise<Lease> {
    const claimed = await claim(run, owner, at);
    if (!claimed) throw new Error("the claim was refused");
    return { runId: run.id, fencingToken: claimed.fencingToken };
  }

  describe("leases", () => {
    test("a claim returns a fencing token and the turn", async () => {
      const run = await created(runs);
      expect(await claim(run, "a")).toMatchObject({ turn: 1, takenOver: false });
    });

    test("a missing run and a run that is not running cannot be claimed", async () => {
      const run = await created(runs);
      await runs.change({ ...onTurn(run), set: { status: "finished", turn: 1, updatedAt: 7 } });
      expect(await claim(run, "a")).toBeUndefined();
      expect(await claim({ ...run, id: randomUUID() }, "a")).toBeUndefined();
    });

    test("another owner can claim after the lease has expired; the same owner can claim at any time", async () => {
      const run = await created(runs);
      const first = await leased(run, "a");
      expect(await claim(run, "b", now + lasts - 1)).toBeUndefined();
      const again = await leased(run, "a", now + 1);
      expect(again.fencingToken).toBeGreaterThan(first.fencingToken);
      const third = await claim(run, "a", now + 1);
      expect(third).toMatchObject({ takenOver: false });
      const taken = await claim(run, "b", now + 1 + lasts);
      expect(taken).toMatchObject({ takenOver: true });
      expect(taken?.fencingToken).toBeGreaterThan(third?.fencingToken ?? Infinity);
    });

    test("one of 20 concurrent claims succeeds", async () => {
      const run = await created(runs);
      const claims = await Promise.all(Array.from({ length: 20 }, (_, n) => claim(run, `${n}`)));
      expect(claims.filter(Boolean)).toHaveLength(1);
    });

    test("a renewed lease lasts longer; a released lease has ended", async () => {
      const run = await created(runs);
      const lease = await leased(run);
      expect(await runs.renew(lease, now + 2 * lasts)).toBe(true);
      expect(await claim(run, "b", now + lasts + 1)).toBeUndefined();
      await runs.release(lease);
      expect(await claim(run, "b", now + 1)).toMatchObject({ takenOver: false });
    });

    test("a lease that ends implausibly late, after a clock jump, is ignored", async () => {
      const run = await created(runs);
      await leased(run, "a", now + 365 * 24 * 3_600_000);
      expect(await claim(run, "b", now)).toMatchObject({ takenOver: true });
    });

    test("an old fencing token cannot write, renew or release", async () => {
      const run = await created(runs);
      const old = await leased(run, "a");
      const current = await leased(run, "b", now + lasts);
      expect(await runs.holds(old)).toBe(false);
      expect(await runs.renew(old, now + 9 * lasts)).toBe(false);
      await runs.release(old);
      expect(await runs.holds(current)).toBe(true);
      const set = { status: "finished", turn: 1, updatedAt: 7 } as const;
      expect(await runs.change({ ...onTurn(run), fencingToken: old.fencingToken, ...entries })).toBe(false);
      expect(
        await runs.change({
          ...onTurn(run),
          fencingToken: old.fencingToken,
          set,
          ...numbered(1, { messages: [output(1, "old")] }),
        }),
      ).toBe(false);
      expect(await runs.load(run.id)).toMatchObject({ run: { status: "running" }, journal: [] });
      expect(await runs.change({ ...onTurn(run), fencingToken: current.fencingToken, ...entries })).toBe(true);
      expect(await runs.change({ ...onTurn(run), fencingToken: current.fencingToken, set })).toBe(true);
    });

    test("writers without a lease need no fencing token, and a stop ends the lease", async () => {
      const run = await created(runs);
      const lease = await leased(run);
      expect([await runs.holds(lease), await runs.status(run.id)]).toEqual([true, "running"]);
      expect(await runs.change({ ...onTurn(run), set: { status: "terminated", turn: 1, updatedAt: 7 } })).toBe(true);
      expect([await runs.holds(lease), await runs.status(run.id)]).toEqual([false, "terminated"]);
      expect(await runs.status("no-such-run")).toBeUndefined();
      expect(await runs.renew(lease, now + 2 * lasts)).toBe(false);
      expect(await runs.change({ ...onTurn(run), fencingToken: lease.fencingToken, ...entries })).toBe(false);
    });

    test("the write that ends a turn ends the lease, also when it starts the next turn", async () => {
      const run = await created(runs);
      const lease = await leased(run);
      const set = { status: "running", turn: 2, updatedAt: 7 } as const;
      expect(await runs.change({ ...onTurn(run), fencingToken: lease.fencingToken, set })).toBe(true);
      expect(await claim(run, "b", now + 1)).toMatchObject({ turn: 2, takenOver: false });
    });

    test("a lease is not part of the run", async () => {
      const run = await created(runs);
      await leased(run);
      expect((await runs.read(run.id))?.run).toEqual(run);
    });
  });
}
