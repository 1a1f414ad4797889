import { withTimeout } from "../../async/with-timeout.ts";
import { errorOutput, type OfferedTool, type Tool, type ToolContext, type ToolOutput } from "../tools/tool.ts";
import { callSeconds, listSeconds, type McpConnection, mcpConnection, type McpDependencies } from "./connection.ts";
import { resultOutput } from "./results.ts";
import { listedTools, reopenedTools, unavailableTools } from "./tools.ts";
import type { McpServer } from "./types.ts";

/** An MCP server in use: its tools, or placeholders for them. */
export interface OpenMcpServer {
  name: string;
  tools: Tool[];
  /** For the operator: why the server could not be listed, or which tools are left out. Clauses without a subject. */
  problems: string[];
  close(): Promise<void>;
}

/**
 * Opens an MCP server and lists its tools once.
 * - If listing fails, each tool of the allow-list gets a placeholder. Its calls connect again. Without an allow-list,
 *   the server has one placeholder.
 * - It rejects only when `signal` aborts, with the signal's reason.
 */
export async function openMcpServer(
  server: McpServer,
  dependencies: McpDependencies,
  signal: AbortSignal,
): Promise<OpenMcpServer> {
  const { name, connection, call, close } = connectionTo(server, dependencies);
  const listing = await withTimeout(listSeconds * 1000, signal, (limit) => connection.listTools(limit)).catch(
    (error: unknown) => {
      signal.throwIfAborted();
      return { timedOut: false, value: connection.describeError(error) } as const;
    },
  );
  const listed = listing.timedOut ? `it did not answer within ${listSeconds} seconds` : listing.value;
  if (typeof listed !== "string") return { name, ...(await listedTools(server, listed, call)), close };
  return {
    name,
    tools: unavailableTools(server, listed, call),
    problems: [`it could not be listed: ${listed}`],
    close,
  };
}

/**
 * Opens an MCP server with the tools that it offered earlier in the turn. It connects at the first call, so that a server
 * that is away or has changed does not change what the model is offered.
 */
export async function reopenMcpServer(
  server: McpServer,
  dependencies: McpDependencies,
  offered: OfferedTool[],
): Promise<OpenMcpServer> {
  const { name, call, close } = connectionTo(server, dependencies);
  const own = offered.filter(({ origin }) => origin?.server === name);
  return { name, tools: own.length === 0 ? [] : await reopenedTools(own, call), problems: [], close };
}

function connectionTo(server: McpServer, dependencies: McpDependencies) {
  const { name } = server;
  const connection = mcpConnection(server, dependencies);
  const call =
    (tool: string): Tool["run"] =>
    (input, context) =>
      callTool(name, connection, tool, input, context);
  return { name, connection, call, close: (): Promise<void> => connection.close() };
}

async function callTool(
  server: string,
  connection: McpConnection,
  tool: string,
  input: unknown,
  { files, signal }: ToolContext,
): Promise<ToolOutput> {
  const failed = (reason: string): ToolOutput =>
    errorOutput(`The MCP server ${server} did not answer the call: ${reason}.`);
  const called = await withTimeout(callSeconds * 1000, signal, (limit) =>
    connection.callTool(tool, input, limit).catch((error: unknown) => {
      limit.throwIfAborted();
      return connection.describeError(error);
    }),
  );
  if (called.timedOut) return failed(`it took more than ${callSeconds} seconds. Its effect is unknown`);
  if (typeof called.value === "string") return failed(called.value);
  return resultOutput(server, called.value, files, (text) => connection.redact(text));
}
