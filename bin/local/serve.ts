import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { seedStarterAgent } from "../../src/accounts/seed.ts";
import { modelConfigurationOf } from "../../src/accounts/model-configurations.ts";
import type { Agent, Organization } from "../../src/accounts/account-types.ts";
import { configurationFields, isOllama } from "../../src/agent/models/model-config.ts";
import { compress } from "../../src/http/compression.ts";
import type { ApiHandler } from "../../src/http/handler.ts";
import { readinessHandler } from "../../src/http/health.ts";
import { localServer } from "../../src/http/server/local-server.ts";
import { createSpoolDirectory } from "../../src/http/server/spool-file.ts";
import { logging } from "../../src/log.ts";
import { saveAllowedAddresses } from "../../src/platform/local/process/allowed-addresses.ts";
import { saveAllowedSecrets } from "../../src/platform/local/process/allowed-secrets.ts";
import type { LinuxHere } from "../../src/platform/local/linux.ts";
import { readiness } from "../../src/platform/local/process/readiness.ts";
import { saveServerAddress } from "../../src/platform/local/process/server-address.ts";
import { startToken } from "../../src/platform/local/process/start-token.ts";
import packageFile from "../../package.json" with { type: "json" };
import { consoleLink } from "../console-link.ts";
import { endingWarning } from "../expiring.ts";
import { type Addresses, addressesOf } from "./addresses.ts";
import { startBackgroundWork } from "./background-work.ts";
import { openDataDir, unusable } from "./data-dir.ts";
import { maxDescriptors } from "./max-descriptors.ts";
import type { LocalOptions } from "./options.ts";
import { recordThread } from "./records/record-thread.ts";
import { routes } from "./routes.ts";
import { secretWarnings } from "./secret-warning.ts";
import { upgradeNotice } from "./upgrade-notice.ts";
import type { StarterModel } from "./welcome.ts";

export interface Service extends Addresses {
  templateId: string;
  /** Signs in to the console. It contains an operator token. */
  consoleUrl: string;
  /** Set if this start created it. */
  apiKey?: string;
  version: string;
  /** The model of the starter agent's runs. */
  model: StarterModel;
  /** What programs run in. Resolves when that has been tried. Absent with `--json`. */
  linux?: Promise<LinuxHere>;
  /** Resolve with warnings about configurations and the data directory. */
  warnings: Promise<string[]>[];
  /** Rejects when the service cannot continue. */
  fatal: Promise<never>;
  /** Shuts down in order. Running turns resume at the next start. */
  close(): Promise<void>;
}

/**
 * Milliseconds after which a service of another program finds out how programs run, which takes 0.5 s of a processor: one that is
 * started for a few requests does not.
 */
const prepareLater = 1_000;

/** Starts the whole service in this process. Rejects with an Error whose message is one line for people. */
export async function serve(options: LocalOptions): Promise<Service> {
  const { host, dataDir } = options;
  const startedAt = Date.now();
  logging.level = options.verbose ? "info" : "error";
  const opened = await openDataDir(options);
  const { platform, allowList, linux } = opened;
  let addresses: Addresses | undefined;
  let state: "starting" | "ready" | "stopping" = "starting";
  const dataProblem = readiness(platform.database, dataDir);
  const health = readinessHandler(async () => (state === "ready" ? dataProblem() : `The service is ${state}.`));
  const serviceUrl = (): string | null => addresses?.baseUrl ?? null;
  const records = recordThread({
    data: () => ({ options, serviceUrl: serviceUrl() }),
    start: (runId, turn) => opened.runner.start(runId, turn),
  });
  const server = await listen(routes(opened, options, { serviceUrl, health, records }), options);
  addresses = addressesOf(host, server.address() as AddressInfo);
  const { baseUrl } = addresses;
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
  const model = starterModel(agent, organization);
  const consoleUrl = consoleLink(baseUrl, await startToken(platform.accounts, dataDir, "npm start"));
  saveServerAddress(dataDir, baseUrl);
  const work = await startBackgroundWork(opened, { dataDir, startedAt });
  state = "ready";
  const prepare = (): void => void platform.programs.prepare().catch(() => {}); // a turn with a program reports it
  const preparing = setTimeout(prepare, options.json ? prepareLater : 0).unref();

  return {
    ...addresses,
    consoleUrl,
    templateId: agent.id,
    ...(key === undefined ? {} : { apiKey: key }),
    version: packageFile.version,
    model,
    ...(linux && { linux }),
    warnings: [
      findModelWarning(agent, model).then(listed),
      secretWarnings({ ...platform, allowList }),
      endingWarning(platform.accounts, dataDir).then(listed),
      Promise.resolve(listed(upgradeNotice(dataDir))),
    ],
    fatal: work.fatal,
    async close() {
      state = "stopping";
      clearTimeout(preparing);
      await closeServer(server, () => Promise.all([opened.stopTurns(), work.stop()]));
      await records.close();
      platform.close();
    },
  };
}

/** Accepts no further connection, stops the work, and waits up to 5 s for the responses that are sent. */
async function closeServer(server: Server, stopWork: () => Promise<unknown>): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  server.closeIdleConnections();
  await stopWork();
  await Promise.race([closed, new Promise((resolve) => setTimeout(resolve, 5_000).unref())]);
  server.closeAllConnections();
}

/** Resolves when the server accepts connections. */
async function listen(handler: ApiHandler, options: LocalOptions): Promise<Server> {
  const { host, port, dataDir } = options;
  const descriptors = maxDescriptors();
  const server = localServer(compress(handler), {
    spoolDirectory: createSpoolDirectory(join(dataDir, "uploads")),
    hosts: options,
    strangers: { all: Math.floor(descriptors / 4), eachAddress: Math.floor(descriptors / 8) },
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => reject(new Error(listenProblem(error, host, port))));
    server.listen(port, host, resolve);
  });
  return server;
}

/** A warning about the model of the starter agent. */
async function findModelWarning(agent: Agent, { configuration: model }: StarterModel): Promise<string | undefined> {
  // Other servers are not asked: Ollama's default port, or a container of this name.
  if (!model?.enabled || !isOllama(configurationFields(model).baseUrl ?? "")) return undefined;
  const { modelWarning } = await import("./model-warning.ts");
  return modelWarning(agent, { model });
}

function starterModel(agent: Agent, organization: Organization | undefined): StarterModel {
  const configuration = modelConfigurationOf(organization, agent.modelConfiguration);
  const name = agent.model ?? (configuration && configurationFields(configuration).model);
  return { configuration, name, areStopped: organization?.modelsStopped !== undefined };
}

function listed(warning: string | undefined): string[] {
  return warning === undefined ? [] : [warning];
}

function listenProblem({ code, message }: NodeJS.ErrnoException, host: string, port: number): string {
  return code === "EADDRINUSE"
    ? `port ${port} on ${host} is in use; stop that server, or pass another --port (0: any free port)`
    : `cannot listen on ${host}:${port}: ${message}`;
}
