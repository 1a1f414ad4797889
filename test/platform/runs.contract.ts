import { describe } from "vitest";
import type { Runs } from "../../src/runs/ports.ts";
import { describeRunChanges } from "./runs-changes.contract.ts";
import { describeEvents } from "./runs-events.contract.ts";
import { describeManifests } from "./runs-files.contract.ts";
import { describeRunList } from "./runs-list.contract.ts";
import { describeErasure } from "./runs-erasure.contract.ts";
import { describeLeases } from "./runs-leases.contract.ts";
import { describeQuotas } from "./runs-quotas.contract.ts";
import { describeQueue } from "./runs-queue.contract.ts";
import { describeRunRecords } from "./runs-journal.contract.ts";

/** Contract tests of `Runs`. */
export function describeRuns(open: () => Promise<Runs>): void {
  describe("runs", () => {
    describeRunRecords(open);
    describeRunChanges(open);
    describeLeases(open);
    describeQueue(open);
    describeErasure(open);
    describeManifests(open);
    describeEvents(open);
    describeQuotas(open);
    describeRunList(open);
  });
}
