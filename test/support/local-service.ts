import { defaultFileLimits } from "../../src/agent/tools/files/file-limits.ts";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { serve } from "../../bin/local/serve.ts";
import type { ModelConfiguration } from "../../src/agent/model.ts";
import { logging } from "../../src/log.ts";
import type { SandboxChoice } from "../../src/platform/local/linux.ts";
import { type LocalPlatform, openLocalPlatform } from "../../src/platform/local/open-platform.ts";
import type { ResponseProblems } from "./rest-contract.ts";

/** The service of one machine in this process. */
export interface LocalService extends AsyncDisposable {
  baseUrl: string;
  dataDir: string;
  /** The starter agent, with an API key. */
  templateId: string;
  apiKey: string;
  /** A second connection to the data, as the command line has. */
  platform: LocalPlatform;
}

export async function localService({
  allowedSecrets = [],
  model,
  sandbox = "off",
  requestsPerKey = 0,
  maxTranscriptBytes = 32 * 1024 * 1024,
  corsOrigins = [],
}: {
  allowedSecrets?: { secret: string }[];
  model?: ModelConfiguration;
  sandbox?: SandboxChoice;
  requestsPerKey?: number;
  maxTranscriptBytes?: number;
  corsOrigins?: string[];
} = {}): Promise<LocalService> {
  const dataDir = mkdtempSync(join(tmpdir(), "agent-runs-"));
  const options = {
    host: "127.0.0.1",
    port: 0,
    dataDir,
    fileVersions: 20,
    sandbox,
    programMemoryBytes: 2048 * 1024 * 1024,
    defaultProgramSeconds: 120,
    fileLimits: defaultFileLimits,
    maxUploadBytes: 100 * 1024 * 1024,
    pendingUploadBytes: 300 * 1024 * 1024,
    maxTranscriptBytes,
    requestsPerKey,
    json: true,
    verbose: false,
    allowedSecrets,
    allowedAddresses: ["127.0.0.1"], // receivers of webhooks
    allowedHosts: [],
    corsOrigins,
    ...(model && { model }),
  };
  const service = await serve(options);
  logging.level = "off"; // its errors would appear between the results
  const platform = openLocalPlatform({ dataDir });
  return {
    baseUrl: service.baseUrl,
    dataDir,
    templateId: service.templateId,
    apiKey: service.apiKey ?? "",
    platform: { ...platform, accounts: seenByService(platform.accounts) },
    async [Symbol.asyncDispose]() {
      platform.close();
      await service.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/**
 * A port whose calls end 2 ms later. A service sees what another connection has written after up to 1 ms (`sharedReads`), which
 * is longer than a write takes in memory.
 */
function seenByService<Port extends object>(port: Port): Port {
  const later = Object.entries(port).map(([name, call]: [string, (...args: unknown[]) => unknown]) => [
    name,
    async (...args: unknown[]) => {
      const result = await call(...args);
      await new Promise((resolve) => setTimeout(resolve, 2));
      return result;
    },
  ]);
  return Object.fromEntries(later) as Port;
}

export interface RestResponse<Body = unknown> {
  status: number;
  headers: Headers;
  body: Body;
}

interface CallOptions {
  body?: unknown;
  /** A bearer credential. Null: none. */
  token?: string | null;
  headers?: Record<string, string>;
}

/** Sends a request. Rejects when the response does not match the contract. */
export type RestCaller = <Body = Record<string, unknown>>(
  method: string,
  path: string,
  options?: CallOptions,
) => Promise<RestResponse<Body>>;

/** Returns a function that sends requests below `basePath` of a service. `token`: default of its option. */
export function restCaller(
  baseUrl: string,
  { basePath, token: usual, problemsOf }: { basePath: string; token: string; problemsOf: ResponseProblems },
): RestCaller {
  return async (method, path, { body, token = usual, headers = {} } = {}) => {
    const response = await fetch(`${baseUrl}${basePath}${path}`, {
      method,
      headers: {
        ...(token !== null && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { "content-type": "application/json" }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const contentType = response.headers.get("content-type");
    const received = contentType === "application/json" ? await response.json() : await response.text();
    const { status } = response;
    const [bare = ""] = path.split("?");
    // The document has no HEAD: its answer is that to GET, without the body.
    const problems =
      method === "HEAD" ? [] : problemsOf(method, `${basePath}${bare}`, { status, contentType, body: received });
    if (problems.length > 0) {
      throw new Error(`${method} ${path} ${status}: ${problems.join("; ")}; ${JSON.stringify(received).slice(0, 500)}`);
    }
    return { status, headers: response.headers, body: received as never };
  };
}
