import { openMcpServer } from "./mcp/client.ts";
import type { McpDependencies } from "./mcp/connection.ts";
import type { McpServer } from "./mcp/types.ts";
import { type BuiltInToolChoice, type BuiltInToolDependencies, builtInTools } from "./tools/index.ts";
import type { Tool } from "./tools/tool.ts";
import { bytesPerToken, defaultContextTokens } from "./turn/context-window.ts";

/** What all tools need from the platform. `addresses` applies to MCP servers, too. */
export interface ToolDependencies extends BuiltInToolDependencies, Pick<McpDependencies, "readSecret"> {}

/** The part of an agent's definition that selects its tools. */
export interface ToolChoice extends BuiltInToolChoice {
  mcp?: McpServer[];
  /** The model's context window. MCP tool definitions may fill a part of it. */
  contextTokens?: number;
}

/** All tools of an agent. Disposing of it closes the connections to MCP servers. */
export interface Toolbox extends AsyncDisposable {
  tools: Tool[];
  /** For the operator: what is wrong with the agent's MCP servers. Each is a sentence. */
  problems: string[];
}

/** The number of tools that OpenAI accepts in one request. */
const maxTools = 128;
/** Share of the context window that the definitions of MCP tools may fill. */
const mcpShareOfContext = 0.5;

/**
 * Opens the tools of an agent: the built-in ones and those of its MCP servers.
 * - All servers are listed at the same time, each within ten seconds.
 * - A server that fails gets placeholder tools and a `problem`. It does not fail the turn.
 * - When `signal` aborts, the toolbox is empty.
 */
export async function openTools(
  agent: ToolChoice,
  { addresses = "public", readSecret, ...dependencies }: ToolDependencies,
  signal: AbortSignal,
): Promise<Toolbox> {
  const configured = agent.mcp ?? [];
  const mcpDependencies = { readSecret, addresses };
  const opening = await Promise.allSettled(configured.map((server) => openMcpServer(server, mcpDependencies, signal)));
  const servers = opening.flatMap((server) => (server.status === "fulfilled" ? [server.value] : []));
  const close = async (): Promise<void> => {
    await Promise.all(servers.map((server) => server.close()));
  };
  const failed = opening.find((server) => server.status === "rejected");
  if (failed && !signal.aborted) {
    await close();
    throw failed.reason;
  }
  if (failed) return { tools: [], problems: [], [Symbol.asyncDispose]: close };

  const builtIn = builtInTools(agent, { ...dependencies, addresses });
  const listed = servers.flatMap(({ tools }) => tools);
  const offered = mcpToolsWithinLimits(listed, builtIn.length, agent.contextTokens);
  const problems = servers.flatMap((server) =>
    server.problems.map((problem) => `The MCP server ${server.name}: ${problem}.`),
  );
  if (offered.length < listed.length) {
    problems.push(
      `Only ${offered.length} of ${listed.length} MCP tools are offered: the model accepts no more, or its context window ` +
        "is too small. Name the tools that the agent needs in its file (mcp, tools).",
    );
  }
  return { tools: [...builtIn, ...offered], problems, [Symbol.asyncDispose]: close };
}

/** The MCP tools, from the first on, that fit the model's limits beside `others` built-in tools. */
function mcpToolsWithinLimits(tools: Tool[], others: number, contextTokens = defaultContextTokens): Tool[] {
  let bytesLeft = contextTokens * bytesPerToken * mcpShareOfContext;
  return tools.slice(0, Math.max(0, maxTools - others)).filter(({ definition }) => {
    bytesLeft -= Buffer.byteLength(JSON.stringify(definition));
    return bytesLeft >= 0;
  });
}
