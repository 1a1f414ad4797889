import middy from "@middy/core";
import packageFile from "../package.json" with { type: "json" };
import type { ApiRequest, ApiResponse } from "../src/http/handler.ts";
import { binaryBytesOnLambda, bodyBytesOnLambda } from "../src/http/rest/lambda-limits.ts";
import { apiGateway, type ApiMiddleware, compression } from "../src/http/server/lambda.ts";
import { awsSettings, env, envIfSet } from "../src/env.ts";
import { manageHandlers } from "../src/manage/handlers/manage-handlers.ts";
import { manageResponseLimit } from "../src/manage/lambda-limits.ts";
import { manageRouter } from "../src/manage/router.ts";
import { jwtAuthentication } from "../src/manage/sign-in/authenticate.ts";
import type { ConsoleRoles } from "../src/manage/sign-in/sign-in-types.ts";
import { stackEnvironments } from "../src/platform/aws/functions/environment-facts.ts";
import { allSecrets, measuredStores, stateMachine } from "../src/platform/aws/functions/lambda.ts";
import { noEarlyTimeout } from "../src/platform/aws/functions/middlewares.ts";
import { awsWorkflow } from "../src/platform/aws/workflow.ts";
import { trialCompanions } from "../src/trials/erase-trials.ts";

// The management API behind the console's HTTP API. Two functions have this code: `lib/console/stack.ts` sends requests that
// only read to the one that can write nothing but the marks of watched runs.

const settings = awsSettings();
const stack = env("SERVICE_STACK");
const images = envIfSet("ENVIRONMENT_IMAGES");

const stores = measuredStores(settings);
const api = manageRouter(
  manageHandlers({
    ...stores,
    companions: trialCompanions(stores),
    ...allSecrets(settings),
    workflow: awsWorkflow(stateMachine(settings)),
    now: Date.now,
    maxResponseBytes: binaryBytesOnLambda,
    retentionDays: Number(env("RETENTION_DAYS")),
    service: {
      platform: "aws",
      version: packageFile.version,
      sign_in: "jwt",
      stack,
      serviceUrl: () => env("SERVICE_URL"),
      bodyBytes: bodyBytesOnLambda,
      ...(images !== undefined && { environments: stackEnvironments(settings, env("BUCKET_NAME"), images) }),
    },
  }),
  jwtAuthentication(JSON.parse(env("CONSOLE_ROLES")) as ConsoleRoles),
  stores,
);

/** Handles only requests whose token API Gateway has checked: a route without its authorizer must not open the API. */
const requireAuthorizer: ApiMiddleware = {
  before({ event }: { event: unknown }) {
    const { requestContext } = event as { requestContext: { authorizer?: { jwt?: object } } };
    if (requestContext.authorizer?.jwt === undefined) throw new Error("the route has no JWT authorizer");
  },
};

export const handler = middy<ApiRequest, ApiResponse>(noEarlyTimeout)
  .use(requireAuthorizer)
  .use(apiGateway)
  .use(manageResponseLimit(stack))
  .use(compression)
  .handler(api);
