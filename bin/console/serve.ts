import { mkdtempSync, rmSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import packageFile from "../../package.json" with { type: "json" };
import { compress } from "../../src/http/compression.ts";
import type { ApiHandler } from "../../src/http/handler.ts";
import { notFoundHandler } from "../../src/v1/not-found.ts";
import { localServer } from "../../src/http/server/local-server.ts";
import { maxBodyBytes } from "../../src/http/server/read-body.ts";
import { createSpoolDirectory } from "../../src/http/server/spool-file.ts";
import { consoleFiles, isConsolePath } from "../../src/manage/console-files.ts";
import { manageHandlers } from "../../src/manage/handlers/manage-handlers.ts";
import { isManagePath } from "../../src/manage/path.ts";
import { manageRouter } from "../../src/manage/router.ts";
import { openStack, serviceUrlOf } from "../admin/stack.ts";
import { CliError } from "../cli.ts";
import { commandLine } from "../../src/command-line.ts";
import { layout } from "../../src/layout.ts";
import { consoleLink } from "../console-link.ts";
import { explainAwsErrors } from "./aws-errors.ts";
import type { ConsoleOptions } from "./options.ts";
import { processToken } from "./token.ts";

/** Only this machine can connect: the process has the operator's AWS credentials. */
const host = "127.0.0.1";

/** Poll interval of runs that a page shows, in milliseconds. Each is one small read of DynamoDB. */
const streamInterval = 1_500;

export interface ConsoleServer {
  /** Signs in. It contains the token of this process. */
  link: string;
  /** The ARN of the caller, who is the actor in the audit. */
  actor: string;
  close(): Promise<void>;
}

/** Serves the console of a deployed service with the operator's AWS credentials. */
export async function serveConsole({ stack, port, readOnly }: ConsoleOptions): Promise<ConsoleServer> {
  const platform = explainAwsErrors(await openStack(stack));
  const [actor, serviceUrl] = await Promise.all([platform.actor(), serviceUrlOf(stack)]);
  const { token, authenticate } = processToken({
    actor,
    name: actor.split("/").at(-1) ?? actor, // of a role's ARN, the session's name; of a user's, the user
    role: readOnly ? "viewer" : "operator",
  });
  const service = {
    platform: "aws",
    version: packageFile.version,
    sign_in: "aws",
    stack,
    bodyBytes: maxBodyBytes,
    serviceUrl: () => serviceUrl,
    ...(platform.environments && { environments: platform.environments }),
  } as const;
  const manage = manageRouter(
    manageHandlers({ ...platform, now: Date.now, service, streamInterval }),
    authenticate,
    platform,
  );
  const readOnlyOption = readOnly ? " --read-only" : "";
  const files = consoleFiles({
    directory: layout().console,
    signIn: { sign_in: "token", link_command: commandLine("console", `--stack ${stack}${readOnlyOption}`) },
  });
  const notFound = notFoundHandler();
  const handler: ApiHandler = (request) =>
    (isManagePath(request.path) ? manage : isConsolePath(request.path) ? files : notFound)(request);

  const directory = mkdtempSync(join(tmpdir(), "agent-run-console-"));
  const spoolDirectory = createSpoolDirectory(join(directory, "uploads"));
  const server = localServer(compress(handler), { spoolDirectory, hosts: { host, allowedHosts: [] } });
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => reject(new CliError(listenProblem(error, port))));
    server.listen(port, host, resolve);
  });
  const { port: boundPort } = server.address() as AddressInfo;
  return {
    link: consoleLink(`http://${host}:${boundPort}`, token),
    actor,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeIdleConnections();
      await Promise.race([closed, new Promise((resolve) => setTimeout(resolve, 3_000).unref())]);
      server.closeAllConnections();
      platform.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

function listenProblem({ code, message }: NodeJS.ErrnoException, port: number): string {
  return code === "EADDRINUSE"
    ? `port ${port} on ${host} is in use; pass another --port (0: any free port)`
    : `cannot listen on ${host}:${port}: ${message}`;
}
