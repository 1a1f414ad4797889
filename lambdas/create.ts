import { createHandler } from "../src/v1/create.ts";
import { lambdaHandler } from "../src/http/server/lambda.ts";
import { awsSettings, env } from "../src/env.ts";
import { measuredStores, stateMachine } from "../src/platform/aws/functions/lambda.ts";
import { awsSecretRefusal } from "../src/platform/aws/sdk/secret-names.ts";
import { awsWorkflow } from "../src/platform/aws/workflow.ts";

const settings = awsSettings();

export const handler = lambdaHandler(
  createHandler({
    ...measuredStores(settings),
    workflow: awsWorkflow(stateMachine(settings)),
    now: Date.now,
    secretRefusal: awsSecretRefusal(env("SECRET_PREFIX")),
  }),
);
