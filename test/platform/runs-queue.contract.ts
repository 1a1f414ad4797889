import { beforeAll, describe, expect, test } from "vitest";
import { noUsage, addUsage, type Usage } from "../../src/agent/turn/turn-limits.ts";
import type { Run, RunChange } from "../../src/runs/run-types.ts";
import type { Runs } from "../../src/runs/ports.ts";
import { answered, created, input, largeText, numbered, onTurn, output } from "./run-fixtures.ts";

/** Contract tests of queued inputs, usage and summaries. `open` is called once. Each test creates its own runs. */
export function describeQueue(open: () => Promise<Runs>): void {
  let runs: Runs;
  beforeAll(async () => {
    runs = await open();
  });

  describe("queue", () => {
    test("inputs are queued in order and change nothing else", async () => {
      const run = await created(runs);
      const texts = ["second", largeText(3), ""];
      for (const [index, text] of texts.entries()) expect(await runs.change(add(run, index + 2, text))).toBe(true);
      const found = await runs.load(run.id);
      expect(found?.run).toEqual({ ...run, queued: 3 });
      expect(found?.queue.map(({ turn }) => turn)).toEqual([2, 3, 4]);
      expect(found?.queue.map(({ text }) => text)).toEqual(texts);
      expect((await runs.read(run.id))?.transcript).toHaveLength(1);
    });

    test("a change that expects another number of queued inputs is rejected", async () => {
      const run = await created(runs);
      const finish = { ...onTurn(run), set: { status: "finished", turn: 1, updatedAt: 7 } } as const;
      expect(await runs.change({ ...finish, expect: { ...finish.expect, queued: 1 } })).toBe(false);
      expect(await runs.change(add(run, 2, "x"))).toBe(true);
      expect(await runs.change(add(run, 2, "y", 0))).toBe(false);
      expect(await runs.change({ ...finish, expect: { ...finish.expect, queued: 0 } })).toBe(false);
      expect((await runs.load(run.id))?.queue).toEqual([{ turn: 2, text: "x" }]);
    });

    test("one of 10 inputs for the same turn is queued", async () => {
      const run = await created(runs);
      const results = await Promise.all(Array.from({ length: 10 }, (_, n) => runs.change(add(run, 2, `${n}`))));
      expect(results.filter(Boolean)).toHaveLength(1);
      expect((await runs.load(run.id))?.queue).toEqual([{ turn: 2, text: `${results.indexOf(true)}` }]);
    });

    test("the end of a turn and the start of the next are one write", async () => {
      const run = await created(runs);
      await runs.change(add(run, 2, "second"));
      await runs.change(add(run, 3, "third"));
      const set = { status: "running", turn: 2, updatedAt: 9 } as const;
      const events = numbered(1, { messages: [output(1, "done"), input(2, "second")] });
      expect(await runs.change({ ...onTurn(run), set, ...events, queue: { take: 2 } })).toBe(true);
      const found = await runs.load(run.id);
      expect(found?.run).toEqual({ ...run, ...set, queued: 1, sequence: 3 });
      expect(found?.transcript.map(({ text }) => text)).toEqual(["first", "done", "second"]);
      expect(found?.queue).toEqual([{ turn: 3, text: "third" }]);
      const last = { status: "running", turn: 3, updatedAt: 10 } as const;
      expect(await runs.change({ runId: run.id, expect: set, set: last, queue: { take: 3 } })).toBe(true);
      expect(await runs.load(run.id)).toMatchObject({ queue: [] });
      expect((await runs.read(run.id))?.run).toEqual({ ...run, ...last, sequence: 3 });
    });

    test("who created a run and who sent its inputs is read back, also from the queue", async () => {
      const operator = { kind: "operator", id: "mira (ao_4fK2x9)" } as const;
      const mcp = { kind: "mcp", id: "b".repeat(64) } as const;
      const run = await created(runs, { startedBy: { kind: "key", id: "a".repeat(64) } });
      expect(await runs.head(run.id)).toEqual(run);
      expect((await runs.list({ agentIds: [run.agentId], limit: 1 })).runs).toEqual([run]);
      const queued = { turn: 2, text: "second", startedBy: mcp };
      const expect0 = { ...onTurn(run).expect, queued: 0 };
      expect(await runs.change({ runId: run.id, expect: expect0, queue: { add: queued } })).toBe(true);
      expect((await runs.load(run.id))?.queue).toEqual([queued]);
      const second = { ...input(2, "second"), startedBy: operator };
      const events = numbered(1, { messages: [output(1, "done"), second] });
      const set = { status: "running", turn: 2, updatedAt: 9 } as const;
      expect(await runs.change({ ...onTurn(run), set, ...events, queue: { take: 2 } })).toBe(true);
      const [first, , next] = await runs.listEvents(run.id, 0, 10);
      expect(first).not.toHaveProperty("startedBy");
      expect(next).toMatchObject(second);
    });

    test("a stop drops the queued inputs", async () => {
      const run = await created(runs);
      await runs.change(add(run, 2, "second"));
      const set = { status: "terminated", turn: 1, updatedAt: 9 } as const;
      expect(await runs.change({ ...onTurn(run), set, queue: "drop" })).toBe(true);
      expect(await runs.load(run.id)).toMatchObject({ run: { ...run, ...set }, queue: [] });
      expect((await runs.read(run.id))?.run).toEqual({ ...run, ...set });
    });
  });

  describe("usage", () => {
    const tokens = { inputTokens: 100, outputTokens: 20, cachedInputTokens: 50, cacheWriteInputTokens: 30 };
    const one: Usage = { ...noUsage, steps: 1, ...tokens, dollars: 0.25 };

    test("is added with its change or not at all", async () => {
      const run = await created(runs);
      const step = {
        ...onTurn(run),
        ...numbered(1, { entries: [answered(1, 1)] }),
        used: one,
        model: "m",
        tools: ["b"],
      };
      expect(await runs.change(step)).toBe(true);
      expect(await runs.change(step)).toBe(false);
      const used = addUsage(one, { ...noUsage, milliseconds: 1_234 });
      const set = { status: "finished", turn: 1, updatedAt: 9 } as const;
      const milliseconds = { ...noUsage, milliseconds: 1_234 };
      expect(await runs.change({ ...onTurn(run), set, used: milliseconds })).toBe(true);
      expect((await runs.read(run.id))?.run).toEqual({ ...run, ...set, used, model: "m", tools: ["b"], sequence: 2 });
    });

    test("of 10 concurrent writers is added completely", async () => {
      const run = await created(runs);
      const changes = Array.from({ length: 10 }, () => runs.change({ ...onTurn(run), used: one }));
      expect(await Promise.all(changes)).toEqual(changes.map(() => true));
      expect((await runs.load(run.id))?.run.used).toMatchObject({ steps: 10, inputTokens: 1_000, dollars: 2.5 });
    });
  });

  describe("summary", () => {
    test("the latest is loaded with the run, also in later turns", async () => {
      const run = await created(runs);
      expect((await runs.load(run.id))?.summary).toBeUndefined();
      await runs.change({ ...onTurn(run), set: { status: "running", turn: 2, updatedAt: 9 } });
      const second = { runId: run.id, expect: { status: "running", turn: 2 } } as const;
      await runs.change({ ...second, summary: { throughTurn: 1, text: "old" } });
      const summary = { throughTurn: 1, text: largeText(1) };
      expect(await runs.change({ ...second, summary })).toBe(true);
      await runs.change({ ...second, set: { status: "running", turn: 3, updatedAt: 10 } });
      expect((await runs.load(run.id))?.summary).toEqual(summary);
      expect(await runs.read(run.id)).not.toHaveProperty("summary");
    });
  });
}

function add(run: Run, turn: number, text: string, queued = turn - 2): RunChange {
  return {
    runId: run.id,
    expect: { ...onTurn(run).expect, queued },
    queue: { add: { turn, text } },
  };
}
