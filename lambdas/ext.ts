import middy from "@middy/core";
import { inlineBytesOnLambda } from "../src/http/rest/lambda-limits.ts";
import type { ApiRequest, ApiResponse } from "../src/http/handler.ts";
import { apiGateway, compression, cors } from "../src/http/server/lambda.ts";
import { noEarlyTimeout } from "../src/platform/aws/functions/middlewares.ts";
import { awsSettings, env, envIfSet } from "../src/env.ts";
import { extHandlers } from "../src/ext/handlers/ext-handlers.ts";
import { extResponseLimit } from "../src/ext/on-lambda.ts";
import { extRouter } from "../src/ext/router.ts";
import { loadS3Client } from "../src/platform/aws/sdk/clients.ts";
import { measuredStores, stateMachine } from "../src/platform/aws/functions/lambda.ts";
import { awsSecretRefusal } from "../src/platform/aws/sdk/secret-names.ts";
import { signedTransfers } from "../src/platform/aws/s3/signed-transfers.ts";
import { awsWorkflow } from "../src/platform/aws/workflow.ts";
import { trialCompanions } from "../src/trials/erase-trials.ts";

// The extension API. Two functions have this code: `lib/http-api.ts` sends requests that only read to the one that can write
// nothing but the use of keys and the marks of watched runs.

const settings = awsSettings();
const stores = measuredStores(settings);

const api = extRouter(
  extHandlers({
    ...stores,
    companions: trialCompanions(stores),
    workflow: awsWorkflow(stateMachine(settings)),
    now: Date.now,
    secretRefusal: awsSecretRefusal(env("SECRET_PREFIX")),
    transfers: signedTransfers(() => loadS3Client(settings), env("BUCKET_NAME")),
    wait: { interval: 1_000, clientSeconds: 0 },
    limits: { inlineBytes: inlineBytesOnLambda, uploadBytes: Number(env("MAX_UPLOAD_BYTES")) },
  }),
  stores,
);

export const handler = middy<ApiRequest, ApiResponse>(noEarlyTimeout)
  .use(apiGateway)
  .use(cors(envIfSet("CORS_ORIGINS")?.split(",") ?? [])) // pages may read the errors of what follows
  .use(extResponseLimit)
  .use(compression)
  .handler(api);
