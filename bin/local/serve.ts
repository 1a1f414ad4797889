import { existsSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createHandler } from "../../src/v1/create.ts";
import { getHandler } from "../../src/v1/get.ts";
import { notFoundHandler } from "../../src/v1/not-found.ts";
import { openapiHandler } from "../../src/v1/openapi.ts";
import { bracketed } from "../../src/http/server/host-check.ts";
import { compress } from "../../src/http/compression.ts";
import type { ApiHandler } from "../../src/http/handler.ts";
import { router } from "../../src/v1/routes.ts";
import { maxBodyBytes } from "../../src/http/server/read-body.ts";
import { localServer } from "../../src/http/server/local-server.ts";
import { createSpoolDirectory } from "../../src/http/server/spool-file.ts";
import { openCounts } from "../../src/http/open-counts.ts";
import { traceSettings } from "../../src/env.ts";
import { log, logging } from "../../src/log.ts";
import { saveAllowedAddresses } from "../../src/platform/local/process/allowed-addresses.ts";
import {
  type SecretAllowList,
  saveAllowedSecrets,
  secretAllowList,
} from "../../src/platform/local/process/allowed-secrets.ts";
import { type LocalPlatform, openLocalPlatform } from "../../src/platform/local/index.ts";
import { lockDataDir } from "../../src/platform/local/process/data-dir-lock.ts";
import type { LinuxHere } from "../../src/platform/local/linux.ts";
import { saveServerAddress } from "../../src/platform/local/process/server-address.ts";
import { startToken } from "../../src/platform/local/process/start-token.ts";
import { startSender } from "../../src/platform/local/process/sender.ts";
import { startRunner } from "../../src/platform/local/workflow.ts";
import type { Agent, Organization } from "../../src/accounts/types.ts";
import type { ModelConfiguration } from "../../src/agent/model.ts";
import { commandLine } from "../../src/command-line.ts";
import { layout } from "../../src/layout.ts";
import { consoleLink } from "../console-link.ts";
import { extHandlers } from "../../src/ext/handlers/index.ts";
import { extRouter, isExtPath } from "../../src/ext/router.ts";
import { tokenAuthentication } from "../../src/manage/authenticate.ts";
import type { ServiceInfo } from "../../src/manage/deps.ts";
import { manageHandlers } from "../../src/manage/handlers/index.ts";
import { consoleFiles, isConsolePath } from "../../src/manage/console-files.ts";
import { isManagePath, manageRouter } from "../../src/manage/router.ts";
import { mcpPath } from "../../src/mcp/path.ts";
import { liveOutput } from "../../src/runs/read/live-output.ts";
import { resumeOrganizationDeletions } from "../../src/runs/delete-organization.ts";
import { deleteExpiredRuns, resumeErasures } from "../../src/runs/retention.ts";
import { pendingLimits } from "../../src/runs/files/pending-uploads.ts";
import { newRunLimits } from "../../src/runs/new-run-limits.ts";
import packageFile from "../../package.json" with { type: "json" };
import type { LocalOptions } from "./options.ts";
import { endingWarning } from "../expiring.ts";
import { notAllowedWarning } from "./secret-warning.ts";
import { requestRate } from "../../src/accounts/request-rate.ts";
import { seedStarterAgent } from "../../src/accounts/seed.ts";

const watchMilliseconds = 250;
/** Poll interval of event streams, in milliseconds. */
const streamMilliseconds = 200;
/** Event streams that one agent's keys, or one operator, may have open: 1,000 take a sixth of a core. */
const maxStreams = 1_000;
/** Of the MCP endpoint. Clients end requests after 60 s. */
const localMcp = {
  version: packageFile.version,
  maxWaitSeconds: 50,
  pollInterval: 200,
  inlineBytes: newRunLimits.fileBytes,
};
/** Time between attempts to start waiting runs: at midnight UTC, the dollars of a quota are free again. */
const resumeMilliseconds = 60_000;

/** Time between removals of expired uploads. */
const cleanMilliseconds = 3_600_000;

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
  /** Resolve with a warning about a configuration, if there is one. */
  warnings: Promise<string | undefined>[];
  /** Rejects when the service cannot continue. */
  fatal: Promise<never>;
  /** Shuts down in order. Running turns resume at the next start. */
  close(): Promise<void>;
}

/** Starts the whole service in this process. Rejects with an Error whose message is one line for people. */
export async function serve(options: LocalOptions): Promise<Service> {
  const { host, port, dataDir, fileVersions, fileLimits, defaultProgramSeconds } = options;
  const startedAt = Date.now();
  logging.level = options.verbose ? "info" : "error";
  const allowList = secretAllowList(options.allowedSecrets, dataDir);
  const platform = openPlatform(options, allowList);
  // Tried while the rest starts, for the first screen. Otherwise, the first program tries it.
  const linux = options.json ? undefined : platform.programs.describe();
  linux?.catch(() => {});
  const traces = traceSettings(process.env);
  const telemetry = traces && (await (await import("../../src/observability/tracing.ts")).openTelemetry(traces));
  const live = liveOutput();
  const limitsOfTurns = { fileVersions, fileLimits, defaultProgramSeconds };
  const runner = startRunner({ ...platform, ...limitsOfTurns, telemetry, live, now: Date.now });
  const { maxTranscriptBytes } = options;
  const deps = { ...platform, workflow: runner, now: Date.now, maxTranscriptBytes };
  const rate = options.requestsPerKey === 0 ? undefined : requestRate(options.requestsPerKey);
  const authentication = { accounts: platform.accounts, ...(rate && { rate }) };
  const streaming = { streamInterval: streamMilliseconds, streams: openCounts(maxStreams) };
  let baseUrl: string | null = null;
  const service: ServiceInfo = {
    platform: "local",
    version: packageFile.version,
    sign_in: "token",
    stack: null,
    bodyBytes: maxBodyBytes,
    environments: () => platform.programs.list(),
    serviceUrl: () => baseUrl,
  };
  const manage = manageRouter(
    manageHandlers({ ...deps, service, live, send: platform.workspace.send, ...streaming }),
    tokenAuthentication(platform.accounts, rate),
    platform,
  );
  const pending = { uploads: pendingLimits.uploads, bytes: options.pendingUploadBytes };
  const limits = { inlineBytes: newRunLimits.fileBytes, uploadBytes: options.maxUploadBytes, pending };
  const transfers = { receive: platform.pendingUploads.receive, send: platform.workspace.send };
  const ext = extRouter(extHandlers({ ...deps, limits, transfers, ...streaming }), authentication);
  const publicApi = router({
    create: createHandler({ ...deps, ...authentication }),
    get: getHandler({ ...deps, ...authentication }),
    openapi: openapiHandler(),
    notFound: notFoundHandler(),
  });
  const files = consoleFiles({
    directory: layout().console,
    signIn: { sign_in: "token", link_command: commandLine("admin", "operator link") },
  });
  // Loaded at the first request: the MCP server takes 80 ms.
  let mcp: Promise<ApiHandler> | undefined;
  const openMcp = async (): Promise<ApiHandler> => {
    const { mcpHandler } = await import("../../src/mcp/handler.ts");
    return mcpHandler({ ...deps, ...authentication, ...localMcp });
  };
  const handler: ApiHandler = async (request) => {
    const { path } = request;
    if (path === mcpPath) return (await (mcp ??= openMcp()))(request);
    return (isManagePath(path) ? manage : isExtPath(path) ? ext : isConsolePath(path) ? files : publicApi)(request);
  };
  const server = localServer(compress(handler), {
    spoolDirectory: createSpoolDirectory(join(dataDir, "uploads")),
    hosts: options,
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => reject(new Error(listenProblem(error, host, port))));
    server.listen(port, host, resolve);
  });
  const { port: boundPort } = server.address() as AddressInfo;
  baseUrl = `http://${bracketed(host)}:${boundPort}`;
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
  const consoleAddress = `http://${bracketed(reachable[host] ?? host)}:${boundPort}`;
  const consoleUrl = consoleLink(consoleAddress, await startToken(platform.accounts, dataDir, "npm start"));
  saveServerAddress(dataDir, consoleAddress);
  const resumeRuns = (): void => {
    runner.resumeRuns().catch((error: unknown) => {
      log("error", "reading the changes of another process failed; retrying", { error });
      setTimeout(resumeRuns, watchMilliseconds).unref();
    });
  };
  const continueDeletions = (): void => {
    resumeErasures(deps)
      .then(() => resumeOrganizationDeletions(deps))
      .catch((error: unknown) => log("error", "deletions could not be continued", { error }));
  };
  const deleteExpired = (): void => {
    deleteExpiredRuns(deps).catch((error: unknown) => log("error", "expired runs could not be deleted", { error }));
  };
  const checkForChanges = platform.database.onOutsideWrite(resumeRuns);
  await runner.resumeRuns();
  const sender = startSender(deps);
  const fatal = Promise.withResolvers<never>();
  const watch = setInterval(() => {
    if (existsSync(join(dataDir, "runs.sqlite"))) checkForChanges();
    else fatal.reject(new Error(`the data directory ${dataDir} was removed while the service was running`));
  }, watchMilliseconds);
  const resume = setInterval(resumeRuns, resumeMilliseconds);
  platform
    .removeOrphanedFiles(startedAt)
    .catch((error: unknown) => log("error", "orphaned files could not be removed", { error }));
  const removeExpiredUploads = (): void => {
    platform.pendingUploads
      .removeExpired(Date.now())
      .catch((error: unknown) => log("error", "expired uploads could not be removed", { error }));
  };
  removeExpiredUploads();
  continueDeletions();
  const deletions = setInterval(continueDeletions, resumeMilliseconds);
  deleteExpired();
  const expiry = setInterval(deleteExpired, cleanMilliseconds);
  const clean = setInterval(removeExpiredUploads, cleanMilliseconds);

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
    ],
    fatal: fatal.promise,
    async close() {
      clearInterval(watch);
      clearInterval(resume);
      clearInterval(clean);
      clearInterval(deletions);
      clearInterval(expiry);
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeIdleConnections();
      await Promise.all([runner.close(), sender.close()]);
      await telemetry?.flush();
      await Promise.race([closed, new Promise((resolve) => setTimeout(resolve, 5_000).unref())]);
      server.closeAllConnections();
      platform.close();
    },
  };
}

async function findModelWarning(agent: Agent, organization: Organization | undefined): Promise<string | undefined> {
  const model = organization?.model;
  // Other servers are not asked: Ollama's default port, or a container of this name.
  if (model?.provider !== "openai-compatible" || !/:11434\b|\/\/ollama\b/.test(model.baseUrl)) return undefined;
  const { modelWarning } = await import("./model-warning.ts");
  return modelWarning(agent, { model });
}

function openPlatform(
  { dataDir, sandbox, programMemoryBytes, fileLimits, allowedAddresses }: LocalOptions,
  allowList: SecretAllowList,
): LocalPlatform {
  let platform: LocalPlatform | undefined;
  let locked: boolean;
  try {
    platform = openLocalPlatform({
      dataDir,
      environment: process.env,
      allowList,
      allowedAddresses,
      sandbox,
      programLimits: { memoryBytes: programMemoryBytes, files: fileLimits.files },
    });
    locked = lockDataDir(dataDir);
  } catch (error) {
    platform?.close();
    throw unusable(dataDir, error);
  }
  if (locked) return platform;
  platform.close();
  throw new Error(
    `the data directory ${dataDir} is in use by another server; stop that server, or pass another --data-dir`,
  );
}

function unusable(dataDir: string, cause: unknown): Error {
  return new Error(`cannot use the data directory ${dataDir}: ${(cause as Error).message}`, { cause });
}

function listenProblem({ code, message }: NodeJS.ErrnoException, host: string, port: number): string {
  return code === "EADDRINUSE"
    ? `port ${port} on ${host} is in use; stop that server, or pass another --port (0: any free port)`
    : `cannot listen on ${host}:${port}: ${message}`;
}
