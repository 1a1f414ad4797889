import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import type { Stores } from "../../src/runs/ports.ts";
import type { Run, RunChange, RunJournalEntry, Slot } from "../../src/runs/run-types.ts";
import {
  answered,
  created,
  failure,
  firstMessages,
  input,
  newRun,
  numbered,
  onTurn,
  recorded,
} from "./run-fixtures.ts";

const asked: RunJournalEntry = { turn: 1, step: 1, part: "asked", call: 0, kind: "question", until: 90 };
const answer: RunJournalEntry = {
  turn: 1,
  step: 1,
  part: "answered",
  call: 0,
  answer: { kind: "output", text: "Yes." },
  by: { kind: "operator", id: "mira" },
};

/** Contract tests of turns that wait for answers. `open` is called once. Each test creates its own runs. */
export function describeAnswers(open: () => Promise<Pick<Stores, "runs" | "deliveries">>): void {
  let stores: Pick<Stores, "runs" | "deliveries">;
  beforeAll(async () => {
    stores = await open();
  });

  /** Lets a running run wait until 90. */
  const pause = (run: Run, more: Partial<RunChange> = {}) =>
    stores.runs.change({
      ...onTurn(run),
      set: { status: "running", turn: run.turn, updatedAt: 30, asks: { askedUntil: 90, pauses: 1, worked: 20 } },
      ...numbered(run.sequence, { entries: [asked] }),
      ...more,
    });
  const continued = (run: Run, more: Partial<RunChange> = {}) =>
    stores.runs.change({
      runId: run.id,
      expect: { status: "running", turn: run.turn, asks: true, pauses: 1 },
      set: { status: "running", turn: run.turn, updatedAt: 40 },
      ...more,
    });
  const listed = async (run: Run) =>
    (await stores.runs.listAsking({ organizationId: run.organizationId })).map(({ id }) => id);
  const running = async (run: Run) => (await stores.runs.listRunning()).find(({ id }) => id === run.id);
  const counts = async ({ agentId, organizationId }: Run) => {
    const { agent, organization } = await stores.runs.quotaUse({ agentId, organizationId });
    return [agent.running, agent.waiting, organization.running];
  };

  describe("answers", () => {
    test("a run that waits is in the list of those that do, and no worker gets it", async () => {
      const { runs } = stores;
      const run = await created(runs);
      const lease = await runs.claim({ runId: run.id, owner: "a", now: 1, until: 50 });
      expect(await pause(run, { fencingToken: lease?.fencingToken ?? 0 })).toBe(true);
      expect(await runs.load(run.id)).toMatchObject({
        run: { ...run, status: "running", updatedAt: 30, askedUntil: 90, pauses: 1, worked: 20, sequence: 2 },
        journal: recorded(1, [asked]),
      });
      expect(await runs.claim({ runId: run.id, owner: "b", now: 100, until: 150 })).toBeUndefined();
      expect(await running(run)).toBeUndefined();
      const { id, turn, agentId, organizationId } = run;
      expect(await runs.listAsking({ organizationId })).toEqual([
        { id, turn, agentId, organizationId, askedUntil: 90, pauses: 1 },
      ]);
      expect((await runs.listAsking()).map((each) => each.id)).toContain(id);
      expect(await runs.listAsking({ organizationId, until: 89 })).toEqual([]);
      expect(await runs.listAsking({ organizationId, until: 90 })).toHaveLength(1);
    });

    test("an answer is recorded once, and the turn continues in the same write", async () => {
      const { runs } = stores;
      const run = await created(runs);
      await pause(run);
      const entries = numbered(2, { entries: [answer] });
      const results = await Promise.all(Array.from({ length: 5 }, () => continued(run, entries)));
      expect(results.filter(Boolean)).toHaveLength(1);
      expect(await runs.load(run.id)).toMatchObject({ journal: recorded(1, [asked, answer]) });
      expect(await runs.head(run.id)).toEqual({ ...run, updatedAt: 40, pauses: 1, worked: 20, sequence: 3 });
      expect(await listed(run)).toEqual([]);
      expect(await running(run)).toMatchObject({ id: run.id, updatedAt: 40, pauses: 1 });
      expect(await runs.claim({ runId: run.id, owner: "b", now: 100, until: 150 })).toMatchObject({ takenOver: false });
      expect(await continued(run)).toBe(false); // it does not wait any more
    });

    test("an answer that leaves others open changes nothing else; one to an earlier pause is rejected", async () => {
      const { runs } = stores;
      const run = await created(runs);
      await pause(run);
      const expected = { status: "running", turn: 1, asks: true } as const;
      const entry = numbered(2, { entries: [answer] });
      expect(await runs.change({ runId: run.id, expect: expected, ...entry })).toBe(true);
      expect(await runs.head(run.id)).toMatchObject({ askedUntil: 90, sequence: 3 });
      expect(await continued(run, { expect: { ...expected, pauses: 2 } })).toBe(false);
      expect(await continued(run)).toBe(true);
    });

    test("a next turn forgets how long the turn before had worked, and counts on", async () => {
      const { runs } = stores;
      const run = await created(runs);
      await pause(run);
      await continued(run);
      const set = { status: "finished", turn: 1, updatedAt: 50 } as const;
      expect(await runs.change({ ...onTurn(run), expect: { status: "running", turn: 1, asks: false }, set })).toBe(
        true,
      );
      const next = { status: "running", turn: 2, updatedAt: 60 } as const;
      expect(await runs.change({ runId: run.id, expect: { status: "finished", turn: 1, pauses: 1 }, set: next })).toBe(
        true,
      );
      expect(await runs.head(run.id)).toEqual({ ...run, ...next, pauses: 1, sequence: 2 });
      expect(await running(run)).toMatchObject({ turn: 2, pauses: 1 });
    });

    test("a run that waits can be stopped, and then it is in no list; its turn cannot be failed", async () => {
      const { runs } = stores;
      const run = await created(runs);
      await pause(run);
      const failed = { status: "technical_error", turn: 1, updatedAt: 50 } as const;
      expect(
        await runs.change({ ...onTurn(run), expect: { status: "running", turn: 1, asks: false }, set: failed }),
      ).toBe(false);
      expect(await runs.change({ ...onTurn(run), queue: { add: { turn: 2, text: "next" } } })).toBe(true);
      const set = { status: "terminated", turn: 1, updatedAt: 50 } as const;
      const stop = { ...onTurn(run), expect: { status: "running", turn: 1, asks: true }, set, queue: "drop" } as const;
      expect(await runs.change(stop)).toBe(true);
      expect(await runs.head(run.id)).toEqual({ ...run, ...set, pauses: 1, sequence: 2 });
      expect(await listed(run)).toEqual([]);
    });

    test("stores run.waiting for each pause", async () => {
      const run = await created(stores.runs, { webhook: "agent" });
      expect(await pause(run)).toBe(true);
      const id = `msg_${run.id.replaceAll("-", "")}_1_waiting_1`;
      expect(await stores.deliveries.find(id)).toMatchObject({
        type: "run.waiting",
        status: "running",
        turn: 1,
        at: 30,
      });
    });

    test("a failed turn continues after a retry, without its failure, and can fail again", async () => {
      const { runs } = stores;
      const run = await created(runs, { webhook: "agent" });
      const fail = (updatedAt: number) =>
        runs.change({ ...onTurn(run), set: { status: "technical_error", turn: 1, updatedAt, failure } });
      expect(await fail(30)).toBe(true);
      const retried = { status: "running", turn: 1, updatedAt: 40 } as const;
      const entry: RunJournalEntry = { turn: 1, step: 1, part: "resumed", instance: "i", reason: "retry" };
      const retry = {
        runId: run.id,
        expect: { status: "technical_error", turn: 1 } as const,
        set: { ...retried, pauses: 1 },
        ...numbered(1, { entries: [entry] }),
      };
      expect(await runs.change(retry)).toBe(true);
      expect(await runs.change(retry)).toBe(false);
      expect(await runs.head(run.id)).toEqual({ ...run, ...retried, pauses: 1, sequence: 2 });
      expect(await running(run)).toMatchObject({ turn: 1, pauses: 1 });
      expect(await fail(50)).toBe(true);
      const ids = ["", "_1"].map((end) => `msg_${run.id.replaceAll("-", "")}_1_failed${end}`);
      const sent = await Promise.all(ids.map((id) => stores.deliveries.find(id)));
      expect(sent.map((delivery) => delivery?.at)).toEqual([30, 50]);
    });

    test.each([true, false])("frees its slot, and needs one to continue (facts known: %s)", async (known) => {
      const { runs } = stores;
      const slot: Slot = {
        agentId: randomUUID(),
        organizationId: randomUUID(),
        quotas: { scope: "organization", agent: { maxRunning: 1 }, organization: { maxRunning: 1 } },
      };
      const { agentId, organizationId } = slot;
      const create = async () => {
        const run = newRun({ agentId, organizationId });
        const outcome = await runs.create(run, firstMessages(input(1, "first")), { slot });
        return outcome === "created" ? { ...run, quotaOf: "organization" as const } : undefined;
      };
      const run = await create();
      if (!run) throw new Error("not created");
      const spent = { entries: [answered(1, 1), asked] };
      expect(await pause(run, { ...numbered(1, spent), ...(known && { facts: run }) })).toBe(true);
      expect(await counts(run)).toEqual([0, 0, 0]);
      expect((await runs.head(run.id))?.quotaOf).toBeUndefined();
      const other = await create();
      expect(await counts(run)).toEqual([1, 0, 1]);
      expect(await continued(run, { slot })).toBe(false);
      const waits: Slot = { ...slot, blockedBy: "agent" };
      expect(await continued(run, { slot: waits, ...numbered(3, { entries: [answer] }) })).toBe(true);
      expect(await counts(run)).toEqual([1, 1, 1]);
      expect(await runs.listWaiting(organizationId)).toEqual([
        { id: run.id, turn: 1, updatedAt: 40, agentId, organizationId, pauses: 1 },
      ]);
      if (other) await runs.change({ ...onTurn(other), set: { status: "finished", turn: 1, updatedAt: 60 } });
      const started = { status: "running", turn: 1, updatedAt: 70 } as const;
      const start = { runId: run.id, expect: { ...started, waiting: true, pauses: 1 } as const, set: started, slot };
      expect(await runs.change(start)).toBe(true);
      expect(await counts(run)).toEqual([1, 0, 1]);
      expect(await running(run)).toMatchObject({ waiting: false, pauses: 1 });
      expect(await runs.change({ ...onTurn(run), set: { status: "finished", turn: 1, updatedAt: 80 } })).toBe(true);
      expect(await counts(run)).toEqual([0, 0, 0]);
    });
  });
}
