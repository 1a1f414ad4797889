import { createHandler } from "../src/api/handlers/create.ts";
import { lambdaHandler } from "../src/api/server/lambda.ts";
import { awsSettings, env } from "../src/env.ts";
import { sfnClient } from "../src/platform/aws/clients.ts";
import { awsSecretExists } from "../src/platform/aws/secrets.ts";
import { awsWorkflow } from "../src/platform/aws/workflow.ts";
import { measuredStores } from "../src/platform/aws/lambda-stores.ts";

const settings = awsSettings();

export const handler = lambdaHandler(
  createHandler({
    ...measuredStores(settings),
    workflow: awsWorkflow({ sfn: sfnClient(settings), stateMachineArn: env("STATE_MACHINE_ARN") }),
    now: Date.now,
    secretExists: awsSecretExists,
  }),
);
