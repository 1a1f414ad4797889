import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { serve } from "../../bin/local/serve.ts";
import type { ModelConfiguration } from "../../src/agent/model.ts";
import { createOperator } from "../../src/accounts/operators.ts";
import { type LocalPlatform, openLocalPlatform } from "../../src/platform/local/index.ts";
import { logging } from "../../src/log.ts";
import { responseProblems } from "./manage-contract.ts";

export interface ManageResponse<Body = unknown> {
  status: number;
  headers: Headers;
  body: Body;
}

interface CallOptions {
  body?: unknown;
  /** Default: that of an operator. Null: none. */
  token?: string | null;
  headers?: Record<string, string>;
}

/** The service of one machine in this process, with tokens for its management API. */
export interface ManageService extends AsyncDisposable {
  baseUrl: string;
  dataDir: string;
  /** The starter agent, with an API key. */
  templateId: string;
  apiKey: string;
  operatorToken: string;
  viewerToken: string;
  /** A second connection to the data, as the command line has. */
  platform: LocalPlatform;
  /** Sends a request below `/manage/v1`. Rejects when the response does not match the contract. */
  call: <Body = Record<string, unknown>>(
    method: string,
    path: string,
    options?: CallOptions,
  ) => Promise<ManageResponse<Body>>;
}

export async function manageService({
  allowedSecrets = [],
  model,
}: { allowedSecrets?: { secret: string }[]; model?: ModelConfiguration } = {}): Promise<ManageService> {
  const dataDir = mkdtempSync(join(tmpdir(), "agent-runs-"));
  const options = {
    host: "127.0.0.1",
    port: 0,
    dataDir,
    fileVersions: 20,
    json: true,
    verbose: false,
    allowedSecrets,
    allowedHosts: [],
    ...(model && { model }),
  };
  const service = await serve(options);
  logging.level = "off"; // its errors would appear between the results
  const platform = openLocalPlatform({ dataDir });
  const { token: operatorToken } = await createOperator(platform.accounts, { name: "Op", role: "operator" });
  const { token: viewerToken } = await createOperator(platform.accounts, { name: "View", role: "viewer" });
  return {
    baseUrl: service.baseUrl,
    dataDir,
    templateId: service.templateId,
    apiKey: service.apiKey ?? "",
    operatorToken,
    viewerToken,
    platform,
    async call(method, path, { body, token = operatorToken, headers = {} } = {}) {
      const response = await fetch(`${service.baseUrl}/manage/v1${path}`, {
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
      const problems = responseProblems(method, `/manage/v1${bare}`, { status, contentType, body: received });
      if (problems.length > 0) {
        throw new Error(
          `${method} ${path} ${status}: ${problems.join("; ")}; ${JSON.stringify(received).slice(0, 500)}`,
        );
      }
      return { status, headers: response.headers, body: received as never };
    },
    async [Symbol.asyncDispose]() {
      platform.close();
      await service.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
