import { describe } from "vitest";
import type { Runs } from "../../lambdas/runs/ports.ts";
import { describeRunChanges } from "./runs-changes.suite.ts";
import { describeErasure } from "./runs-erasure.suite.ts";
import { describeLeases } from "./runs-leases.suite.ts";
import { describeQueue } from "./runs-queue.suite.ts";
import { describeRunRecords } from "./runs-records.suite.ts";

/** The contract of `Runs`. */
export function describeRuns(open: () => Promise<Runs>): void {
  describe("runs", () => {
    describeRunRecords(open);
    describeRunChanges(open);
    describeLeases(open);
    describeQueue(open);
    describeErasure(open);
  });
}
