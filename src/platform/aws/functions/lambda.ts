import { env } from "../../../env.ts";
import { emitter, measuredRuns } from "../../../observability/metrics.ts";
import type { Runs, Stores } from "../../../runs/ports.ts";
import { type ClientSettings, documentClient, type DynamoTable, loadS3Client, sfnClient } from "../sdk/clients.ts";
import { accountsOf } from "../../records/accounts.ts";
import { awsRecords } from "../records.ts";
import { awsDeliveries } from "../deliveries.ts";
import type { ReadItem } from "../dynamodb/run-items.ts";
import { awsStores } from "../open-platform.ts";
import { trialOf } from "../../../trials/trial-id.ts";
import { awsRuns } from "../run-store.ts";
import { awsSecretOf, awsSecrets, secretsManagerClient } from "../secrets.ts";
import type { Secrets } from "../../../agent/secret.ts";
import type { StateMachine } from "../workflow.ts";

// Parts of the AWS platform for Lambda functions, configured by the environment variables that `lib/` sets. Each function
// composes only the parts that it has permissions for. Its imports decide its bundle and so its cold start.

const table = env("TABLE_NAME");
export const emit = emitter(table);

/** Stores for reading: without metrics, and without an expiry of new items. */
export function readOnlyStores(settings: ClientSettings): Stores {
  return awsStores({
    documents: documentClient(settings),
    s3: () => loadS3Client(settings),
    table,
    bucket: env("BUCKET_NAME"),
  });
}

/**
 * Stores for creating and advancing runs: writes emit metrics, and items expire. With the answers that models are writing.
 * `batched`: reads in batches what streams poll.
 */
export function measuredStores(
  settings: ClientSettings,
  batched?: (items: DynamoTable) => ReadItem,
): ReturnType<typeof awsStores> {
  const documents = documentClient(settings);
  const stores = awsStores({
    documents,
    s3: () => loadS3Client(settings),
    table,
    bucket: env("BUCKET_NAME"),
    retentionDays: Number(env("RETENTION_DAYS")),
    ...(batched && { readItem: batched({ documents, table }) }),
  });
  return { ...stores, runs: measuredRuns(stores.runs, emit, { isOwnRun }) };
}

/** Runs for functions that only write a final status and its delivery. They have no permission for texts and files. */
export function statusOnlyRuns(settings: ClientSettings): Runs {
  const documents = documentClient(settings);
  const retentionDays = Number(env("RETENTION_DAYS"));
  return measuredRuns(awsRuns({ documents, table, objects: noObjects, retentionDays }), emit, { isOwnRun });
}

function isOwnRun(owner: Parameters<typeof trialOf>[0]): boolean {
  return trialOf(owner) === undefined;
}

function noObjects(): Promise<never> {
  return Promise.reject(new Error("this function has no access to the texts and files of runs"));
}

/** The stores of the function that sends webhook deliveries. It has no permission for texts and files. */
export function deliveryStores(settings: ClientSettings): Pick<Stores, "accounts" | "runs" | "deliveries"> {
  const items = { documents: documentClient(settings), table, objects: noObjects };
  return { accounts: accountsOf(awsRecords(items)), runs: awsRuns(items), deliveries: awsDeliveries(items) };
}

/** The state machine that drives turns. */
export function stateMachine(settings: ClientSettings): StateMachine {
  return { sfn: sfnClient(settings), stateMachineArn: env("STATE_MACHINE_ARN") };
}

/** The values of secrets in AWS Secrets Manager. The client is loaded at the first use. */
export function readSecrets(settings: ClientSettings): Pick<Secrets, "secretOf"> {
  return { secretOf: awsSecretOf(lazyClient(settings), env("SECRET_PREFIX")) };
}

/** Secrets in AWS Secrets Manager, for functions that also check their names and existence. */
export function allSecrets(settings: ClientSettings): Secrets {
  return awsSecrets(lazyClient(settings), env("SECRET_PREFIX"));
}

function lazyClient(settings: ClientSettings) {
  let client: ReturnType<typeof secretsManagerClient> | undefined;
  return () => (client ??= secretsManagerClient(settings));
}
