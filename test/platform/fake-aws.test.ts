import { HeadObjectCommand } from "@aws-sdk/client-s3";
import { mockClient } from "aws-sdk-client-mock";
import { describe } from "vitest";
import { newS3Client } from "../../src/platform/aws/s3/bucket.ts";
import { uploadKey } from "../../src/platform/aws/pending-uploads.ts";
import { signedTransfers } from "../../src/platform/aws/s3/signed-transfers.ts";
import { describeOrganizationExport } from "./organization-export.contract.ts";
import { describeOrganizationDeletion } from "./organization-deletion.contract.ts";
import { describeAccounts } from "./accounts.contract.ts";
import { describeConfigurations } from "./configurations.contract.ts";
import { describeDeliveryStore } from "./deliveries.contract.ts";
import { describeDeliveries } from "./runs-deliveries.contract.ts";
import { describeEndedCredentials } from "./ended-credentials.contract.ts";
import { describeIdempotency } from "./runs-idempotency.contract.ts";
import { describeErasure } from "./runs-erasure.contract.ts";
import { describeEvents } from "./runs-events.contract.ts";
import { describeRunList } from "./runs-list.contract.ts";
import { describeLeases } from "./runs-leases.contract.ts";
import { describeQueue } from "./runs-queue.contract.ts";
import { describeAnswers } from "./runs-answers.contract.ts";
import { describeRunRecords } from "./runs-journal.contract.ts";
import { describeRunChanges } from "./runs-changes.contract.ts";
import { describeForks } from "./forks.contract.ts";
import { describeImports } from "./imports.contract.ts";
import { describeTrials } from "./trials.contract.ts";
import { fakeAwsStores } from "../support/fake-aws/platform.ts";

// Shows that the fake is good enough: the AWS stores pass their contract tests over it.
describe("AWS stores over a table in memory", () => {
  const s3 = newS3Client({ region: "eu-central-1", credentials: { accessKeyId: "A", secretAccessKey: "s" } });
  mockClient(s3).on(HeadObjectCommand).resolves({});
  const stores = fakeAwsStores();
  const { accounts, runs, deliveries } = stores;
  const reopenConfigurations = () => stores.inAnotherProcess().configurations;
  describeOrganizationExport(stores);
  describeOrganizationDeletion(stores, reopenConfigurations, async (upload, content) =>
    stores.putObject(uploadKey(upload), content),
  );
  describeTrials(async () => stores);
  describeForks(stores);
  describeImports(stores);
  describeAccounts(async () => accounts);
  describeEndedCredentials(
    async () => fakeAwsStores(),
    signedTransfers(async () => s3, "bucket"),
  );
  describeConfigurations(async () => reopenConfigurations());
  describeRunRecords(async () => runs);
  describeRunChanges(async () => runs);
  describeLeases(async () => runs);
  describeQueue(async () => runs);
  describeErasure(async () => runs);
  describeEvents(async () => runs);
  describeRunList(async () => runs);
  describeIdempotency(async () => runs);
  describeDeliveries(async () => ({ runs, deliveries }));
  describeAnswers(async () => ({ runs, deliveries }));
  describeDeliveryStore(async () => ({ accounts, deliveries }));
});
