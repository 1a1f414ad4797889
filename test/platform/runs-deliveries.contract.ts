import { beforeAll, describe, expect, test } from "vitest";
import type { Delivery } from "../../src/runs/deliveries.ts";
import type { Stores } from "../../src/runs/ports.ts";
import type { Run, RunChange } from "../../src/runs/run-types.ts";
import { messageIdOf } from "../support/delivery-rules.ts";
import { answered, created, numbered, onTurn } from "./run-fixtures.ts";

/** Contract tests of the deliveries that changes store. `open` is called once. */
export function describeDeliveries(open: () => Promise<Pick<Stores, "runs" | "deliveries">>): void {
  let stores: Pick<Stores, "runs" | "deliveries">;
  beforeAll(async () => {
    stores = await open();
  });

  const at = 1_763_000_000_700;
  const end = (run: Run, status: Run["status"], more: Partial<RunChange> = {}) =>
    stores.runs.change({ ...onTurn(run), set: { status, turn: run.turn, updatedAt: at }, ...more });

  describe("deliveries", () => {
    test.each([
      ["finished", "run.finished"],
      ["technical_error", "run.failed"],
      ["terminated", "run.terminated"],
    ] as const)("a change to %s stores %s, whether the writer knows the run's webhook or not", async (status, type) => {
      for (const knows of [false, true]) {
        const run = await created(stores.runs, { webhook: knows ? "agent" : "https://example.com/hook" });
        expect(await end(run, status, knows ? { facts: run } : {})).toBe(true);
        const messageId = messageIdOf(run, 1, type);
        const { agentId, organizationId, id: runId } = run;
        expect(await stores.deliveries.find(messageId)).toEqual({
          id: messageId,
          messageId,
          agentId,
          organizationId,
          runId,
          ...(!knows && { destination: "example.com" }),
          turn: 1,
          type,
          status,
          at,
          attempts: 0,
          state: "pending",
          nextAttemptAt: at,
        } satisfies Delivery);
      }
    });

    test("a turn that ends with a queued input stores run.finished, and so does the next turn", async () => {
      const run = await created(stores.runs, { webhook: "agent" });
      await stores.runs.change({ ...onTurn(run), queue: { add: { turn: 2, text: "next" } } });
      expect(
        await end(run, "running", { set: { status: "running", turn: 2, updatedAt: at }, queue: { take: 2 } }),
      ).toBe(true);
      expect(await stores.deliveries.find(messageIdOf(run, 1, "run.finished"))).toMatchObject({
        turn: 1,
        status: "running",
      });
      expect(await end({ ...run, turn: 2 }, "finished")).toBe(true);
      expect(await stores.deliveries.find(messageIdOf(run, 2, "run.finished"))).toMatchObject({
        turn: 2,
        status: "finished",
      });
    });

    test("a finished run that is stopped stores run.terminated besides run.finished", async () => {
      const run = await created(stores.runs, { webhook: "agent" });
      await end(run, "finished");
      expect(await end({ ...run, status: "finished" }, "terminated")).toBe(true);
      expect(await stores.deliveries.find(messageIdOf(run, 1, "run.finished"))).toMatchObject({ status: "finished" });
      expect(await stores.deliveries.find(messageIdOf(run, 1, "run.terminated"))).toMatchObject({
        status: "terminated",
      });
    });

    test("a change that is rejected, that ends no turn, or of a run without a webhook stores none", async () => {
      const run = await created(stores.runs, { webhook: "agent" });
      expect(await end(run, "finished", { expect: { status: "running", turn: 2 } })).toBe(false);
      expect(await stores.runs.change({ ...onTurn(run), ...numbered(1, { entries: [answered(1, 1)] }) })).toBe(true);
      const silent = await created(stores.runs);
      expect(await end(silent, "finished")).toBe(true);
      for (const each of [run, silent]) {
        expect(await stores.deliveries.find(messageIdOf(each, 1, "run.finished"))).toBeUndefined();
      }
    });

    test("a writer that is wrong about the webhook is corrected", async () => {
      const [run, silent] = [await created(stores.runs, { webhook: "agent" }), await created(stores.runs)];
      const { webhook: _webhook, ...unaware } = run;
      expect(await end(run, "finished", { facts: unaware })).toBe(true);
      expect(await stores.deliveries.find(messageIdOf(run, 1, "run.finished"))).toBeDefined();
      expect(await end(silent, "finished", { facts: { ...silent, webhook: "agent" } })).toBe(true);
      expect(await stores.deliveries.find(messageIdOf(silent, 1, "run.finished"))).toBeUndefined();
    });

    test("of two concurrent ends, one is applied with its delivery", async () => {
      const run = await created(stores.runs, { webhook: "agent" });
      const ends = [end(run, "finished"), end(run, "technical_error"), end(run, "terminated")];
      const applied = await Promise.all(ends);
      expect(applied.filter(Boolean)).toHaveLength(1);
      const types = ["run.finished", "run.failed", "run.terminated"] as const;
      const found = await Promise.all(types.map((type) => stores.deliveries.find(messageIdOf(run, 1, type))));
      expect(found.map(Boolean)).toEqual(applied);
    });
  });
}
