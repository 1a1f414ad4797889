import { createHandler } from "../api/create.ts";
import { awsSettings, env } from "../env.ts";
import { emitter, measuredRuns } from "../metrics.ts";
import { documentClient, s3Client, sfnClient } from "../stores/aws/clients.ts";
import { awsStores } from "../stores/aws/index.ts";
import { awsSecretExists } from "../stores/aws/secrets.ts";
import { awsWorkflow } from "../stores/aws/workflow.ts";

const settings = awsSettings();

const table = env("TABLE_NAME");
const stores = awsStores({
  documents: documentClient(settings),
  s3: () => s3Client(settings),
  table,
  bucket: env("BUCKET_NAME"),
  retentionDays: Number(env("RETENTION_DAYS")),
});

export const handler = createHandler({
  ...stores,
  runs: measuredRuns(stores.runs, emitter(table)),
  workflow: awsWorkflow({ sfn: sfnClient(settings), stateMachineArn: env("STATE_MACHINE_ARN") }),
  now: Date.now,
  secretExists: awsSecretExists,
});
