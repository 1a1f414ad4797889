import type { ReadSecret } from "../secret.ts";
import { sandboxDocumentReader } from "../../sandbox/document-reader.ts";
import type { Sandbox } from "../../sandbox/types.ts";
import { readDocument, type ReadDocument } from "../../documents/read-document.ts";
import { listFilesTool } from "./list-files.ts";
import { toolsWithinLimits } from "../mcp/tools.ts";
import { type McpServer, openMcpServer } from "../mcp/client.ts";
import { readFileTool } from "./read-file.ts";
import { runJavascriptTool, runShellTool } from "./run-code.ts";
import { searchFilesTool } from "./search-files.ts";
import type { Tool } from "./tool.ts";
import { webFetchTool } from "./web-fetch.ts";
import { editFileTool, writeFileTool } from "./write-files.ts";

/**
 * What the tools need beyond the workspace. Absent: there is no sandbox, and documents are read in this process; so are
 * web pages, unless there is a sandbox.
 */
export interface ToolDependencies {
  sandbox?: Sandbox;
  readDocument?: ReadDocument;
  secretOf: ReadSecret;
  /** Whether MCP servers, and pages where the agent allows it, may be on addresses that are not of the public internet. Default: no. */
  privateAddresses?: boolean;
}

/** The part of an agent that says what it may use. `webFetch.privateAddresses`: pages of the own network, too. */
export interface ToolChoice {
  tools: string[];
  mcp?: McpServer[];
  webFetch?: { privateAddresses: boolean };
  /** The model's window, of which the tools of MCP servers may fill a part. */
  contextTokens?: number;
}

/** The tools that an agent file may name. A new one is its definition, its file and a line here. */
const builtIns: Record<string, (edges: ToolDependencies, agent: ToolChoice) => Tool> = {
  list_files: () => listFilesTool,
  read_file: (edges) => readFileTool(edges.readDocument ?? readDocument),
  write_file: () => writeFileTool,
  edit_file: () => editFileTool,
  search_files: () => searchFilesTool,
  run_javascript: ({ sandbox }) => runJavascriptTool(sandbox),
  run_shell: ({ sandbox }) => runShellTool(sandbox),
  web_fetch({ privateAddresses = false, sandbox, ...edges }, { webFetch }) {
    const reader = edges.readDocument ?? (sandbox ? sandboxDocumentReader(sandbox) : readDocument);
    return webFetchTool({ privateAddresses: privateAddresses && webFetch?.privateAddresses === true }, reader);
  },
};

export const toolNames: string[] = Object.keys(builtIns);

/** What an agent may use that names no tools: its files, and programs over them. Nothing that reaches the network. */
export const defaultTools = ["list_files", "read_file", "write_file", "edit_file", "search_files", "run_javascript"];

/** An agent's built-in tools, in the agent's order. A name that no tool has gives none. */
export function builtInTools(agent: ToolChoice, edges: ToolDependencies): Tool[] {
  return agent.tools.flatMap((name) => builtIns[name]?.(edges, agent) ?? []);
}

/** `problems`: for the operator, each a sentence on one of the agent's MCP servers. */
export interface Toolbox extends AsyncDisposable {
  tools: Tool[];
  problems: string[];
}

/**
 * All tools of an agent, MCP servers listed; disposing of them ends the connections. The servers are listed at the same
 * time, each for at most ten seconds; one that fails has stand-ins. When the signal aborts, there are none.
 */
export async function openTools(
  agent: ToolChoice,
  { privateAddresses = false, ...edges }: ToolDependencies,
  signal: AbortSignal,
): Promise<Toolbox> {
  const mcpEdges = { secretOf: edges.secretOf, privateAddresses };
  const named = agent.mcp ?? [];
  const opening = await Promise.allSettled(named.map((server) => openMcpServer(server, mcpEdges, signal)));
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

  const builtIn = builtInTools(agent, { ...edges, privateAddresses });
  const listed = servers.flatMap(({ tools }) => tools);
  const fitting = toolsWithinLimits(listed, builtIn.length, agent.contextTokens);
  const problems = opening.flatMap((server, index) =>
    server.status === "fulfilled"
      ? server.value.problems.map((problem) => `The MCP server ${named[index]?.name}: ${problem}.`)
      : [],
  );
  if (fitting.length < listed.length) {
    problems.push(
      `Of ${listed.length} tools of MCP servers the first ${fitting.length} are offered, for which the model has room: ` +
        "name those that the agent needs in its file (mcp, tools).",
    );
  }
  return { tools: [...builtIn, ...fitting], problems, [Symbol.asyncDispose]: close };
}
