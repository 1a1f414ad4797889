import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { noUsage } from "../../src/agent/turn/turn-limits.ts";
import type { Runs } from "../../src/runs/ports.ts";
import type { Run } from "../../src/runs/run-types.ts";
import {
  answered,
  created,
  failure,
  firstMessages,
  input,
  largeText,
  numbered,
  onTurn,
  output,
} from "./run-fixtures.ts";

/** Contract tests of `Runs.erase`. `open` is called once. Each test creates its own runs. */
export function describeErasure(open: () => Promise<Runs>): void {
  let runs: Runs;
  beforeAll(async () => {
    runs = await open();
  });

  describe("erase", () => {
    test("deletes transcript, journal, queue, name and failure of a terminated run, and of no other", async () => {
      const [run, other] = [await created(runs), await created(runs)];
      const now = onTurn(run);
      const steps = Array.from({ length: 60 }, (_, index) => answered(1, index + 1));
      await runs.change({ ...now, ...numbered(1, { entries: steps }) });
      await runs.change({ ...now, ...numbered(61, { messages: [output(1, largeText(1))] }) });
      await runs.change({ ...now, queue: { add: { turn: 2, text: "Later." } } });
      await runs.change({ ...now, summary: { throughTurn: 1, text: "What was said." } });
      const set = { status: "terminated", turn: 1, updatedAt: 7, failure } as const;
      expect(await runs.change({ ...now, set, queue: "drop" })).toBe(true);

      expect(await runs.erase(run.id)).toBe(true);
      const { id, agentId, organizationId, createdAt } = run;
      const bare = {
        sequence: 0,
        id,
        agentId,
        organizationId,
        name: "",
        status: "terminated",
        turn: 1,
        createdAt,
        updatedAt: 7,
      };
      expect(await runs.load(run.id)).toMatchObject({ run: bare, transcript: [], journal: [], queue: [] });
      expect((await runs.read(run.id))?.run.failure).toBeUndefined();
      expect((await runs.load(run.id))?.summary).toBeUndefined();
      expect(await runs.listEvents(run.id, 0, 100)).toEqual([]);
      expect(await runs.firstInput(run.id, 9)).toBeUndefined();
      expect((await runs.read(other.id))?.transcript).toHaveLength(1);
    });

    test("leaves of each field what its row says", async () => {
      const whole: Required<Omit<Run, "imported">> = {
        id: randomUUID(),
        agentId: "A",
        organizationId: "O",
        name: "Whole",
        status: "terminated",
        turn: 1,
        createdAt: 1,
        updatedAt: 2,
        sequence: 1,
        failure,
        queued: 1,
        used: { ...noUsage, steps: 2, dollars: 0.5 },
        quotaOf: "agent",
        waiting: false,
        model: "m",
        labels: { a: "b" },
        webhook: "agent",
        startedBy: { kind: "key", id: "k 1" },
        tokens: [{ id: "i", hash: "h", createdAt: 1, expiresAt: 2 }],
        tools: ["a", "b"],
        resultSchema: "s",
        askedUntil: 3,
        pauses: 4,
        worked: 5,
        chosen: { limits: { tokens: 1e300 } },
      };
      await runs.create(whole, firstMessages(input(1, "Hello")));
      expect(await runs.head(whole.id)).toEqual(whole);
      expect(await runs.erase(whole.id)).toBe(true);
      const { failure: _failure, labels: _labels, tokens: _tokens, tools: _tools, queued: _queued, ...left } = whole;
      expect(await runs.head(whole.id)).toEqual({ ...left, name: "", sequence: 0 });
    });

    test("returns false for a missing run and for one that is not terminated", async () => {
      const run = await created(runs);
      expect(await runs.erase(run.id)).toBe(false);
      expect((await runs.read(run.id))?.transcript).toHaveLength(1);
      expect(await runs.erase("00000000-0000-4000-8000-000000000000")).toBe(false);
    });
  });
}
