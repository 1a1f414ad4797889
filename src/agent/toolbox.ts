import type { ProgramSystem } from "./tools/program-system.ts";
import type { AddressScope } from "../net/addresses.ts";
import { type OpenMcpServer, openMcpServer, reopenMcpServer } from "./mcp/client.ts";
import type { McpDependencies } from "./mcp/connection.ts";
import type { McpServer } from "./mcp/mcp-types.ts";
import { type BuiltInToolChoice, type BuiltInToolDependencies, builtInTools } from "./tools/index.ts";
import type { ToolDefinition } from "./model.ts";
import { clientTools } from "./tools/client-tools.ts";
import type { McpToolRule } from "./ask-kinds.ts";
import { type ToolPolicy, withPolicy } from "./tools/tool-policy.ts";
import { joinLimited } from "./tools/files/files.ts";
import { readResultTool } from "./tools/read-result.ts";
import { definitionOf, errorOutput, type OfferedTool, type Tool } from "./tools/tool.ts";
import { bytesPerToken, defaultContextTokens } from "./turn/history/context-window.ts";

/** What all tools need from the platform. `mcpAddresses`: those that MCP servers may have. Default: `addresses`. */
export interface ToolDependencies extends BuiltInToolDependencies, Pick<McpDependencies, "readSecret"> {
  mcpAddresses?: AddressScope;
}

/** The part of an agent's definition that selects its tools. */
export interface ToolChoice extends BuiltInToolChoice {
  mcp?: McpServer[];
  clientTools?: ToolDefinition[];
  toolPolicy?: ToolPolicy;
  /** Of the organization. */
  mcpToolPolicy?: McpToolRule;
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
 * - `known`: the tools of servers that are not listed, by server.
 */
export async function openTools(
  agent: ToolChoice,
  { addresses = "public", mcpAddresses = addresses, readSecret, ...dependencies }: ToolDependencies,
  signal: AbortSignal,
  known?: ReadonlyMap<string, OfferedTool[]>,
): Promise<Toolbox> {
  const configured = agent.mcp ?? [];
  const mcpDependencies = { readSecret, addresses: mcpAddresses };
  const open = (server: McpServer) => {
    const tools = known?.get(server.name);
    return tools ? reopenMcpServer(server, mcpDependencies, tools) : openMcpServer(server, mcpDependencies, signal);
  };
  const opening = configured.length === 0 ? [] : await Promise.allSettled(configured.map(open));
  const servers = opening.flatMap((server) => (server.status === "fulfilled" ? [server.value] : []));
  const close = closing(servers);
  const failed = opening.find((server) => server.status === "rejected");
  if (failed && !signal.aborted) {
    await close();
    throw failed.reason;
  }
  if (failed) return { tools: [], problems: [], [Symbol.asyncDispose]: close };

  const own = withPolicy(ownTools(agent, { ...dependencies, addresses }), agent.toolPolicy);
  const listed = withPolicy(
    servers.flatMap(({ tools }) => tools),
    agent.toolPolicy,
    agent.mcpToolPolicy,
  ).filter(({ unavailable }) => unavailable === undefined);
  const offered = mcpToolsWithinLimits(listed, own.length, agent.contextTokens);
  const problems = servers.flatMap((server) =>
    server.problems.map((problem) => `The MCP server ${server.name}: ${problem}.`),
  );
  if (offered.length < listed.length) {
    problems.push(`Only ${offered.length} of ${listed.length} MCP tools are offered: ${tooManyTools}`);
  }
  const tools = [...own, ...withInstructions(offered, servers)];
  return {
    tools: [...tools, ...resultTools(agent, tools), ...missingTools(servers, listed, offered)],
    problems,
    [Symbol.asyncDispose]: close,
  };
}

const tooManyTools =
  `the model accepts at most ${maxTools} tools, and their definitions may fill half of its context window. ` +
  "Name the tools that the agent needs in its file (mcp, tools).";

/** The tools, of which the first one of each server has what the system prompt says about the server. */
function withInstructions(tools: Tool[], servers: OpenMcpServer[]): Tool[] {
  const left = new Map(servers.map(({ name, instructions }) => [name, instructions]));
  return tools.map((tool): Tool => {
    const { origin } = tool;
    const instructions = origin && left.get(origin.server);
    if (!origin || instructions === undefined) return tool;
    left.delete(origin.server);
    return { ...tool, origin: { ...origin, instructions } };
  });
}

/** Placeholders for tools of servers that are not offered. A note tells the model and the run which tools are missing. */
function missingTools(servers: OpenMcpServer[], listed: Tool[], offered: Tool[]): Tool[] {
  return servers.flatMap(({ name, problems, isListed }) => {
    const own = listed.filter((tool) => tool.origin?.server === name && !offered.includes(tool));
    const names = own.map(({ definition }) => definition.name);
    const reasons = [
      ...(isListed ? problems.map((problem) => `${problem}.`) : []),
      ...(names.length === 0 ? [] : [`these are not offered: ${joinLimited(names)}, because ${tooManyTools}`]),
    ];
    return reasons.map((unavailable): Tool => {
      const definition = { name: `${name}__*`, description: "", input: {} };
      return { definition, unavailable, run: async () => errorOutput(unavailable) };
    });
  });
}

/**
 * Opens the tools that were offered earlier in the turn, in the same order. Servers are not listed.
 * - A tool that cannot be used anymore is still offered; its calls return an error.
 * - A tool that can be used by now, but was not offered, stays unavailable.
 */
export async function reopenTools(
  agent: ToolChoice,
  offered: OfferedTool[],
  { addresses = "public", mcpAddresses = addresses, readSecret, ...dependencies }: ToolDependencies,
): Promise<Toolbox> {
  const configured = agent.mcp ?? [];
  const mcpDependencies = { readSecret, addresses: mcpAddresses };
  const servers = await Promise.all(configured.map((server) => reopenMcpServer(server, mcpDependencies, offered)));
  const own = withPolicy(ownTools(agent, { ...dependencies, addresses }), agent.toolPolicy);
  const listed = withPolicy(
    servers.flatMap(({ tools }) => tools),
    agent.toolPolicy,
    agent.mcpToolPolicy,
  );
  const usable = new Map([...own, ...listed, ...resultTools(agent)].map((tool) => [tool.definition.name, tool]));
  const tools = offered.map((each): Tool => {
    const definition = definitionOf(each);
    const { unavailable, ...tool } = onSystem(each.system, usable.get(each.name) ?? missingTool(each.name));
    return { ...tool, definition, ...(unavailable !== undefined && { run: async () => errorOutput(unavailable) }) };
  });
  const names = new Set(offered.map(({ name }) => name));
  const others = own.filter(({ definition }) => !names.has(definition.name)).map(withdrawn);
  const close = closing(servers);
  return { tools: [...tools, ...others], problems: [], [Symbol.asyncDispose]: close };
}

const closing = (servers: { close: () => Promise<void> }[]) => async (): Promise<void> => {
  if (servers.length > 0) await Promise.all(servers.map((server) => server.close()));
};

/**
 * The tool that reads results again, if the agent may use it and there is room for it. It is one more tool in requests whose
 * conversation has left out results. `others`: the other tools. Absent: there is room.
 */
function resultTools({ toolPolicy }: ToolChoice, others?: Tool[]): Tool[] {
  const available = others?.filter(({ unavailable }) => unavailable === undefined);
  if (available && (available.length === 0 || available.length >= maxTools)) return [];
  const { name } = readResultTool.definition;
  if (others?.some(({ definition }) => definition.name === name)) return []; // a client tool of an earlier release
  return withPolicy([readResultTool], toolPolicy).filter(({ unavailable }) => unavailable === undefined);
}

/** The built-in tools and those of callers. */
function ownTools(agent: ToolChoice, dependencies: BuiltInToolDependencies): Tool[] {
  return [...builtInTools(agent, dependencies), ...clientTools(agent.clientTools)];
}

/**
 * The tool, if its programs run in the system that was described to the model. In an updated environment, results say so.
 * `offered`: absent also for a tool of version 0.1, whose shell was simulated.
 */
function onSystem(offered: ProgramSystem | undefined, tool: Tool): Tool {
  if (tool.unavailable !== undefined) return tool;
  if (offered?.kind !== tool.system?.kind) {
    const unavailable =
      `${tool.definition.name} ran ${systemName(offered)} when this turn began; by now it runs ${systemName(tool.system)}. ` +
      "Its description does not apply anymore, so it cannot be used in this turn. Later turns can use it.";
    return { ...tool, unavailable };
  }
  if (offered?.digest === tool.system?.digest) return tool;
  return {
    ...tool,
    async run(input, context) {
      const output = await tool.run(input, context);
      return { ...output, text: `${output.text}\n${updatedEnvironment}` };
    },
  };
}

function systemName(system: ProgramSystem | undefined): string {
  if (!system) return "in a simulated shell";
  return system.kind === "linux" ? "in Linux" : "in WebAssembly";
}

const updatedEnvironment =
  "[The Linux environment was updated after this turn began: versions can differ from the tool's description.]";

/** A tool that was not offered at the start of the turn. */
function withdrawn({ unavailable = "This tool is not available in this turn.", ...tool }: Tool): Tool {
  return { ...tool, unavailable };
}

/** For a built-in tool that a later version of the service does not have. */
function missingTool(name: string): Tool {
  const definition = { name, description: "", input: {} };
  return { definition, unavailable: `The tool ${name} does not exist anymore.`, run: async () => errorOutput("") };
}

/** The MCP tools, from the first on, that fit the model's limits beside `others` other tools. */
function mcpToolsWithinLimits(tools: Tool[], others: number, contextTokens = defaultContextTokens): Tool[] {
  let bytesLeft = contextTokens * bytesPerToken * mcpShareOfContext;
  return tools.slice(0, Math.max(0, maxTools - others)).filter(({ definition }) => {
    bytesLeft -= Buffer.byteLength(JSON.stringify(definition));
    return bytesLeft >= 0;
  });
}
