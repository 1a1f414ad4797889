import type { SecretRefused } from "../../agent/secret.ts";
import type { S3Client } from "@aws-sdk/client-s3";
import type { Stores } from "../../runs/ports.ts";
import type { LiveText } from "../../runs/read/live-text.ts";
import { trialCompanions } from "../../trials/erase-trials.ts";
import type { Trials } from "../../trials/ports.ts";
import type { Platform } from "../platform-types.ts";
import { accountsOf } from "../records/accounts.ts";
import { trialsOf } from "../records/trials.ts";
import type { Objects } from "./s3/bucket.ts";
import { type ClientSettings, documentClient, type DynamoTable, loadS3Client, sfnClient } from "./sdk/clients.ts";
import { awsConfigurations } from "./configurations.ts";
import { awsDeliveries } from "./deliveries.ts";
import type { ReadItem, Watches } from "./dynamodb/run-items.ts";
import { awsLiveText } from "./live-text.ts";
import { awsPendingUploads } from "./pending-uploads.ts";
import { awsRecords } from "./records.ts";
import { awsRemoval } from "./removal.ts";
import { awsRuns } from "./run-store.ts";
import { awsSecrets, secretsManagerClient } from "./secrets.ts";
import { awsWorkflow } from "./workflow.ts";
import { awsWorkspace } from "./workspace.ts";

/** A deployed service. `retentionDays`: how long new items are kept; absent for readers. */
export interface AwsSettings {
  clients: ClientSettings;
  table: string;
  bucket: string;
  stateMachineArn: string;
  /** Of the names of its secrets: `agent-run-service/<stage>/`. */
  secretPrefix: string;
  retentionDays?: number;
  /** See `awsSecrets`. */
  deniedSecret?: SecretRefused;
}

/** The AWS platform for operators' commands and tests. Lambda functions compose the same parts in `lambda.ts`. */
export function awsPlatform({
  clients,
  stateMachineArn,
  secretPrefix,
  deniedSecret,
  ...stores
}: AwsSettings): Platform {
  const documents = documentClient(clients);
  const sfn = sfnClient(clients);
  const s3 = once(() => loadS3Client(clients));
  const secretsManager = once(() => secretsManagerClient(clients));
  const all = awsStores({ ...stores, documents, s3 });
  return {
    ...all,
    companions: trialCompanions(all),
    ...awsSecrets(secretsManager, secretPrefix, deniedSecret),
    workflow: awsWorkflow({ sfn, stateMachineArn }),
    ...(stores.retentionDays !== undefined && { retentionDays: stores.retentionDays }),
    close() {
      documents.destroy();
      sfn.destroy();
      for (const client of [s3.opened(), secretsManager.opened()]) void client?.then((opened) => opened.destroy());
    },
  };
}

/** `s3` is called when the first object is accessed: most requests access none. */
export interface AwsStoresConfig extends DynamoTable {
  s3: () => Promise<S3Client>;
  bucket: string;
  retentionDays?: number;
  /** Reads the heads of runs and texts in progress. Absent: each in a Query of its own. */
  readItem?: ReadItem;
}

/**
 * The stores on AWS: one DynamoDB table (layout in `table.ts`) and one bucket. `texts`: the answers that models are writing,
 * for all processes of the service.
 */
export function awsStores({
  documents,
  s3,
  table,
  bucket,
  retentionDays,
  readItem,
}: AwsStoresConfig): Stores & { texts: LiveText & Watches; trials: Trials } {
  const objects = once(async (): Promise<Objects> => {
    const [{ bucketObjects }, client] = await Promise.all([import("./s3/bucket.ts"), s3()]);
    return bucketObjects(client, bucket);
  });
  const batched = readItem && { readItem };
  const texts = awsLiveText({ documents, table, ...batched });
  const runsTable = {
    documents,
    table,
    objects,
    watches: texts,
    ...batched,
    ...(retentionDays !== undefined && { retentionDays }),
  };
  return {
    accounts: accountsOf(awsRecords({ documents, table })),
    runs: awsRuns(runsTable),
    configurations: awsConfigurations(runsTable),
    deliveries: awsDeliveries(runsTable),
    trials: trialsOf(awsRecords(runsTable)),
    workspace: awsWorkspace(objects),
    pendingUploads: awsPendingUploads(runsTable),
    removal: awsRemoval(runsTable),
    texts,
  };
}

/** Calls `open` at the first call and keeps its value. */
function once<Value>(open: () => Value): (() => Value) & { opened: () => Value | undefined } {
  let value: Value | undefined;
  return Object.assign(() => (value ??= open()), { opened: () => value });
}
