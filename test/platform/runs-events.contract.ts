import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { noUsage } from "../../src/agent/turn/turn-limits.ts";
import type { Runs } from "../../src/runs/ports.ts";
import { journalOf } from "../../src/runs/read/list-events.ts";
import type { Run, RunEvent, RunJournalEntry, Stamped } from "../../src/runs/run-types.ts";
import { answered, created, input, largeText, newRun, numbered, onTurn, output, resulted } from "./run-fixtures.ts";

/** Contract tests of listing events. `open` is called once. Each test creates its own runs. */
export function describeEvents(open: () => Promise<Runs>): void {
  let runs: Runs;
  beforeAll(async () => {
    runs = await open();
  });

  /** Pages of at most `limit` events, until one is empty. */
  async function pagesOf(run: Run, limit: number, after = 0): Promise<Stamped<RunEvent>[][]> {
    const pages: Stamped<RunEvent>[][] = [];
    for (let last = after; ;) {
      const page = await runs.listEvents(run.id, last, limit);
      if (page.length === 0) return pages;
      pages.push(page);
      last = page.at(-1)?.sequence ?? last;
    }
  }

  /** A run that finishes its turns with an answer, a result and a last answer each, and starts the next in one write. */
  async function runOfTurns(turns: number): Promise<Run> {
    const run = await created(runs);
    for (let turn = 1; turn <= turns; turn++) {
      const start = 5 * turn - 4;
      const expected = { runId: run.id, expect: { status: "running", turn } } as const;
      const first = [answered(turn, 1), resulted(turn, 1)];
      expect(await runs.change({ ...expected, ...numbered(start, { entries: first }) })).toBe(true);
      const end = { entries: [answered(turn, 2)], messages: [output(turn, `out ${turn}`), input(turn + 1, "next")] };
      const set = { status: "running", turn: turn + 1, updatedAt: turn } as const;
      expect(await runs.change({ ...expected, set, ...numbered(start + 2, end) })).toBe(true);
    }
    return run;
  }

  describe("events", () => {
    test("messages and journal entries are listed with their numbers and times", async () => {
      const run = await created(runs);
      const events = { entries: [answered(1, 1), resulted(1, 1)], messages: [output(1, largeText(1))] };
      expect(await runs.change({ ...onTurn(run), ...numbered(1, events) })).toBe(true);
      const first = numbered(0, { messages: [input(1, "first")] });
      const { entries, messages } = numbered(1, events);
      expect(await runs.listEvents(run.id, 0, 100)).toEqual([...first.messages, ...entries, ...messages]);
      expect(await journalOf({ runs }, run.id)).toEqual(entries);
    });

    test("an interruption is listed as it was recorded", async () => {
      const run = await created(runs);
      const place = { turn: 1, step: 1, part: "resumed", instance: randomUUID() } as const;
      const first: RunJournalEntry = { ...place, reason: "lease_expired" };
      const second: RunJournalEntry = { ...place, reason: "restart", calls: [0, 2] };
      const { entries } = numbered(1, { entries: [first, answered(1, 1), second] });
      expect(await runs.change({ ...onTurn(run), entries })).toBe(true);
      expect(await runs.listEvents(run.id, 1, 100)).toEqual(entries);
      expect((await runs.load(run.id))?.journal).toEqual(entries);
    });

    test("the head and the beginning of the first input are read without the rest", async () => {
      const run = newRun();
      const first = { ...input(1, "Grüße 👋"), sequence: 1, at: run.createdAt };
      await runs.create(run, [first]);
      const events = { entries: [answered(1, 1)], messages: [output(1, "done"), input(2, "second")] };
      const set = { status: "running", turn: 2, updatedAt: 9 } as const;
      await runs.change({ ...onTurn(run), set, ...numbered(1, events), used: noUsage, model: "m" });
      expect(await runs.head(run.id)).toEqual((await runs.read(run.id))?.run);
      expect([await runs.firstInput(run.id, 100), await runs.firstInput(run.id, 7)]).toEqual(["Grüße 👋", "Grüße "]);
      const idle = newRun({ status: "finished", turn: 0 });
      await runs.create(idle, []);
      expect([await runs.head(idle.id), await runs.firstInput(idle.id, 9)]).toEqual([idle, undefined]);
      const missing = randomUUID();
      expect([await runs.head(missing), await runs.firstInput(missing, 9)]).toEqual([undefined, undefined]);
      const large = newRun();
      await runs.create(large, [{ ...input(1, largeText(1)), sequence: 1, at: 1 }]);
      expect(await runs.firstInput(large.id, 200)).toBe(largeText(1).slice(0, 200));
      const wide = newRun();
      await runs.create(wide, [{ ...input(1, "あ👋é".repeat(20_000)), sequence: 1, at: 1 }]);
      expect(await runs.firstInput(wide.id, 7)).toBe("あ👋éあ👋");
      expect(await runs.firstInput(wide.id, 6)).toBe("あ👋éあ");
    });

    test("the events of 12 turns are complete in pages of any size", async () => {
      const run = await runOfTurns(12);
      const turn = ["input_to_agent", "answer", "result", "answer", "output_from_agent"];
      const expected = Array.from({ length: 12 }, (_, index) => turn.map((kind) => `${index + 1} ${kind}`)).flat();
      for (const limit of [1, 2, 3, 5, 7, 100]) {
        const pages = await pagesOf(run, limit);
        const events = pages.flat();
        expect(events.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 61 }, (_, index) => index + 1));
        expect(pages.every((page) => page.length <= limit)).toBe(true);
        expect(events.map(kindOf)).toEqual([...expected, "13 input_to_agent"]);
      }
    });

    test("a page begins after any number", async () => {
      const run = await runOfTurns(3);
      for (let after = 0; after <= 17; after++) {
        const [first, ...rest] = await runs.listEvents(run.id, after, 100);
        expect(first?.sequence).toBe(after < 16 ? after + 1 : undefined);
        expect(rest).toHaveLength(Math.max(0, 15 - after));
      }
    });

    test("2 MB of events take several pages", async () => {
      const run = await created(runs);
      for (let step = 0; step < 40; step++) {
        const entries = [answered(1, step + 1, "x".repeat(50_000))];
        expect(await runs.change({ ...onTurn(run), ...numbered(step + 1, { entries }) })).toBe(true);
      }
      const pages = await pagesOf(run, 100);
      expect(pages.flat()).toHaveLength(41);
      expect(pages.length).toBeGreaterThan(1);
    });

    test("large texts are complete, few in a page", async () => {
      const run = await created(runs);
      const texts = Array.from({ length: 20 }, (_, index) => largeText(index));
      for (const [index, text] of texts.entries()) {
        const entries = [answered(1, index + 1, text)];
        expect(await runs.change({ ...onTurn(run), ...numbered(index + 1, { entries }) })).toBe(true);
      }
      const events = (await pagesOf(run, 100)).flat().slice(1);
      expect(events.map((event) => "part" in event && event.part === "answer" && event.answer.text)).toEqual(texts);
      expect(await runs.listEvents(run.id, 1, 100)).not.toHaveLength(20);
    });

    test("a missing run and a run without input have no events", async () => {
      const idle = newRun({ status: "finished", turn: 0 });
      await runs.create(idle, []);
      for (const id of [randomUUID(), idle.id]) expect(await runs.listEvents(id, 0, 10)).toEqual([]);
    });
  });
}

function kindOf(event: RunEvent): string {
  return `${event.turn} ${"part" in event ? event.part : event.role}`;
}
