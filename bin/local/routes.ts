import { requestRate } from "../../src/accounts/request-rate.ts";
import { commandLine } from "../../src/command-line.ts";
import { isExtPath } from "../../src/ext/path.ts";
import type { ApiHandler } from "../../src/http/handler.ts";
import { readinessPath } from "../../src/http/health.ts";
import { openCounts, type OpenLimits } from "../../src/http/open-counts.ts";
import { maxBodyBytes } from "../../src/http/server/read-body.ts";
import { layout } from "../../src/layout.ts";
import { consoleFiles, isConsolePath } from "../../src/manage/console-files.ts";
import type { ServiceInfo } from "../../src/manage/deps.ts";
import { isManagePath } from "../../src/manage/path.ts";
import { isMcpPath } from "../../src/mcp/path.ts";
import { pendingLimits } from "../../src/runs/files/pending-uploads.ts";
import { newRunLimits } from "../../src/runs/begin/new-run-limits.ts";
import { createHandler } from "../../src/v1/create.ts";
import { getHandler } from "../../src/v1/get.ts";
import { notFoundHandler } from "../../src/v1/not-found.ts";
import { openapiHandler } from "../../src/v1/openapi.ts";
import { router } from "../../src/v1/routes.ts";
import packageFile from "../../package.json" with { type: "json" };
import type { OpenStores } from "./data-dir.ts";
import { maxDescriptors } from "./max-descriptors.ts";
import type { LocalOptions } from "./options.ts";
import { inThread } from "./records/in-thread.ts";
import type { RecordThread } from "./records/record-thread.ts";
import { extWork, manageWork } from "./records/work.ts";

/** Poll interval of event streams, in milliseconds. */
const streamMilliseconds = 200;
/** How often a request that waits for the end of a run reads it, in milliseconds, and how many seconds clients let it wait. */
const waiting = { interval: 50, clientSeconds: 20 };
/**
 * Event streams and reads that wait: of one agent's keys or one operator, of which 1,000 take a sixth of a core, of an organization,
 * and of all, which leave descriptors for other connections and files.
 */
const streamLimits = (): OpenLimits => ({ each: 1_000, larger: 2_000, all: Math.floor(0.6 * maxDescriptors()) });
/** Of the MCP endpoint. Clients end requests after 60 s. */
const localMcp = {
  version: packageFile.version,
  maxWaitSeconds: 50,
  pollInterval: 200,
  inlineBytes: newRunLimits.fileBytes,
};

interface Served extends Pick<ServiceInfo, "serviceUrl"> {
  health: ApiHandler;
  /** Reads large records. Absent: this thread does. */
  records?: RecordThread;
}

/** Everything that one machine serves: v1, the extension and the management API, MCP, the files of the web page, and `health`. */
export function routes(
  { platform, deps, live, texts }: OpenStores,
  options: LocalOptions,
  { serviceUrl, health, records: thread }: Served,
): ApiHandler {
  const rate = options.requestsPerKey === 0 ? undefined : requestRate(options.requestsPerKey);
  const authentication = { accounts: platform.accounts, ...(rate && { rate }) };
  const streaming = { streamInterval: streamMilliseconds, streams: openCounts(streamLimits()), texts };
  const service: ServiceInfo = {
    platform: "local",
    version: packageFile.version,
    sign_in: "token",
    stack: null,
    bodyBytes: maxBodyBytes,
    environments: () => platform.programs.list(),
    serviceUrl,
  };
  const records = thread && { thread, runs: platform.runs, recordBytes: platform.recordBytes };
  const pending = { uploads: pendingLimits.uploads, bytes: options.pendingUploadBytes };
  const manage = loadedLater(async () => {
    const [{ manageHandlers }, { manageRouter }, { tokenAuthentication }] = await Promise.all([
      import("../../src/manage/handlers/manage-handlers.ts"),
      import("../../src/manage/router.ts"),
      import("../../src/manage/authenticate.ts"),
    ]);
    const { textIndex, workspace } = platform;
    const ofStreams = { live, ...streaming };
    const handlers = manageHandlers({
      ...deps,
      service,
      textIndex,
      send: workspace.send,
      maxPending: pending,
      ...ofStreams,
    });
    return manageRouter(
      records ? inThread(handlers, manageWork, records) : handlers,
      tokenAuthentication(platform.accounts, rate),
      platform,
    );
  });
  const limits = { inlineBytes: newRunLimits.fileBytes, uploadBytes: options.maxUploadBytes, pending };
  const transfers = { receive: platform.pendingUploads.receive, send: platform.workspace.send };
  const ext = loadedLater(async () => {
    const [{ extHandlers }, { extRouter }, { withCors }] = await Promise.all([
      import("../../src/ext/handlers/ext-handlers.ts"),
      import("../../src/ext/router.ts"),
      import("../../src/http/cors.ts"),
    ]);
    const handlers = extHandlers({ ...deps, limits, transfers, wait: waiting, ...streaming });
    const handed = records ? inThread(handlers, extWork, records) : handlers;
    return withCors(extRouter(handed, { ...authentication, runs: platform.runs }), options.corsOrigins);
  });
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
  const mcp = loadedLater(async () => {
    const { mcpHandler } = await import("../../src/mcp/handler.ts");
    return mcpHandler({ ...deps, ...authentication, ...localMcp, waits: streaming.streams });
  });
  const handlerOf = (path: string): ApiHandler => {
    if (isMcpPath(path)) return mcp;
    if (isManagePath(path)) return manage;
    if (isExtPath(path)) return ext;
    if (path === readinessPath) return health;
    return isConsolePath(path) ? files : publicApi;
  };
  return (request) => handlerOf(request.path)(request);
}

/** Loads a handler at its first request: MCP takes 80 ms, the management API 50 ms and 14 MB, the extension API 8 MB. */
function loadedLater(load: () => Promise<ApiHandler>): ApiHandler {
  let handler: Promise<ApiHandler> | undefined;
  return async (request) => (await (handler ??= load()))(request);
}
