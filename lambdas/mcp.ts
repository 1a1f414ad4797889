import middy from "@middy/core";
import packageFile from "../package.json" with { type: "json" };
import { inlineBytesOnLambda } from "../src/http/rest/lambda-limits.ts";
import type { ApiRequest, ApiResponse } from "../src/http/handler.ts";
import { apiGateway } from "../src/http/server/lambda.ts";
import { noEarlyTimeout } from "../src/platform/aws/functions/middlewares.ts";
import { awsSettings, env } from "../src/env.ts";
import { mcpHandler } from "../src/mcp/handler.ts";
import { measuredStores, stateMachine } from "../src/platform/aws/functions/lambda.ts";
import { awsSecretRefusal } from "../src/platform/aws/sdk/secret-names.ts";
import { awsWorkflow } from "../src/platform/aws/workflow.ts";

const settings = awsSettings();

export const handler = middy<ApiRequest, ApiResponse>(noEarlyTimeout)
  .use(apiGateway)
  .handler(
    mcpHandler({
      ...measuredStores(settings),
      workflow: awsWorkflow(stateMachine(settings)),
      now: Date.now,
      secretRefusal: awsSecretRefusal(env("SECRET_PREFIX")),
      version: packageFile.version,
      maxWaitSeconds: 20, // API Gateway ends requests after 30 s
      pollInterval: 1_500,
      inlineBytes: inlineBytesOnLambda,
      retentionDays: Number(env("RETENTION_DAYS")),
    }),
  );
