import type { Client, jsonSchemaValidator, JsonSchemaValidator } from "@modelcontextprotocol/client";
import { safeFetch, type NetworkRules } from "../../net/safe-fetch.ts";
import type { ReadSecret } from "../secret.ts";
import { redactSecrets } from "../../net/redact.ts";
import { withTimeout } from "../../async/with-timeout.ts";
import { type McpResult, resultOutput } from "./results.ts";
import { mcpFetch } from "./messages.ts";
import { listedTools, unavailableTools } from "./tools.ts";
import { errorOutput, type Tool, type ToolOutput } from "../tools/tool.ts";

/**
 * An MCP server whose tools an agent may use, over streamable HTTP. `headers`: sent with every request; a value is
 * `prefix` and what the secret holds. `tools`: the only ones that it may use; absent, all of them.
 */
export interface McpServer {
  /** Lower case letters, digits and hyphens; the tools' names begin with it. */
  name: string;
  url: string;
  headers?: Record<string, { secret: string; prefix?: string }>;
  tools?: string[];
}

/** `secretOf`: what a named secret holds. */
export interface McpDependencies extends NetworkRules {
  secretOf: ReadSecret;
}

const listSeconds = 10;
/** For the first request, which servers of before 2026 do not know. */
const probeSeconds = 4;
const callSeconds = 120;
/** Bytes of one response of a server. */
const responseBytes = 20 * 1024 * 1024;

/** A server whose tools were listed, or stand-ins for them. */
export interface OpenMcpServer {
  tools: Tool[];
  /** For the operator: why it could not be listed, or what of it was left out. Sentences without their subject. */
  problems: string[];
  close(): Promise<void>;
}

/**
 * The tools of a server, listed once. A server that does not answer gives a stand-in for each tool of its allow-list
 * (or one for the server), whose calls try again and say what is wrong. Rejects only with the signal's reason.
 */
export async function openMcpServer(
  server: McpServer,
  edges: McpDependencies,
  signal: AbortSignal,
): Promise<OpenMcpServer> {
  const closed = new AbortController();
  const secrets: string[] = [];
  let client: Promise<Client> | undefined;
  const connected = (): Promise<Client> => {
    client ??= connect(server, edges, secrets, closed.signal).catch((problem: unknown) => {
      client = undefined;
      throw problem;
    });
    return client;
  };
  const forget = (used: Promise<Client>): void => {
    if (client === used) client = undefined; // calls that were made at the same time share the next one
    void used.then((open) => open.close()).catch(() => {});
  };
  const connection: Connection = { server, secrets, connected, forget };
  const call =
    (tool: string): Tool["run"] =>
    (input, context) =>
      callTool(connection, tool, input, context);
  const close = async (): Promise<void> => {
    closed.abort(new Error("the turn is over"));
    await client?.then((open) => open.close()).catch(() => {}); // it is no longer needed, however it takes that
  };

  const listing = await withTimeout(listSeconds * 1000, signal, async (cut) => {
    const open = await connected();
    return (await open.listTools(undefined, { signal: cut, timeout: listSeconds * 1000 })).tools;
  }).catch((problem: unknown) => {
    signal.throwIfAborted();
    return { timedOut: false, value: reason(problem, secrets) } as const;
  });
  const listed = listing.timedOut ? `it did not answer within ${listSeconds} seconds` : listing.value;
  if (typeof listed !== "string") return { ...(await listedTools(server, listed, call)), close };
  return { tools: unavailableTools(server, listed, call), problems: [`it could not be listed: ${listed}`], close };
}

/**
 * `connected`: tries again when the last attempt failed, or was forgotten. `secrets`: what it was sent, and may be
 * repeated nowhere.
 */
interface Connection {
  server: McpServer;
  secrets: string[];
  connected: () => Promise<Client>;
  forget: (used: Promise<Client>) => void;
}

async function connect(
  server: McpServer,
  edges: McpDependencies,
  secrets: string[],
  signal: AbortSignal,
): Promise<Client> {
  const headers: Record<string, string> = {};
  for (const [name, { secret, prefix = "" }] of Object.entries(server.headers ?? {})) {
    const value = await edges.secretOf(secret);
    if (value === undefined) throw new Error(`the secret of its header ${name} does not exist or is empty`);
    secrets.push(value);
    headers[name] = prefix + value;
  }
  const { Client, StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client");
  const connectBy = async (mode: "auto" | "legacy"): Promise<Client> => {
    const client = new Client(
      { name: "agent-run-service", version: "1.0" },
      {
        capabilities: {},
        versionNegotiation: { mode, probe: { timeoutMs: probeSeconds * 1000 } },
        jsonSchemaValidator: unchecked,
      },
    );
    const transport = new StreamableHTTPClientTransport(new URL(server.url), {
      fetch: mcpFetch(safeFetch({ ...edges, responseBytes })),
      requestInit: { headers },
      reconnectionOptions: {
        maxRetries: 0,
        initialReconnectionDelay: 1_000,
        maxReconnectionDelay: 1_000,
        reconnectionDelayGrowFactor: 1,
      },
    });
    await client.connect(transport, { timeout: listSeconds * 1000, signal });
    return client;
  };
  return connectBy("auto").catch((problem: unknown) => {
    if (signal.aborted || !unsure(problem)) throw problem;
    return connectBy("legacy");
  });
}

/** Whether a server did not say which age it is of: older ones answer what they don't know in any way, or not at all. */
function unsure(problem: unknown): boolean {
  const { message, data } = problem as SdkError;
  return message.startsWith("Version negotiation") && data?.status !== 401 && data?.status !== 403;
}

/** For results: a server checks its own, and a schema of its making can stop this process for hours. */
const unchecked: jsonSchemaValidator = {
  getValidator: <Value>(): JsonSchemaValidator<Value> => {
    return (input) => ({ valid: true, data: input as Value, errorMessage: undefined });
  },
};

async function callTool(
  { server, secrets, connected, forget }: Connection,
  tool: string,
  input: unknown,
  { files, signal }: Parameters<Tool["run"]>[1],
): Promise<ToolOutput> {
  const failed = (why: string): ToolOutput =>
    errorOutput(`The MCP server ${server.name} did not answer the call: ${why}.`);
  const parameters = { name: tool, arguments: (input ?? {}) as Record<string, unknown> };
  const called = await withTimeout(callSeconds * 1000, signal, async (cut): Promise<McpResult | string> => {
    const call = async (used: Promise<Client>): Promise<McpResult> =>
      (await (await used).callTool(parameters, { signal: cut, timeout: callSeconds * 1000 })) as McpResult;
    try {
      const used = connected();
      return await call(used).catch((problem: unknown) => {
        if (!isSessionGone(problem)) throw problem;
        forget(used);
        return call(connected());
      });
    } catch (problem) {
      cut.throwIfAborted();
      return reason(problem, secrets);
    }
  });
  if (called.timedOut) return failed(`it took more than ${callSeconds} seconds. Its effect is unknown`);
  const answer = called.value;
  if (typeof answer === "string") return failed(answer);
  const output = await resultOutput(server.name, answer, files);
  return { ...output, text: redactSecrets(output.text, secrets, instead) };
}

const instead = "[secret]";

/** An error of the client's, which may say what the server answered. */
type SdkError = Error & { data?: { status?: number } };

/** Whether a server has forgotten the session, by which it also says that it did not make the call. */
function isSessionGone(problem: unknown): boolean {
  const { message, data } = problem as SdkError;
  return data?.status === 404 || (data?.status === 400 && /session/i.test(message));
}

/** What went wrong, as the end of a sentence. */
function reason(problem: unknown, secrets: string[]): string {
  const { message, cause, data } = (problem instanceof Error ? problem : new Error(String(problem))) as SdkError;
  const details = [
    ...(data?.status === undefined ? [] : [`status ${data.status}`]),
    ...(cause instanceof Error && !message.includes(cause.message) ? [cause.message] : []),
  ];
  const why = `${message.replace(/[.:\s]+$/, "")}${details.length > 0 ? ` (${details.join("; ")})` : ""}`;
  return redactSecrets(why, secrets, instead).replaceAll(/\s+/g, " ").slice(0, 500);
}
