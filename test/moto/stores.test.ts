import { afterAll, describe } from "vitest";
import { describeAccounts } from "../platform/accounts.contract.ts";
import { describeConfigurations } from "../platform/configurations.contract.ts";
import { describeDeliveryStore } from "../platform/deliveries.contract.ts";
import { describeOperators } from "../platform/operators.contract.ts";
import { describeAnswers } from "../platform/runs-answers.contract.ts";
import { describeRunChanges } from "../platform/runs-changes.contract.ts";
import { describeDeliveries } from "../platform/runs-deliveries.contract.ts";
import { describeErasure } from "../platform/runs-erasure.contract.ts";
import { describeEvents } from "../platform/runs-events.contract.ts";
import { describeManifests } from "../platform/runs-files.contract.ts";
import { describeIdempotency } from "../platform/runs-idempotency.contract.ts";
import { describeRunRecords } from "../platform/runs-journal.contract.ts";
import { describeLeases } from "../platform/runs-leases.contract.ts";
import { describeRunList } from "../platform/runs-list.contract.ts";
import { describeQueue } from "../platform/runs-queue.contract.ts";
import { describeTrials } from "../platform/trials.contract.ts";
import { type MotoServer, startMoto } from "./moto-server.ts";
import { motoStores } from "./moto-stores.ts";

// A second opinion on DynamoDB and S3, before a release: README.md says how it differs. The gate is test/platform/fake-aws.test.ts.

type Stores = Awaited<ReturnType<typeof motoStores>>;
type Open = () => Promise<Stores>;

const suites: Record<string, (open: Open) => void> = {
  accounts: (open) => describeAccounts(async () => (await open()).accounts),
  operators: (open) => describeOperators(async () => (await open()).accounts),
  configurations: (open) => describeConfigurations(async () => (await open()).configurations),
  leases: (open) => describeLeases(runsOf(open)),
  queue: (open) => describeQueue(runsOf(open)),
  records: (open) => describeRunRecords(runsOf(open)),
  changes: (open) => describeRunChanges(runsOf(open)),
  events: (open) => describeEvents(runsOf(open)),
  erasure: (open) => describeErasure(runsOf(open)),
  list: (open) => describeRunList(runsOf(open)),
  "idempotency keys": (open) => describeIdempotency(runsOf(open)),
  manifests: (open) => describeManifests(runsOf(open)),
  answers: (open) => describeAnswers(open),
  "deliveries of runs": (open) => describeDeliveries(open),
  deliveries: (open) => describeDeliveryStore(open),
  trials: (open) => describeTrials(open),
};

function runsOf(open: Open): () => Promise<Stores["runs"]> {
  return async () => (await open()).runs;
}

for (const [name, declare] of Object.entries(suites)) {
  describe(`moto: ${name}`, () => {
    let server: Promise<MotoServer> | undefined;
    let stores: Promise<Stores> | undefined;
    afterAll(async () => (await server)?.close());
    declare(() => (stores ??= (server ??= startMoto()).then(({ url }) => motoStores(url))));
  });
}
