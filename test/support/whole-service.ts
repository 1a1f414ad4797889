import { createHandler } from "../../src/v1/create.ts";
import { getHandler } from "../../src/v1/get.ts";
import type { ApiHandler } from "../../src/http/handler.ts";
import { notFoundHandler } from "../../src/v1/not-found.ts";
import { openapiHandler } from "../../src/v1/openapi.ts";
import { router } from "../../src/v1/routes.ts";
import type { ExtDeps } from "../../src/ext/deps.ts";
import { extHandlers } from "../../src/ext/handlers/ext-handlers.ts";
import { isExtPath } from "../../src/ext/path.ts";
import { extRouter } from "../../src/ext/router.ts";
import { tokenAuthentication } from "../../src/manage/authenticate.ts";
import { manageHandlers } from "../../src/manage/handlers/manage-handlers.ts";
import { isManagePath } from "../../src/manage/path.ts";
import { manageRouter } from "../../src/manage/router.ts";
import { mcpHandler } from "../../src/mcp/handler.ts";
import { mcpPath } from "../../src/mcp/path.ts";
import type { Platform } from "../../src/platform/platform-types.ts";
import type { Stores } from "../../src/runs/ports.ts";

/** A request to any API of a service. */
interface WholeRequest {
  method: string;
  path: string;
  /** A bearer credential. */
  token: string;
  body?: object;
}

export interface WholeResponse {
  status: number;
  /** Null: the response has no JSON. */
  body: Record<string, unknown> | null;
}

/** The turns that a service has started. */
interface WholeService {
  started: string[];
  call: (request: WholeRequest) => Promise<WholeResponse>;
}

const acceptedSecrets = () => ({ accepted: [], hint: "" });

/** All APIs over the stores of a platform, without its hosts: v1, extensions, management and MCP. */
export function wholeService(
  stores: Stores & Pick<Platform, "trials" | "companions">,
  transfers: ExtDeps["transfers"],
): WholeService {
  const started: string[] = [];
  const workflow = { start: async (runId: string) => void started.push(runId), stop: async () => {} };
  const secrets = {
    secretRefusal: () => undefined,
    secretProblem: async () => undefined,
    storeSecret: async () => "env:STORED",
    secretOf: async () => undefined,
  };
  const deps = { ...stores, ...secrets, workflow, now: Date.now };
  const limits = { inlineBytes: 2 ** 21, uploadBytes: 2 ** 20 };
  const info = { platform: "local", version: "0", sign_in: "token", stack: null, bodyBytes: 2 ** 20 } as const;
  const service = { ...info, serviceUrl: () => null };
  const api = router({
    create: createHandler(deps),
    get: getHandler(deps),
    openapi: openapiHandler(),
    notFound: notFoundHandler(),
  });
  const ext = extRouter(extHandlers({ ...deps, limits, transfers, wait: { interval: 20, clientSeconds: 0 } }), deps);
  const manage = manageRouter(
    manageHandlers({ ...deps, acceptedSecrets, service }),
    tokenAuthentication(stores.accounts),
    stores,
  );
  const mcp = mcpHandler({ ...deps, version: "0", maxWaitSeconds: 1, pollInterval: 50, inlineBytes: 2 ** 20 });
  const handlerOf = (path: string): ApiHandler =>
    path === mcpPath ? mcp : isManagePath(path) ? manage : isExtPath(path) ? ext : api;

  return {
    started,
    async call({ method, path: address, token, body }) {
      const [path = "", query] = address.split("?");
      const text = body === undefined ? "" : JSON.stringify(body);
      const response = await handlerOf(path)({
        id: "request",
        method,
        path,
        query: new URLSearchParams(query),
        parameters: {},
        headers: {
          authorization: `Bearer ${token}`,
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
        },
        parseBody: (parse) => parse(text),
        bodyChunks: () => ReadableStream.from([Buffer.from(text)]),
      });
      return { status: response.status, body: jsonOf(response.body) };
    },
  };
}

/** The JSON of a response, or of the only event of an MCP response. */
function jsonOf(body: unknown): Record<string, unknown> | null {
  if (typeof body !== "string") return null;
  const text = /^data: (.*)$/m.exec(body)?.[1] ?? body;
  return text.startsWith("{") ? (JSON.parse(text) as Record<string, unknown>) : null;
}
