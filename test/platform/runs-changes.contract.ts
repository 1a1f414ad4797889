import { beforeAll, describe, expect, test } from "vitest";
import type { Run, RunChange, RunToken } from "../../src/runs/run-types.ts";
import type { Runs } from "../../src/runs/ports.ts";
import {
  answered,
  created,
  failure,
  firstMessages,
  input,
  largeText,
  newRun,
  numbered,
  onTurn,
  output,
  recorded,
} from "./run-fixtures.ts";

/** Contract tests of `Runs.change`. `open` is called once. Each test creates its own runs. */
export function describeRunChanges(open: () => Promise<Runs>): void {
  let runs: Runs;
  beforeAll(async () => {
    runs = await open();
  });

  describe("change", () => {
    test.each([
      { status: "finished", turn: 1, updatedAt: 1_763_000_005_000 },
      { status: "technical_error", turn: 1, updatedAt: 7, failure },
    ] as const)("sets what is given, and keeps the rest of the run: $status", async (set) => {
      const run = await created(runs);
      expect(await runs.change({ ...onTurn(run), set })).toBe(true);
      expect((await runs.read(run.id))?.run).toEqual({ ...run, ...set });
    });

    test("replaces labels, whatever the status", async () => {
      const run = await created(runs, { labels: { customer: "1", kept: "no" } });
      const labels = { customer: "2", note: "ü" };
      expect(await runs.change({ ...onTurn(run), labels })).toBe(true);
      expect((await runs.read(run.id))?.run).toEqual({ ...run, labels });
      expect(await runs.change({ ...onTurn(run), labels: {} })).toBe(true);
      const { labels: _none, ...bare } = run;
      expect((await runs.read(run.id))?.run).toEqual(bare);
    });

    test("an erased run gets no labels", async () => {
      const run = await created(runs);
      const set = { status: "terminated", turn: 1, updatedAt: 7 } as const;
      expect(await runs.change({ ...onTurn(run), set })).toBe(true);
      const stopped = onTurn({ ...run, ...set });
      expect(await runs.change({ ...stopped, labels: { customer: "1" } })).toBe(true);
      expect(await runs.erase(run.id)).toBe(true);
      expect(await runs.change({ ...stopped, labels: { customer: "2" } })).toBe(false);
      expect((await runs.head(run.id))?.labels).toBeUndefined();
    });

    test("replaces tokens if they are still the same, and an erased run has none", async () => {
      const run = await created(runs);
      const [first, second] = ["a", "b"].map((id) => ({ id, hash: id.repeat(64), createdAt: 1, expiresAt: 2 }));
      if (!first || !second) throw new Error("two tokens");
      const change = (before: RunToken[], after: RunToken[]) =>
        runs.change({ ...onTurn(run), tokens: { before, after } });
      expect(await change([], [first])).toBe(true);
      expect(await change([], [second])).toBe(false);
      expect((await runs.head(run.id))?.tokens).toEqual([first]);
      expect(await change([second], [])).toBe(false);
      expect(await change([first], [first, second])).toBe(true);
      expect((await runs.head(run.id))?.tokens).toEqual([first, second]);
      expect(await change([first, second], [])).toBe(true);
      expect(await runs.head(run.id)).toEqual(run);
      expect(await change([], [second])).toBe(true);
      const set = { status: "terminated", turn: 1, updatedAt: 7 } as const;
      expect(await runs.change({ ...onTurn(run), set })).toBe(true);
      expect(await runs.erase(run.id)).toBe(true);
      expect((await runs.head(run.id))?.tokens).toBeUndefined();
      const erased = { ...onTurn({ ...run, ...set }), tokens: { before: [], after: [first] } };
      expect(await runs.change(erased)).toBe(false);
    });

    test("message and status appear together", async () => {
      const run = await created(runs);
      const set = { status: "finished", turn: 1, updatedAt: 7 } as const;
      const messages = [output(1, "done")];
      expect(await runs.change({ ...onTurn(run), set, ...numbered(1, { messages }) })).toBe(true);
      expect(await runs.read(run.id)).toEqual({
        run: { ...run, ...set, sequence: 2 },
        transcript: [
          { role: "input_to_agent", text: "first" },
          { role: "output_from_agent", text: "done" },
        ],
      });
    });

    test("adds messages and journal entries, which changes only the number of the last event", async () => {
      const run = await created(runs);
      expect(await runs.change({ ...onTurn(run), ...numbered(1, { messages: [output(1, "early")] }) })).toBe(true);
      expect(await runs.change({ ...onTurn(run), ...numbered(2, { entries: [answered(1, 1)] }) })).toBe(true);
      const found = await runs.load(run.id);
      expect(found?.run).toEqual({ ...run, sequence: 3 });
      expect(found?.transcript.map(({ text }) => text)).toEqual(["first", "early"]);
      expect(found?.journal).toEqual(recorded(2, [answered(1, 1)]));
    });

    test("a change without writes checks whether the run is as expected", async () => {
      const run = await created(runs);
      expect(await runs.change(onTurn(run))).toBe(true);
      expect(await runs.change({ runId: run.id, expect: { status: "finished", turn: 1 } })).toBe(false);
      expect((await runs.load(run.id))?.run).toEqual(run);
    });

    const lost: [string, (run: Run) => Partial<RunChange>][] = [
      ["another status", () => ({ expect: { status: "finished", turn: 1 } })],
      ["an earlier turn", () => ({ expect: { status: "running", turn: 0 } })],
      ["a later turn", () => ({ expect: { status: "running", turn: 2 } })],
      ["fewer events", () => numbered(1, { entries: [answered(1, 2)], messages: [output(1, "new")] })],
      ["more events", () => numbered(3, { entries: [answered(1, 2)], messages: [output(1, "new")] })],
      ["no events", () => numbered(0, { messages: [input(1, "large".repeat(100_000))] })],
    ];
    test.each(lost)("a change that expects %s is rejected, and nothing is applied", async (_, difference) => {
      const run = await created(runs);
      await runs.change({ ...onTurn(run), ...numbered(1, { entries: [answered(1, 1)] }) });
      const before = await runs.load(run.id);
      const whole: RunChange = {
        ...onTurn(run),
        set: { status: "technical_error", turn: 1, updatedAt: 99, failure },
        ...numbered(2, { entries: [answered(1, 2)], messages: [output(1, "new")] }),
        ...difference(run),
      };
      expect(await runs.change(whole)).toBe(false);
      expect(await runs.load(run.id)).toEqual(before);
      // The other parts of the rejected change can still be written.
      const rest = numbered(2, { entries: [answered(1, 2)], messages: [output(1, "x")] });
      expect(await runs.change({ ...onTurn(run), ...rest })).toBe(true);
    });

    test("events that are numbered with a gap are an error", async () => {
      const run = await created(runs);
      const [first, second] = recorded(1, [answered(1, 1), answered(1, 2)]);
      if (!first || !second) throw new Error("two entries are numbered");
      const gap = { ...onTurn(run), entries: [first, { ...second, sequence: 4 }] };
      await expect(runs.change(gap)).rejects.toThrow("are numbered 2 and 4; expected no gap");
      expect((await runs.load(run.id))?.run).toEqual(run);
    });

    test("a change to a missing run is rejected and does not create it", async () => {
      const missing = newRun();
      const set = { status: "finished", turn: 1, updatedAt: 7 } as const;
      expect(await runs.change({ ...onTurn(missing), set })).toBe(false);
      for (const last of [0, 1]) {
        expect(await runs.change({ ...onTurn(missing), ...numbered(last, { messages: [output(1, "x")] }) })).toBe(
          false,
        );
        expect(await runs.change({ ...onTurn(missing), ...numbered(last, { entries: [answered(1, 1)] }) })).toBe(false);
      }
      expect(await runs.load(missing.id)).toBeUndefined();
      await runs.create(missing, firstMessages(input(1, "first")));
      expect((await runs.load(missing.id))?.journal).toEqual([]);
    });

    test("the same change is rejected the second time", async () => {
      const run = await created(runs);
      const step = { ...onTurn(run), ...numbered(1, { entries: [answered(1, 1)] }) };
      expect(await runs.change(step)).toBe(true);
      expect(await runs.change(step)).toBe(false);
      const set = { status: "finished", turn: 1, updatedAt: 7 } as const;
      expect(await runs.change({ ...onTurn(run), set })).toBe(true);
      expect(await runs.change({ ...onTurn(run), set })).toBe(false);
    });

    test("one of 20 concurrent final statuses is applied with its message", async () => {
      const run = await created(runs);
      const results = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          runs.change({
            ...onTurn(run),
            set: { status: index % 2 === 0 ? "finished" : "technical_error", turn: 1, updatedAt: index },
            ...numbered(1, { messages: [output(1, `writer ${index}`)] }),
          }),
        ),
      );
      expect(results.filter(Boolean)).toHaveLength(1);
      const winner = results.indexOf(true);
      const found = await runs.read(run.id);
      expect(found?.run).toMatchObject({
        updatedAt: winner,
        status: winner % 2 === 0 ? "finished" : "technical_error",
      });
      expect(found?.transcript.map(({ text }) => text)).toEqual(["first", `writer ${winner}`]);
    });

    test("one of 20 equal journal entries is applied", async () => {
      const run = await created(runs);
      const change = { ...onTurn(run), ...numbered(1, { entries: [answered(1, 1)] }) };
      const results = await Promise.all(Array.from({ length: 20 }, () => runs.change(change)));
      expect(results.filter(Boolean)).toHaveLength(1);
      expect((await runs.load(run.id))?.journal).toEqual(recorded(1, [answered(1, 1)]));
    });

    test("one of 20 large texts with the same number is kept", async () => {
      const run = await created(runs);
      const results = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          runs.change({ ...onTurn(run), ...numbered(1, { messages: [output(1, largeText(index))] }) }),
        ),
      );
      expect(results.filter(Boolean)).toHaveLength(1);
      const found = await runs.read(run.id);
      expect(found?.transcript[1]?.text === largeText(results.indexOf(true))).toBe(true);
    });

    test("of 10 writers of different entries with the same number, one is applied", async () => {
      const run = await created(runs);
      const steps = Array.from({ length: 10 }, (_, index) => answered(1, index + 1));
      const results = await Promise.all(
        steps.map((step) => runs.change({ ...onTurn(run), ...numbered(1, { entries: [step] }) })),
      );
      expect(results.filter(Boolean)).toHaveLength(1);
      const applied = steps.filter((_, index) => results[index]);
      expect((await runs.load(run.id))?.journal).toEqual(recorded(1, applied));
    });
  });
}
