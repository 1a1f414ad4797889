import { beforeAll, describe, expect, test } from "vitest";
import type { Workflow } from "../../src/runs/ports.ts";

/** A workflow and observations of its work. */
export interface WorkflowHarness {
  workflow: Workflow;
  /** Creates a run in turn 1 whose work, once started, continues until it is stopped. */
  newRun(): Promise<string>;
  /** How often work on the turn was started. */
  begun(runId: string, turn: number): Promise<number>;
  /** Number of workers of the turn now. */
  atWork(runId: string, turn: number): Promise<number>;
}

const soon = { timeout: 25_000, interval: 50 };

/** Contract tests of `Workflow`. `open` is called once. Each test creates its own run. */
export function describeWorkflow(open: () => Promise<WorkflowHarness>): void {
  describe("workflow", () => {
    let harness: WorkflowHarness;
    beforeAll(async () => {
      harness = await open();
    });

    async function started(): Promise<string> {
      const runId = await harness.newRun();
      await harness.workflow.start(runId, 1);
      await expect.poll(() => harness.atWork(runId, 1), soon).toBe(1);
      return runId;
    }

    test("start resolves while the turn is in progress", async () => {
      const runId = await started();
      expect(await harness.begun(runId, 1)).toBe(1);
    });

    test("start is idempotent, concurrently and later", async () => {
      const runId = await harness.newRun();
      await Promise.all(Array.from({ length: 5 }, () => harness.workflow.start(runId, 1)));
      await expect.poll(() => harness.atWork(runId, 1), soon).toBe(1);
      await harness.workflow.start(runId, 1);
      // A second start would be visible within this time.
      await new Promise((resolve) => setTimeout(resolve, 300));
      expect(await harness.begun(runId, 1)).toBe(1);
      expect(await harness.atWork(runId, 1)).toBe(1);
    });

    test("stop ends the work on this run only", async () => {
      const [runId, other] = [await started(), await started()];
      await harness.workflow.stop(runId, 1);
      await expect.poll(() => harness.atWork(runId, 1), soon).toBe(0);
      expect(await harness.atWork(other, 1)).toBe(1);
    });

    test("stop is a no-op without work in progress", async () => {
      const runId = await harness.newRun();
      await harness.workflow.stop(runId, 1);
      await harness.workflow.start(runId, 1);
      await expect.poll(() => harness.atWork(runId, 1), soon).toBe(1);
      await harness.workflow.stop(runId, 1);
      await expect.poll(() => harness.atWork(runId, 1), soon).toBe(0);
      await harness.workflow.stop(runId, 1);
      expect(await harness.begun(runId, 1)).toBe(1);
    });
  });
}
