import { beforeAll, describe, expect, test } from "vitest";
import type { Workflow } from "../../src/runs/ports.ts";

/** A workflow, and what can be seen of the work that it does. */
export interface WorkflowHarness {
  workflow: Workflow;
  /** A stored run that is running on turn 1 and whose work, once started, goes on until it is stopped. */
  newRun(): Promise<string>;
  /** How often work on the run's turn was begun. */
  begun(runId: string, turn: number): Promise<number>;
  /** How often the run's turn is being worked on now. */
  atWork(runId: string, turn: number): Promise<number>;
}

const soon = { timeout: 10_000, interval: 50 };

/** The contract of `Workflow`. `open` is called once; every test uses a run of its own. */
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

    test("start resolves while the turn is being worked on", async () => {
      const runId = await started();
      expect(await harness.begun(runId, 1)).toBe(1);
    });

    test("starting a turn again, at the same time or later, starts it once", async () => {
      const runId = await harness.newRun();
      await Promise.all(Array.from({ length: 5 }, () => harness.workflow.start(runId, 1)));
      await expect.poll(() => harness.atWork(runId, 1), soon).toBe(1);
      await harness.workflow.start(runId, 1);
      // Work that began a second time would show within this time.
      await new Promise((resolve) => setTimeout(resolve, 300));
      expect(await harness.begun(runId, 1)).toBe(1);
      expect(await harness.atWork(runId, 1)).toBe(1);
    });

    test("stop ends the work on that run only", async () => {
      const [runId, other] = [await started(), await started()];
      await harness.workflow.stop(runId, 1);
      await expect.poll(() => harness.atWork(runId, 1), soon).toBe(0);
      expect(await harness.atWork(other, 1)).toBe(1);
    });

    test("stopping what is not worked on is a no-op", async () => {
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
