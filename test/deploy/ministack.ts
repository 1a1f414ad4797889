import { createWriteStream, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { forwardTo } from "./forwarder.ts";
import { folder, ministackLog } from "./phases.ts";
import { environment, root, start } from "./processes.ts";
import { freePort } from "../support/free-port.ts";
import { virtualEnvironment } from "../support/python.ts";

const requirements = join(root, "test", "deploy", "requirements.txt");
export const programs = join(folder, "venv", "bin");

/** Creates the virtual environment, unless one with the same requirements exists. */
export async function install(): Promise<void> {
  await virtualEnvironment(folder, requirements);
}

/**
 * Starts MiniStack on a free local port, in the mode that checks every call against the caller's policies. Resolves when
 * it answers, with the address of a forwarder that marks each request as TLS: the bucket policies deny others.
 */
export async function startMiniStack(): Promise<string> {
  const port = await freePort();
  const local = { hostname: "127.0.0.1", port: String(port) };
  const { url: endpoint } = await forwardTo(local, { "x-forwarded-proto": "https" });
  // Outside the project, whose package.json would make Node load the functions' code as ES modules.
  const temporary = mkdtempSync(join(tmpdir(), "deploy-test-"));
  process.once("exit", () => rmSync(temporary, { recursive: true, force: true }));
  const log = createWriteStream(ministackLog);
  const child = start(join(programs, "ministack"), [], {
    env: environment({
      BIND_HOST: "127.0.0.1",
      GATEWAY_PORT: String(port),
      TMPDIR: temporary,
      AUTH: "true",
      AWS_ENDPOINT_URL: endpoint, // for the functions' own calls
      // CDK's own functions import the AWS SDK from the runtime, which includes it on AWS.
      NODE_PATH: join(root, "node_modules"),
    }),
  });
  child.stdout?.pipe(log);
  child.stderr?.pipe(log);

  for (; child.exitCode === null; await sleep(100)) {
    const answer = await fetch(`${endpoint}/_ministack/health`).catch(() => undefined);
    if (answer?.ok) return endpoint;
  }
  throw new Error(`MiniStack ended with ${child.exitCode}`);
}
