import { exactInput } from "../model.ts";
import { withTimeout } from "../../async/with-timeout.ts";
import { errorOutput, type OfferedTool, type Tool, type ToolContext, type ToolOutput } from "../tools/tool.ts";
import { CallTimedOut, listSeconds, type McpConnection, mcpConnection, type McpDependencies } from "./connection.ts";
import { instructionsBlock } from "./instructions.ts";
import { resultOutput } from "./results.ts";
import { listedTools, reopenedTools, unavailableTools } from "./tools.ts";
import type { McpServer } from "./mcp-types.ts";

/** An MCP server in use: its tools, or placeholders for them. */
export interface OpenMcpServer {
  name: string;
  tools: Tool[];
  /** Why the server could not be listed, or which tools are missing. Clauses without a subject. */
  problems: string[];
  /** The server was listed. Otherwise, its placeholders say why not. */
  isListed: boolean;
  /** What the model reads beside the tools. */
  instructions?: string;
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
  if (typeof listed === "string") {
    const problems = [`it could not be listed: ${listed}`];
    return { name, tools: unavailableTools(server, listed, call), problems, isListed: false, close };
  }
  const { problems } = listed;
  const said = server.instructions === false ? undefined : listed.instructions;
  const instructions = said === undefined ? undefined : instructionsBlock(name, connection.redact(said));
  return {
    name,
    tools: await listedTools(server, listed.tools, call),
    problems,
    isListed: true,
    ...(instructions !== undefined && { instructions }),
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
  const tools = own.length === 0 ? [] : await reopenedTools(own, call);
  return { name, tools, problems: [], isListed: false, close };
}

function connectionTo(server: McpServer, dependencies: McpDependencies) {
  const { name } = server;
  const connection = mcpConnection(server, dependencies);
  const call =
    (tool: string): Tool["run"] =>
    (input, context) =>
      callTool(name, connection, tool, context.call ? exactInput(context.call) : input, context);
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
  const called = await connection.callTool(tool, input, signal).catch((error: unknown) => {
    signal.throwIfAborted();
    return error instanceof CallTimedOut ? `${error.message}. Its effect is unknown` : connection.describeError(error);
  });
  if (typeof called === "string") return failed(called);
  return resultOutput(server, called, files, (text) => connection.redact(text));
}
