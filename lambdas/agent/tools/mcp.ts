import type { Client, Tool as ListedTool } from "@modelcontextprotocol/client";
import type { ToolDefinition } from "../model.ts";
import { guardedFetch, type NetworkRules } from "../network/guarded-fetch.ts";
import type { SecretOf } from "../providers/configuration.ts";
import { within } from "../within.ts";
import { type McpResult, resultOutput } from "./mcp-results.ts";
import { checkable } from "./mcp-schemas.ts";
import { error, type Tool, type ToolOutput } from "./tool.ts";

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
export interface McpEdges extends NetworkRules {
  secretOf: SecretOf;
}

const listSeconds = 10;
const callSeconds = 120;
/** Bytes of one response of a server. */
const responseBytes = 20 * 1024 * 1024;
/** Tools of one server, and bytes of one tool's schema and description: they go to the model with every call. */
const maxTools = 100;
const maxToolBytes = 50_000;
const maxNameLength = 64; // what OpenAI, Anthropic and Bedrock accept

/**
 * The tools of a server, listed once. A server that does not answer gives a stand-in for each tool of its allow-list
 * (or one for the server), whose calls try again and say what is wrong. Rejects only with the signal's reason.
 */
export async function openMcpServer(
  server: McpServer,
  edges: McpEdges,
  signal: AbortSignal,
): Promise<{ tools: Tool[]; close(): Promise<void> }> {
  const closed = new AbortController();
  let client: Promise<Client> | undefined;
  const connected = (): Promise<Client> => {
    client ??= connect(server, edges, closed.signal).catch((problem: unknown) => {
      client = undefined;
      throw problem;
    });
    return client;
  };
  const call =
    (tool: string): Tool["run"] =>
    async (input, context) =>
      callTool(server, tool, connected, input, context);

  const listed = await within(listSeconds * 1000, signal, async (cut) => {
    const open = await connected();
    return (await open.listTools(undefined, { signal: cut, timeout: listSeconds * 1000 })).tools;
  }).catch((problem: unknown) => {
    signal.throwIfAborted();
    return reason(problem);
  });
  const tools = Array.isArray(listed)
    ? await offered(server, listed, call)
    : standIns(server, listed === "timed-out" ? `it did not answer within ${listSeconds} seconds` : listed, call);
  return {
    tools,
    close: async () => {
      closed.abort(new Error("the turn is over"));
      await client?.then((open) => open.close()).catch(() => {}); // it is no longer needed, however it takes that
    },
  };
}

async function connect(server: McpServer, edges: McpEdges, signal: AbortSignal): Promise<Client> {
  const headers: Record<string, string> = {};
  for (const [name, { secret, prefix = "" }] of Object.entries(server.headers ?? {})) {
    const value = await edges.secretOf(secret);
    if (value === undefined) throw new Error(`the secret of its header ${name} does not exist or is empty`);
    headers[name] = prefix + value;
  }
  const { Client, StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client");
  const client = new Client(
    { name: "agent-run-service", version: "1.0" },
    { capabilities: {}, versionNegotiation: { mode: "auto" } },
  );
  const transport = new StreamableHTTPClientTransport(new URL(server.url), {
    fetch: guardedFetch({ ...edges, responseBytes }),
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
}

type Call = (tool: string) => Tool["run"];

async function offered(server: McpServer, listed: ListedTool[], call: Call): Promise<Tool[]> {
  const { AjvJsonSchemaValidator } = await import("@modelcontextprotocol/client/validators/ajv");
  const validators = new AjvJsonSchemaValidator();
  const allowed = listed.filter(({ name }) => server.tools?.includes(name) ?? true).slice(0, maxTools);
  const taken = new Set<string>();
  return allowed.flatMap((tool): Tool[] => {
    const { name, description = "", inputSchema, annotations = {} } = tool;
    if (JSON.stringify(tool).length > maxToolBytes) return [];
    const definition = { name: toolName(server, name, taken), description, input: inputSchema };
    const run = call(name);
    const { readOnlyHint = false, idempotentHint = false } = annotations;
    let validate: ((input: unknown) => { valid: boolean; errorMessage?: string | undefined }) | undefined;
    const checked: Tool["run"] = async (input, context) => {
      let valid: boolean;
      let errorMessage: string | undefined;
      try {
        validate ??= validators.getValidator(checkable(inputSchema) as never);
        ({ valid, errorMessage } = validate(input));
      } catch (problem) {
        return error(`${definition.name}: the server's schema of its input can't be used: ${reason(problem)}.`);
      }
      return valid ? run(input, context) : error(inputProblem(definition, errorMessage, input));
    };
    return [
      {
        definition,
        ...(!readOnlyHint && { effects: "outside" as const }),
        ...((readOnlyHint || idempotentHint) && { idempotent: true }),
        run: checked,
      },
    ];
  });
}

function inputProblem({ name, input: schema }: ToolDefinition, problem = "", input: unknown): string {
  const received = (JSON.stringify(input) ?? "nothing").slice(0, 200);
  return `${name}: ${problem}. Received: ${received}. Accepted: ${JSON.stringify(schema)}.`;
}

/** What stands for the tools of a server that could not be listed. Its inputs can't be checked here. */
function standIns(server: McpServer, why: string, call: Call): Tool[] {
  const input = { type: "object" };
  const problem = `The MCP server ${server.name} could not be listed: ${why}.`;
  const taken = new Set<string>();
  if (!server.tools) {
    const definition = { name: toolName(server, "unavailable", taken), description: problem, input };
    return [{ definition, run: async () => error(`${problem} Its tools can't be used in this turn.`) }];
  }
  return server.tools.map((name) => ({
    definition: { name: toolName(server, name, taken), description: problem, input },
    effects: "outside" as const,
    run: call(name),
  }));
}

async function callTool(
  server: McpServer,
  tool: string,
  connected: () => Promise<Client>,
  input: unknown,
  { files, signal }: Parameters<Tool["run"]>[1],
): Promise<ToolOutput> {
  const failed = (why: string): ToolOutput => error(`The MCP server ${server.name} did not answer the call: ${why}.`);
  const answer = await within(callSeconds * 1000, signal, async (cut): Promise<McpResult | string> => {
    try {
      const open = await connected();
      const parameters = { name: tool, arguments: (input ?? {}) as Record<string, unknown> };
      return (await open.callTool(parameters, { signal: cut, timeout: callSeconds * 1000 })) as McpResult;
    } catch (problem) {
      cut.throwIfAborted();
      return reason(problem);
    }
  });
  if (answer === "timed-out") return failed(`it took more than ${callSeconds} seconds. Its effect is unknown`);
  return typeof answer === "string" ? failed(answer) : resultOutput(server.name, answer, files);
}

/** Prefixed by the server's name, in the letters and the length that all providers accept, and unique. */
function toolName(server: McpServer, tool: string, taken: Set<string>): string {
  const wanted = `${server.name}__${tool}`.replaceAll(/[^A-Za-z0-9_-]/g, "_").slice(0, maxNameLength);
  let name = wanted;
  for (let n = 2; taken.has(name); n++) name = `${wanted.slice(0, maxNameLength - String(n).length - 1)}_${n}`;
  taken.add(name);
  return name;
}

function reason(problem: unknown): string {
  if (!(problem instanceof Error)) return String(problem);
  const { cause } = problem;
  const why =
    cause instanceof Error && cause.message !== problem.message
      ? `${problem.message} (${cause.message})`
      : problem.message;
  return why.replace(/\.$/, "").slice(0, 500);
}
