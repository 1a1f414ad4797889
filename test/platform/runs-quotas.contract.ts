import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { noUsage } from "../../src/agent/turn/turn-limits.ts";
import type { Quota } from "../../src/accounts/account-types.ts";
import type { Runs } from "../../src/runs/ports.ts";
import { maxWaiting } from "../../src/runs/quotas.ts";
import type { QuotaScope, Run, RunChange, Slot } from "../../src/runs/run-types.ts";
import { answered, firstMessages, input, newRun, numbered } from "./run-fixtures.ts";

type Owner = Pick<Run, "agentId" | "organizationId">;

/** Contract tests of quotas. `open` is called once. Each test has its own agent and organization. */
export function describeQuotas(open: () => Promise<Runs>): void {
  let runs: Runs;
  beforeAll(async () => {
    runs = await open();
  });

  const counts = async (owner: Owner) => {
    const { agent, organization } = await runs.quotaUse(owner);
    return { agent: [agent.running, agent.waiting], organization: organization.running };
  };

  /** Creates a run with a slot, or waiting for one. Undefined: rejected. */
  async function create(slot: Slot, fields: Partial<Run> = {}): Promise<Run | undefined> {
    const run = newRun({ ...ownerOf(slot), ...fields });
    return (await runs.create(run, firstMessages(input(1, "first")), { slot })) === "created" ? run : undefined;
  }

  const end = (run: Run, fields: Partial<RunChange> = {}) =>
    runs.change({
      runId: run.id,
      expect: { status: "running", turn: run.turn },
      set: { status: "finished", turn: run.turn, updatedAt: run.updatedAt + 1 },
      ...fields,
    });

  const start = (run: Run, slot: Slot) =>
    runs.change({
      runId: run.id,
      expect: { status: "running", turn: run.turn, waiting: true },
      set: { status: "running", turn: run.turn, updatedAt: run.updatedAt + 5 },
      slot,
    });

  describe("quotas", () => {
    test("maxRunning is never exceeded by concurrent creates", async () => {
      const slot = slotOf({ maxRunning: 3 });
      const created = await Promise.all(Array.from({ length: 10 }, () => create(slot)));
      expect(created.filter(Boolean)).toHaveLength(3);
      expect(await counts(slot)).toEqual({ agent: [3, 0], organization: 0 });
    });

    test("the organization's maxRunning covers all its agents", async () => {
      const slot = slotOf({}, { maxRunning: 2 });
      const other = { ...slot, agentId: randomUUID() };
      const created = [await create(slot), await create(other), await create(slot), await create(other)];
      expect(created.map(Boolean)).toEqual([true, true, false, false]);
      expect(await counts(slot)).toEqual({ agent: [1, 0], organization: 2 });
      expect(created[0] && (await end(created[0]))).toBe(true);
      expect(Boolean(await create(other))).toBe(true);
    });

    test("a run whose create was rejected does not exist", async () => {
      const slot = slotOf({ maxRunning: 1 });
      await create(slot);
      const rejected = newRun(ownerOf(slot));
      expect(await runs.create(rejected, firstMessages(input(1, "first")), { slot })).toBe("no_slot");
      expect(await runs.read(rejected.id)).toBeUndefined();
    });

    test.each(["finished", "technical_error", "terminated"] as const)(
      "a run that becomes %s frees its slot, whether the writer knows what it counts towards or not",
      async (status) => {
        const slot = slotOf({ maxRunning: 2 }, { maxRunning: 2 });
        const [known, unknown] = [await create(slot), await create(slot)];
        if (!known || !unknown) throw new Error("not created");
        const set = { status, turn: 1, updatedAt: 9 };
        expect(await end(known, { set, facts: { ...ownerOf(slot), quotaOf: "organization" } })).toBe(true);
        expect(await counts(slot)).toEqual({ agent: [1, 0], organization: 1 });
        expect(await end(unknown, { set })).toBe(true);
        expect(await end(unknown, { set })).toBe(false);
        expect(await counts(slot)).toEqual({ agent: [0, 0], organization: 0 });
        expect((await runs.read(known.id))?.run).toEqual({ ...known, ...set });
      },
    );

    test("a run waits only while something blocks it, and is not advanced", async () => {
      const slot = slotOf({ maxRunning: 1 });
      const waits: Slot = { ...slot, blockedBy: "agent" };
      expect(await create(waits)).toBeUndefined();
      const first = await create(slot);
      const second = await create(waits, { updatedAt: 1 });
      if (!first || !second) throw new Error("not created");
      expect((await runs.read(second.id))?.run).toEqual({ ...second, quotaOf: "agent", waiting: true });
      expect(await counts(slot)).toEqual({ agent: [1, 1], organization: 0 });
      const ids = async () => (await runs.listRunning()).map(({ id }) => id);
      expect(await ids()).toContain(first.id);
      expect(await ids()).not.toContain(second.id);
      expect(await runs.claim({ runId: second.id, owner: "o", now: 1, until: 2 })).toBeUndefined();

      expect(await start(second, slot)).toBe(false);
      await end(first);
      expect(await create(slot)).toBeUndefined(); // an older run waits
      expect(await start(second, slot)).toBe(true);
      expect(await start(second, slot)).toBe(false);
      expect(await counts(slot)).toEqual({ agent: [1, 0], organization: 0 });
      expect((await runs.read(second.id))?.run).toEqual({
        ...second,
        updatedAt: 6,
        quotaOf: "agent",
        waiting: false,
      });
      expect((await runs.listRunning()).find(({ id }) => id === second.id)).toMatchObject({ waiting: false });
      expect(await runs.claim({ runId: second.id, owner: "o", now: 1, until: 2 })).toMatchObject({ turn: 1 });
    });

    test("the next turn of a run that has waited keeps the slot and has not waited", async () => {
      const slot = slotOf({ maxRunning: 1 });
      const first = await create(slot);
      const run = await create({ ...slot, blockedBy: "agent" });
      if (!first || !run) throw new Error("not created");
      await end(first);
      expect(await start(run, slot)).toBe(true);
      const next = { status: "running", turn: 2, updatedAt: 9 } as const;
      const facts = { ...ownerOf(slot), quotaOf: "agent", waiting: false } as const;
      expect(await end(run, { set: next, facts })).toBe(true);
      expect((await runs.read(run.id))?.run).toEqual({ ...run, ...next, quotaOf: "agent" });
      const listed = (await runs.listRunning()).find(({ id }) => id === run.id);
      expect(listed).toMatchObject({ turn: 2 });
      expect(listed).not.toHaveProperty("waiting");
      expect(await counts(slot)).toMatchObject({ agent: [1, 0] });
      expect(await end({ ...run, ...next })).toBe(true);
      expect(await counts(slot)).toMatchObject({ agent: [0, 0] });
    });

    test("a run can wait for a slot of its organization", async () => {
      const slot = slotOf({}, { maxRunning: 1 });
      const other = { ...slot, agentId: randomUUID() };
      const waits: Slot = { ...other, blockedBy: "organization" };
      expect(await create(waits)).toBeUndefined();
      const first = await create(slot);
      const second = await create(waits);
      if (!first || !second) throw new Error("not created");
      expect(await start(second, other)).toBe(false);
      await end(first);
      expect(await start(second, other)).toBe(true);
      expect(await counts(other)).toEqual({ agent: [1, 0], organization: 1 });
    });

    test("waiting runs are listed oldest first, of one organization or of all", async () => {
      const slot = slotOf({ maxRunning: 1 });
      await create(slot);
      const times = [30, 10, 20];
      for (const updatedAt of times) await create({ ...slot, blockedBy: "agent" }, { updatedAt });
      const listed = await runs.listWaiting(slot.organizationId);
      expect(listed.map(({ updatedAt }) => updatedAt)).toEqual([10, 20, 30]);
      expect(listed[0]).toEqual({ ...ownerOf(slot), id: expect.any(String) as string, turn: 1, updatedAt: 10 });
      const all = (await runs.listWaiting()).filter(({ agentId }) => agentId === slot.agentId);
      expect(all).toEqual(listed);
      expect(await runs.listWaiting(randomUUID())).toEqual([]);
    });

    test("a waiting run that is stopped no longer waits", async () => {
      const slot = slotOf({ maxRunning: 1 });
      await create(slot);
      const run = await create({ ...slot, blockedBy: "agent" });
      if (!run) throw new Error("not created");
      const set = { status: "terminated", turn: 1, updatedAt: 9 } as const;
      expect(await end(run, { set })).toBe(true);
      expect(await counts(slot)).toEqual({ agent: [1, 0], organization: 0 });
      expect(await runs.listWaiting(slot.organizationId)).toEqual([]);
      expect(await start(run, slot)).toBe(false);
    });

    test("a run that has started is not ended by a writer that expects it to wait", async () => {
      const slot = slotOf({ maxRunning: 1 });
      const first = await create(slot);
      const run = await create({ ...slot, blockedBy: "agent" });
      if (!first || !run) throw new Error("not created");
      await end(first);
      expect(await start(run, slot)).toBe(true);
      const expected = { status: "running", turn: 1, waiting: true } as const;
      const facts = { ...ownerOf(slot), quotaOf: "agent", waiting: true } as const;
      const set = { status: "terminated", turn: 1, updatedAt: 9 } as const;
      expect(await end(run, { expect: expected, set, facts })).toBe(false);
      expect(await end(run, { expect: expected, set })).toBe(false);
      expect(await counts(slot)).toMatchObject({ agent: [1, 0] });
    });

    test("a waiting run whose quota was removed starts and counts towards none", async () => {
      const slot = slotOf({ maxRunning: 1 });
      await create(slot);
      const run = await create({ ...slot, blockedBy: "agent" });
      if (!run) throw new Error("not created");
      expect(await start(run, ownerOf(slot))).toBe(true);
      expect(await counts(slot)).toEqual({ agent: [1, 0], organization: 0 });
      expect((await runs.read(run.id))?.run).toEqual({ ...run, updatedAt: run.updatedAt + 5, waiting: false });
      expect(await end(run)).toBe(true);
      expect(await counts(slot)).toEqual({ agent: [1, 0], organization: 0 });
    });

    test("at most maxWaiting runs wait", async () => {
      const slot = slotOf({ maxRunning: 1 });
      await create(slot);
      const waits: Slot = { ...slot, blockedBy: "agent" };
      // On AWS, transactions on one count that overlap are repeated a limited number of times.
      for (let n = 0; n < maxWaiting; n += 10) {
        const created = await Promise.all(Array.from({ length: 10 }, () => create(waits)));
        expect(created.every(Boolean)).toBe(true);
      }
      expect(await create(waits)).toBeUndefined();
      expect(await counts(slot)).toMatchObject({ agent: [1, maxWaiting] });
    });

    test("the next turn of a running run keeps its slot; the turn of an idle run takes one", async () => {
      const slot = slotOf({ maxRunning: 1 });
      const run = await create(slot);
      if (!run) throw new Error("not created");
      const next = { status: "running", turn: 2, updatedAt: 9 } as const;
      expect(await end(run, { set: next })).toBe(true);
      expect(await counts(slot)).toMatchObject({ agent: [1, 0] });
      expect(await end({ ...run, ...next })).toBe(true);
      expect(await counts(slot)).toMatchObject({ agent: [0, 0] });

      const third: RunChange = {
        runId: run.id,
        expect: { status: "finished", turn: 2 },
        set: { status: "running", turn: 3, updatedAt: 12 },
        messages: numbered(1, { messages: [input(3, "third")] }).messages,
        slot,
      };
      const rival = await create(slot);
      expect(await runs.change(third)).toBe(false);
      expect(await runs.change({ ...third, slot: { ...slot, blockedBy: "agent" } })).toBe(true);
      expect((await runs.listWaiting(slot.organizationId)).map(({ id }) => id)).toEqual([run.id]);
      if (rival) await end(rival);
      expect(await start({ ...run, turn: 3 }, slot)).toBe(true);
      expect(await counts(slot)).toMatchObject({ agent: [1, 0] });
    });

    test("dollars are charged to the quotas of the run, with the change or not at all", async () => {
      const slot = slotOf({ maxDollarsPerDay: 1 }, { maxDollarsPerDay: 5 });
      const run = await create(slot);
      const uncounted = newRun(ownerOf(slot));
      await runs.create(uncounted, firstMessages(input(1, "first")));
      if (!run) throw new Error("not created");
      const facts = { ...ownerOf(slot), quotaOf: "organization" as QuotaScope };
      expect(await runs.change({ ...spend(run, 1), facts })).toBe(true);
      expect(await runs.change(spend(run, 1))).toBe(false);
      expect(await runs.change(spend(run, 2))).toBe(true);
      expect(await runs.change(spend(uncounted, 1))).toBe(true);
      const used = await runs.quotaUse(slot);
      expect([used.agent.dollars, used.organization.dollars]).toEqual([0.5, 0.5]);
    });

    test("the mean cost of a turn counts those that ended", async () => {
      const slot = slotOf({ maxDollarsPerDay: 10 }, { maxDollarsPerDay: 50 });
      const [first, second] = [await create(slot), await create(slot)];
      if (!first || !second) throw new Error("not created");
      await runs.change(spend(first, 1));
      expect((await runs.quotaUse(slot)).agent).not.toHaveProperty("turnDollars");
      await end(first, { used: { ...noUsage, steps: 1, dollars: 0.75 } });
      const next = { status: "running", turn: 2, updatedAt: 9 } as const;
      await end(second, { set: next, used: { ...noUsage, steps: 1, dollars: 2 } });
      await end({ ...second, turn: 2 }, { set: { ...next, status: "terminated" } });
      const { agent, organization } = await runs.quotaUse(slot);
      expect([agent, organization]).toMatchObject([
        { dollars: 3, turnDollars: 1.5 },
        { dollars: 3, turnDollars: 1.5 },
      ]);
    });

    test("bytes of files count for agent and organization until the run is erased", async () => {
      const [owner, now] = [ownerOf(slotOf({})), Date.now()];
      const sibling = { ...owner, agentId: randomUUID() };
      const made = async (of: Owner, size: number) => {
        const run = newRun({ ...of, createdAt: now });
        const uploads = size > 0 ? [{ name: "a", size, sha256: "a".repeat(64) }] : [];
        await runs.create(run, firstMessages(input(1, "first")), { uploads });
        return run;
      };
      const [first, second] = [await made(owner, 100), await made(owner, 0)];
      await made(sibling, 7);
      expect(await runs.storedBytes(owner)).toEqual({ agent: 100, organization: 107 });
      const wrote = (run: Run, fileBytes: number, sequence: number, facts?: RunChange["facts"]) =>
        runs.change({
          runId: run.id,
          expect: { status: "running", turn: 1 },
          ...(facts && { facts }),
          entries: numbered(sequence, {
            entries: [{ turn: 1, step: sequence, part: "result", call: 0, result: resultOf, fileBytes }],
          }).entries,
        });
      expect(await wrote(first, 50, 1, first)).toBe(true);
      expect(await wrote(first, 50, 1, first)).toBe(false); // not twice
      expect(await wrote(second, 30, 1)).toBe(true); // a writer that knows no facts
      expect(await wrote(first, -20, 2, ownerOf(owner))).toBe(true);
      expect(await runs.storedBytes(owner)).toEqual({ agent: 160, organization: 167 });
      const files = [{ name: "a", size: 130, sha256: "b".repeat(64) }];
      expect(await end(first, { set: { status: "terminated", turn: 1, updatedAt: now }, files })).toBe(true);
      expect(await runs.storedBytes(owner)).toEqual({ agent: 160, organization: 167 });
      expect([await runs.erase(first.id), await runs.erase(first.id)]).toEqual([true, true]);
      expect(await runs.storedBytes(owner)).toEqual({ agent: 30, organization: 37 });
      expect(await runs.storedBytes(sibling)).toEqual({ agent: 7, organization: 37 });
    });

    test("a run without quotas counts towards none", async () => {
      const owner = ownerOf(slotOf({}));
      const run = newRun(owner);
      expect(await runs.create(run, firstMessages(input(1, "first")))).toBe("created");
      expect(await counts({ ...owner })).toEqual({ agent: [0, 0], organization: 0 });
      expect(await end(run)).toBe(true);
      expect(await runs.recount()).toBe(0);
    });
  });
}

const resultOf = { callId: "c", name: "write_file", text: "Wrote it." };

function ownerOf({ agentId, organizationId }: Owner): Owner {
  return { agentId, organizationId };
}

function slotOf(agent: Quota, organization?: Quota): Slot {
  const scope = organization ? "organization" : "agent";
  const quotas = { scope, agent, organization: organization ?? {} } as const;
  return { agentId: randomUUID(), organizationId: randomUUID(), quotas };
}

const spend = (of: Run, step: number): RunChange => ({
  runId: of.id,
  expect: { status: "running", turn: 1 },
  entries: numbered(step, { entries: [answered(1, step)] }).entries,
  used: { ...noUsage, steps: 1, dollars: 0.25 },
});
