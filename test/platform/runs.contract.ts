import { describe } from "vitest";
import type { Stores } from "../../src/runs/ports.ts";
import { describeAnswers } from "./runs-answers.contract.ts";
import { describeRunChanges } from "./runs-changes.contract.ts";
import { describeDeliveries } from "./runs-deliveries.contract.ts";
import { describeEvents } from "./runs-events.contract.ts";
import { describeManifests } from "./runs-files.contract.ts";
import { describeIdempotency } from "./runs-idempotency.contract.ts";
import { describeRunList } from "./runs-list.contract.ts";
import { describeErasure } from "./runs-erasure.contract.ts";
import { describeLeases } from "./runs-leases.contract.ts";
import { describeQuotas } from "./runs-quotas.contract.ts";
import { describeQueue } from "./runs-queue.contract.ts";
import { describeRunRecords } from "./runs-journal.contract.ts";

/** Contract tests of `Runs`, and of the deliveries that it stores. */
export function describeRuns(openStores: () => Promise<Pick<Stores, "runs" | "deliveries">>): void {
  const open = async () => (await openStores()).runs;
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
    describeIdempotency(open);
    describeDeliveries(openStores);
    describeAnswers(openStores);
  });
}
