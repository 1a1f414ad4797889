import { createHandler } from "../api/create.ts";
import { awsSettings, env } from "../env.ts";
import { sfnClient } from "../stores/aws/clients.ts";
import { awsSecretExists } from "../stores/aws/secrets.ts";
import { awsWorkflow } from "../stores/aws/workflow.ts";
import { measuredStores } from "./stores.ts";

const settings = awsSettings();

export const handler = createHandler({
  ...measuredStores(settings),
  workflow: awsWorkflow({ sfn: sfnClient(settings), stateMachineArn: env("STATE_MACHINE_ARN") }),
  now: Date.now,
  secretExists: awsSecretExists,
});
