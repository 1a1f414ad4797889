import middy from "@middy/core";
import { createHandler } from "../src/v1/create.ts";
import type { ApiRequest, ApiResponse } from "../src/http/handler.ts";
import { apiGateway } from "../src/http/server/lambda.ts";
import { noEarlyTimeout } from "../src/platform/aws/functions/middlewares.ts";
import { awsSettings, env } from "../src/env.ts";
import { measuredStores, stateMachine } from "../src/platform/aws/functions/lambda.ts";
import { awsSecretRefusal } from "../src/platform/aws/sdk/secret-names.ts";
import { awsWorkflow } from "../src/platform/aws/workflow.ts";

const settings = awsSettings();

export const handler = middy<ApiRequest, ApiResponse>(noEarlyTimeout)
  .use(apiGateway)
  .handler(
    createHandler({
      ...measuredStores(settings),
      workflow: awsWorkflow(stateMachine(settings)),
      now: Date.now,
      secretRefusal: awsSecretRefusal(env("SECRET_PREFIX")),
    }),
  );
