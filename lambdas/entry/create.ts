import { createHandler } from "../api/create.ts";
import { awsSettings, env } from "../env.ts";
import { documentClient, s3Client, sfnClient } from "../stores/aws/clients.ts";
import { awsStores } from "../stores/aws/index.ts";
import { awsSecretExists } from "../stores/aws/secrets.ts";
import { awsWorkflow } from "../stores/aws/workflow.ts";

const settings = awsSettings();

export const handler = createHandler({
  ...awsStores({
    documents: documentClient(settings),
    s3: () => s3Client(settings),
    table: env("TABLE_NAME"),
    bucket: env("BUCKET_NAME"),
  }),
  workflow: awsWorkflow({ sfn: sfnClient(settings), stateMachineArn: env("STATE_MACHINE_ARN") }),
  now: Date.now,
  secretExists: awsSecretExists,
});
