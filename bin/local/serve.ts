import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { seedStarterAgent } from "../../src/accounts/seed.ts";
import type { Agent, Organization } from "../../src/accounts/types.ts";
import type { ModelConfiguration } from "../../src/agent/model.ts";
import { isOllama } from "../../src/agent/models/model-config.ts";
import { compress } from "../../src/http/compression.ts";
import type { ApiHandler } from "../../src/http/handler.ts";
import { bracketed } from "../../src/http/server/host-check.ts";
import { localServer } from "../../src/http/server/local-server.ts";
import { createSpoolDirectory } from "../../src/http/server/spool-file.ts";
import { logging } from "../../src/log.ts";
import { saveAllowedAddresses } from "../../src/platform/local/process/allowed-addresses.ts";
import { saveAllowedSecrets } from "../../src/platform/local/process/allowed-secrets.ts";
import type { LinuxHere } from "../../src/platform/local/linux.ts";
import { saveServerAddress } from "../../src/platform/local/process/server-address.ts";
import { startToken } from "../../src/platform/local/process/start-token.ts";
import packageFile from "../../package.json" with { type: "json" };
import { consoleLink } from "../console-link.ts";
import { endingWarning } from "../expiring.ts";
import { startBackgroundWork } from "./background-work.ts";
import { openDataDir, unusable } from "./data-dir.ts";
import type { LocalOptions } from "./options.ts";
import { routes } from "./routes.ts";
import { notAllowedWarning } from "./secret-warning.ts";
import { upgradeNotice } from "./upgrade-notice.ts";

/** An address that a browser can open, for those that mean all addresses. */
const reachable: Record<string, string> = { "0.0.0.0": "127.0.0.1", "::": "::1" };

export interface Service {
  baseUrl: string;
  templateId: string;
  /** Signs in to the console. It contains an operator token. */
  consoleUrl: string;
  /** Set if this start created it. */
  apiKey?: string;
  version: string;
  /** Of the starter agent's organization. */
  model: ModelConfiguration | undefined;
  /** What programs run in. Resolves when that has been tried. Absent with `--json`. */
  linux?: Promise<LinuxHere>;
  /** Resolve with a warning about a configuration or the data directory, if there is one. */
  warnings: Promise<string | undefined>[];
  /** Rejects when the service cannot continue. */
  fatal: Promise<never>;
  /** Shuts down in order. Running turns resume at the next start. */
  close(): Promise<void>;
}

/** Starts the whole service in this process. Rejects with an Error whose message is one line for people. */
export async function serve(options: LocalOptions): Promise<Service> {
  const { host, dataDir } = options;
  const startedAt = Date.now();
  logging.level = options.verbose ? "info" : "error";
  const opened = await openDataDir(options);
  const { platform, allowList, linux } = opened;
  let baseUrl: string | null = null;
  const server = await listen(
    routes(opened, options, () => baseUrl),
    options,
  );
  const { port } = server.address() as AddressInfo;
  baseUrl = `http://${bracketed(host)}:${port}`;
  platform.database.preallocateLog();
  saveAllowedSecrets(dataDir, options.allowedSecrets);
  saveAllowedAddresses(dataDir, options.allowedAddresses);
  // After listening: a start that fails must neither create the key, which is shown only once, nor change the model.
  const starter = seedStarterAgent(platform.accounts, {
    model: options.model,
    newKey: options.json,
    actor: "npm start",
  });
  const { agent, key } = await starter.catch((error: unknown) => Promise.reject(unusable(dataDir, error)));
  const organization = await platform.accounts.findOrganization(agent.organizationId);
  const consoleAddress = `http://${bracketed(reachable[host] ?? host)}:${port}`;
  const consoleUrl = consoleLink(consoleAddress, await startToken(platform.accounts, dataDir, "npm start"));
  saveServerAddress(dataDir, consoleAddress);
  const work = await startBackgroundWork(opened, { dataDir, startedAt });

  return {
    baseUrl,
    consoleUrl,
    templateId: agent.id,
    ...(key === undefined ? {} : { apiKey: key }),
    version: packageFile.version,
    model: organization?.model,
    ...(linux && { linux }),
    warnings: [
      findModelWarning(agent, organization),
      notAllowedWarning(platform.accounts, allowList),
      endingWarning(platform.accounts),
      Promise.resolve(upgradeNotice(dataDir)),
    ],
    fatal: work.fatal,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeIdleConnections();
      await Promise.all([opened.stopTurns(), work.stop()]);
      await Promise.race([closed, new Promise((resolve) => setTimeout(resolve, 5_000).unref())]);
      server.closeAllConnections();
      platform.close();
    },
  };
}

/** Resolves when the server accepts connections. */
async function listen(handler: ApiHandler, options: LocalOptions): Promise<Server> {
  const { host, port, dataDir } = options;
  const server = localServer(compress(handler), {
    spoolDirectory: createSpoolDirectory(join(dataDir, "uploads")),
    hosts: options,
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => reject(new Error(listenProblem(error, host, port))));
    server.listen(port, host, resolve);
  });
  return server;
}

async function findModelWarning(agent: Agent, organization: Organization | undefined): Promise<string | undefined> {
  const model = organization?.model;
  // Other servers are not asked: Ollama's default port, or a container of this name.
  if (!model || !("baseUrl" in model) || !isOllama(model.baseUrl ?? "")) return undefined;
  const { modelWarning } = await import("./model-warning.ts");
  return modelWarning(agent, { model });
}

function listenProblem({ code, message }: NodeJS.ErrnoException, host: string, port: number): string {
  return code === "EADDRINUSE"
    ? `port ${port} on ${host} is in use; stop that server, or pass another --port (0: any free port)`
    : `cannot listen on ${host}:${port}: ${message}`;
}
