import type { Client, jsonSchemaValidator, JsonSchemaValidator, Tool } from "@modelcontextprotocol/client";
import { redactSecrets } from "../../net/redact.ts";
import { type NetworkRules, safeFetch } from "../../net/safe-fetch.ts";
import { type ReadSecret, SecretRefused } from "../secret.ts";
import { explainUnsupportedEndpoint } from "./endpoint-check.ts";
import { ListLimit } from "./list-limit.ts";
import { tolerantFetch } from "./messages.ts";
import type { McpResult } from "./results.ts";
import type { McpServer } from "./mcp-types.ts";

export interface McpDependencies extends NetworkRules {
  readSecret: ReadSecret;
}

export const listSeconds = 10;
/** Default of the seconds that a call waits. */
const defaultCallSeconds = 120;
/** Milliseconds before a stream that the server has closed is continued. The server can ask for others. */
const continueMs = { least: 100, default: 1_000, most: 30_000 };
/** For the version probe. Servers of older protocol versions may not answer it at all. */
const probeSeconds = 4;
const maxResponseBytes = 20 * 1024 * 1024;

/**
 * Connection to an MCP server.
 * - It connects when first used, and again after a failure.
 * - Calls at the same time share one client.
 */
export interface McpConnection {
  /** `problems`: which tools are missing, and why. Clauses without a subject. */
  listTools(signal: AbortSignal): Promise<{ tools: Tool[]; problems: string[]; instructions: string | undefined }>;
  /**
   * Rejects with a `CallTimedOut` when the server neither answers nor reports progress in time. Retries once with a new session when the
   * server has lost the session, and so did not run the call.
   */
  callTool(name: string, input: unknown, signal: AbortSignal): Promise<McpResult>;
  /** Replaces the secrets that were sent to the server. */
  redact(text: string): string;
  /** Describes an error as a clause, without secrets. */
  describeError(error: unknown): string;
  close(): Promise<void>;
}

/** A call took more time than its server may take. The message is a clause. */
export class CallTimedOut extends Error {}

export function mcpConnection(server: McpServer, dependencies: McpDependencies): McpConnection {
  const secrets: string[] = [];
  const limit = new ListLimit(server.tools);
  const { connected, discard, request, close } = sessionOf(server, dependencies, { secrets, limit });
  const redact = (text: string): string => redactSecrets(text, secrets, "[secret]");

  return {
    async listTools(signal) {
      const open = await connected();
      const { tools } = await request(() => open.listTools(undefined, { signal, timeout: listSeconds * 1000 }));
      return { tools, problems: limit.problems(tools), instructions: open.getInstructions() };
    },
    async callTool(name, input, signal) {
      const { seconds = defaultCallSeconds } = server;
      const call = { name, arguments: (input ?? {}) as Record<string, unknown> };
      // With `onprogress`, the server is asked to report progress. The turn's limit of seconds bounds the time.
      const options = { signal, timeout: seconds * 1000, resetTimeoutOnProgress: true, onprogress: () => {} };
      const send = async (opening: Promise<Client>): Promise<McpResult> => {
        const open = await opening;
        return (await request(() => open.callTool(call, options))) as McpResult;
      };
      const used = connected();
      return send(used)
        .catch((error: unknown) => {
          if (!isSessionLost(error)) throw error;
          discard(used);
          return send(connected());
        })
        .catch((error: unknown) => {
          if (signal.aborted || !isTimeout(error)) throw error;
          throw new CallTimedOut(`it sent neither a result nor progress for ${seconds} seconds`);
        });
    },
    redact,
    describeError: (error) => redact(errorText(error)).replaceAll(/\s+/g, " ").slice(0, 500),
    close,
  };
}

/** The session with a server, which begins at its first use and again when the server has ended it. */
function sessionOf(
  server: McpServer,
  dependencies: McpDependencies,
  { secrets, limit }: Pick<Connecting, "secrets" | "limit">,
) {
  const closing = new AbortController();
  let client: Promise<Client> | undefined;
  /** Requests in progress. Without one, no stream is continued. */
  let waiting = 0;
  const isWaiting = (): boolean => waiting > 0;

  function connected(): Promise<Client> {
    client ??= connect(server, dependencies, { secrets, limit, signal: closing.signal, isWaiting }).catch(
      (error: unknown) => {
        client = undefined;
        throw error;
      },
    );
    return client;
  }

  function discard(expired: Promise<Client>): void {
    if (client === expired) client = undefined; // another call may have connected again already
    void expired.then((open) => open.close()).catch(() => {});
  }

  async function request<Value>(send: () => Promise<Value>): Promise<Value> {
    waiting++;
    return send().finally(() => waiting--);
  }

  async function close(): Promise<void> {
    closing.abort(new Error("the turn has ended"));
    await client?.then((open) => open.close()).catch(() => {}); // the connection is not needed anymore
  }

  return { connected, discard, request, close };
}

interface Connecting {
  /** Those that are sent are added. */
  secrets: string[];
  limit: ListLimit;
  signal: AbortSignal;
  /** Whether a request is in progress. */
  isWaiting: () => boolean;
}

async function connect(
  server: McpServer,
  dependencies: McpDependencies,
  { secrets, limit, signal, isWaiting }: Connecting,
): Promise<Client> {
  const headers: Record<string, string> = {};
  for (const [name, { secret, prefix = "" }] of Object.entries(server.headers ?? {})) {
    const refused = (refusal: string): Error => new Error(`the secret of its header ${name} ${refusal}`);
    const value = await dependencies.readSecret(secret, server.url).catch((error: unknown) => {
      throw error instanceof SecretRefused ? refused(error.message) : error;
    });
    if (value === undefined) throw refused("does not exist or is empty");
    secrets.push(value);
    headers[name] = prefix + value;
  }
  const { Client, isSpecType, StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client");
  const plainFetch = safeFetch({ ...dependencies, responseBytes: maxResponseBytes });
  const fetch = tolerantFetch(plainFetch, isSpecType, limit);
  const connectAs = async (mode: "auto" | "legacy"): Promise<Client> => {
    const client = new Client(
      { name: "agent-run-service", version: "1.0" },
      {
        capabilities: {},
        versionNegotiation: { mode, probe: { timeoutMs: probeSeconds * 1000 } },
        jsonSchemaValidator: noResultValidation,
      },
    );
    const transport = new StreamableHTTPClientTransport(new URL(server.url), {
      fetch,
      requestInit: { headers },
      reconnectionOptions: {
        maxRetries: 10, // of one stream in a row; `continuingFetch` gives up before
        initialReconnectionDelay: continueMs.default,
        maxReconnectionDelay: continueMs.most,
        reconnectionDelayGrowFactor: 2,
      },
      reconnectionScheduler(reconnect, delay) {
        if (!isWaiting()) return undefined;
        const timer = setTimeout(reconnect, Math.min(Math.max(delay, continueMs.least), continueMs.most));
        return () => clearTimeout(timer);
      },
    });
    await client.connect(transport, { timeout: listSeconds * 1000, signal });
    return client;
  };
  return connectAs("auto")
    .catch((error: unknown) => {
      if (signal.aborted || !isVersionUnclear(error)) throw error;
      return connectAs("legacy");
    })
    .catch(async (error: unknown) => {
      const { status } = (error as SdkError).data ?? {};
      if (signal.aborted || (status !== 400 && status !== 404 && status !== 405)) throw error;
      const reason = await explainUnsupportedEndpoint(server.url, status, { fetch: plainFetch, headers, signal });
      throw reason === undefined ? error : new Error(reason);
    });
}

/** Results are not validated: a schema of a hostile server can block this process for hours. */
const noResultValidation: jsonSchemaValidator = {
  getValidator: <Value>(): JsonSchemaValidator<Value> => {
    return (input) => ({ valid: true, data: input as Value, errorMessage: undefined });
  },
};

/** An error of the MCP client. `data.status` is the HTTP status of the server's response. */
type SdkError = Error & { code?: unknown; data?: { status?: number } };

function isTimeout(error: unknown): boolean {
  return (error as SdkError).code === "REQUEST_TIMEOUT";
}

/** Whether version negotiation failed. Older servers answer the unknown probe with any error, or not at all. */
function isVersionUnclear(error: unknown): boolean {
  const { message, data } = error as SdkError;
  return message.startsWith("Version negotiation") && data?.status !== 401 && data?.status !== 403;
}

/** The message of an error, with the status and the cause that it does not name. */
function errorText(error: unknown): string {
  const { message, cause, data } = (error instanceof Error ? error : new Error(String(error))) as SdkError;
  const details = [
    ...(data?.status === undefined ? [] : [`status ${data.status}`]),
    ...(cause instanceof Error && !message.includes(cause.message) ? [cause.message] : []),
  ];
  return `${withoutHtml(message).replace(/[.:\s]+$/, "")}${details.length > 0 ? ` (${details.join("; ")})` : ""}`;
}

/** Replaces an HTML page in an error: it would be long, and part of a tool description. */
function withoutHtml(message: string): string {
  return message.replace(/<(!doctype|html)[^]*$/i, "an HTML page");
}

function isSessionLost(error: unknown): boolean {
  const { message, data } = error as SdkError;
  return data?.status === 404 || (data?.status === 400 && /session/i.test(message));
}
