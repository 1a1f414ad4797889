import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { GetSecretValueCommand } from "@aws-sdk/client-secrets-manager";
import { createHandler } from "../src/v1/create.ts";
import { uploadServer } from "../src/v1/upload-server.ts";
import { notFoundHandler } from "../src/v1/not-found.ts";
import { awsLocation, env, listenAddress } from "../src/env.ts";
import { log } from "../src/log.ts";
import { awsSecretRefusal } from "../src/platform/aws/sdk/secret-names.ts";
import { secretsManagerClient } from "../src/platform/aws/secrets.ts";
import { awsWorkflow } from "../src/platform/aws/workflow.ts";
import { emit, measuredStores, stateMachine } from "../src/platform/aws/functions/lambda.ts";

// No credentials: this process can outlive them, so the clients look them up and renew them.
const settings = awsLocation();

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

async function main(): Promise<void> {
  const create = createHandler({
    ...measuredStores(settings),
    workflow: awsWorkflow(stateMachine(settings)),
    now: Date.now,
    secretRefusal: awsSecretRefusal(env("SECRET_PREFIX")),
  });
  const { server, stop } = uploadServer({
    handlers: { create, notFound: notFoundHandler() },
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
