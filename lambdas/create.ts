import { createHandler } from "../src/api/handlers/create.ts";
import { lambdaHandler } from "../src/api/server/lambda.ts";
import { awsSettings } from "../src/env.ts";
import { measuredStores, stateMachine } from "../src/platform/aws/lambda.ts";
import { awsSecretExists } from "../src/platform/aws/secrets.ts";
import { awsWorkflow } from "../src/platform/aws/workflow.ts";

const settings = awsSettings();

export const handler = lambdaHandler(
  createHandler({
    ...measuredStores(settings),
    workflow: awsWorkflow(stateMachine(settings)),
    now: Date.now,
    secretExists: awsSecretExists,
  }),
);
