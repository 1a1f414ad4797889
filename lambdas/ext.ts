import { inlineBytesOnLambda } from "../src/http/rest/lambda-limits.ts";
import { lambdaHandler } from "../src/http/server/lambda.ts";
import { awsSettings, env, envIfSet } from "../src/env.ts";
import { extHandlers } from "../src/ext/handlers/index.ts";
import { extOnLambda } from "../src/ext/on-lambda.ts";
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

export const handler = lambdaHandler(extOnLambda(api, envIfSet("CORS_ORIGINS")?.split(",") ?? []));
