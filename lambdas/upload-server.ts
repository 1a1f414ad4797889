import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { GetSecretValueCommand } from "@aws-sdk/client-secrets-manager";
import { awsLocation, env, envIfSet, listenAddress } from "../src/env.ts";
import { eventHandlers } from "../src/ext/handlers/events.ts";
import { openStreams } from "../src/ext/open-streams.ts";
import { isEventsPath } from "../src/ext/path.ts";
import { extRouter } from "../src/ext/router.ts";
import { withCors } from "../src/http/cors.ts";
import type { ApiHandler } from "../src/http/handler.ts";
import { openCounts } from "../src/http/open-counts.ts";
import { log } from "../src/log.ts";
import { batchedReads } from "../src/platform/aws/dynamodb/batched-reads.ts";
import { createHandler } from "../src/v1/create.ts";
import { notFoundHandler } from "../src/v1/not-found.ts";
import { router } from "../src/v1/routes.ts";
import { uploadServer } from "../src/v1/upload-server.ts";
import { awsSecretRefusal } from "../src/platform/aws/sdk/secret-names.ts";
import { secretsManagerClient } from "../src/platform/aws/secrets.ts";
import { awsWorkflow } from "../src/platform/aws/workflow.ts";
import { emit, measuredStores, stateMachine } from "../src/platform/aws/functions/lambda.ts";

// Creates of v1 over the limits of API Gateway, and streams of events. On Fargate, one process does both. As web functions, there
// are two with this code: each has the permissions for what CloudFront sends it, and so cannot do what the other does.

// No credentials: this process can outlive them, so the clients look them up and renew them.
const settings = awsLocation();
const stores = measuredStores(settings, batchedReads);

/** The accepted secrets. Without them the server could not recognize requests that bypassed CloudFront. */
async function originSecrets(): Promise<string[]> {
  const secrets = await secretsManagerClient(settings);
  const ids = env("ORIGIN_SECRET_ARNS").split(",");
  const found = await Promise.all(ids.map((SecretId) => secrets.send(new GetSecretValueCommand({ SecretId }))));
  secrets.destroy();
  return found.map(({ SecretString }, index) => {
    if (!SecretString)
      throw new Error(`The secret ${ids[index]} has no text. Raise originSecretGeneration and deploy.`);
    return SecretString;
  });
}

function creates(): ApiHandler {
  const create = createHandler({
    ...stores,
    workflow: awsWorkflow(stateMachine(settings)),
    now: Date.now,
    secretRefusal: awsSecretRefusal(env("SECRET_PREFIX")),
  });
  return router({ create, notFound: notFoundHandler() });
}

function events(): ApiHandler {
  const { interval: streamInterval, longest: streamMilliseconds, each, all } = openStreams;
  const streaming = { streamInterval, streamMilliseconds, streams: openCounts({ each, all }) };
  const handlers = eventHandlers({ ...stores, now: Date.now, ...streaming });
  return withCors(extRouter(handlers, stores), envIfSet("CORS_ORIGINS")?.split(",") ?? []);
}

async function main(): Promise<void> {
  const [v1, ext] = [creates(), events()];
  const { server, stop } = uploadServer({
    handler: (request) => (isEventsPath(request.path) ? ext(request) : v1(request)),
    originSecrets: await originSecrets(),
    spoolDirectory: mkdtempSync(join(tmpdir(), "uploads-")),
    onResponse: (status) => emit({ LargeRequestsFailed: status >= 500 ? 1 : 0 }),
  });
  const { host, port } = listenAddress();
  server.listen(port, host, () => log("info", "listening", { address: server.address() }));
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    process.once(signal, () => {
      void stop().then(() => {
        log("info", "stopped", {});
        process.exit(0);
      });
    });
  }
}

main().catch((error: unknown) => {
  log("error", "the server failed to start", { error });
  process.exit(1);
});
