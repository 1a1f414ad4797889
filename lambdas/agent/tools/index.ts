import type { SecretOf } from "../providers/configuration.ts";
import { documentsIn } from "../sandbox/documents.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import { readDocument, type ReadDocument } from "./documents.ts";
import { list } from "./list-files.ts";
import { type McpServer, openMcpServer } from "./mcp.ts";
import { read } from "./read-file.ts";
import { javascript, shell } from "./run-code.ts";
import { search } from "./search-files.ts";
import type { Tool } from "./tool.ts";
import { fetchPage } from "./web-fetch.ts";
import { edit, write } from "./write-files.ts";

/**
 * What the tools need beyond the workspace. Absent: there is no sandbox, and documents are read in this process; so are
 * web pages, unless there is a sandbox.
 */
export interface ToolEdges {
  sandbox?: Sandbox;
  readDocument?: ReadDocument;
  secretOf: SecretOf;
  /** Whether MCP servers, and pages where the agent allows it, may be on addresses that are not of the public internet. Default: no. */
  privateAddresses?: boolean;
}

/** The part of an agent that says what it may use. `webFetch.privateAddresses`: pages of the own network, too. */
export interface ToolChoice {
  tools: string[];
  mcp?: McpServer[];
  webFetch?: { privateAddresses: boolean };
}

/** The tools that an agent file may name. A new one is its definition, its file and a line here. */
const builtIns: Record<string, (edges: ToolEdges, agent: ToolChoice) => Tool> = {
  list_files: () => list,
  read_file: (edges) => read(edges.readDocument ?? readDocument),
  write_file: () => write,
  edit_file: () => edit,
  search_files: () => search,
  run_javascript: ({ sandbox }) => javascript(sandbox),
  run_shell: ({ sandbox }) => shell(sandbox),
  web_fetch({ privateAddresses = false, sandbox, ...edges }, { webFetch }) {
    const reader = edges.readDocument ?? (sandbox ? documentsIn(sandbox) : readDocument);
    return fetchPage({ privateAddresses: privateAddresses && webFetch?.privateAddresses === true }, reader);
  },
};

export const toolNames: string[] = Object.keys(builtIns);

/** What an agent may use that names no tools: its files, and programs over them. Nothing that reaches the network. */
export const defaultTools = ["list_files", "read_file", "write_file", "edit_file", "search_files", "run_javascript"];

/** An agent's built-in tools, in the agent's order. A name that no tool has gives none. */
export function builtInTools(agent: ToolChoice, edges: ToolEdges): Tool[] {
  return agent.tools.flatMap((name) => builtIns[name]?.(edges, agent) ?? []);
}

/**
 * All tools of an agent, MCP servers listed; disposing of them ends the connections. The servers are listed at the same
 * time, each for at most ten seconds; one that fails has stand-ins. When the signal aborts, there are none.
 */
export async function openTools(
  agent: ToolChoice,
  { privateAddresses = false, ...edges }: ToolEdges,
  signal: AbortSignal,
): Promise<{ tools: Tool[] } & AsyncDisposable> {
  const mcpEdges = { secretOf: edges.secretOf, privateAddresses };
  const opening = await Promise.allSettled((agent.mcp ?? []).map((server) => openMcpServer(server, mcpEdges, signal)));
  const servers = opening.flatMap((server) => (server.status === "fulfilled" ? [server.value] : []));
  const close = async (): Promise<void> => {
    await Promise.all(servers.map((server) => server.close()));
  };
  const failed = opening.find((server) => server.status === "rejected");
  if (failed && !signal.aborted) {
    await close();
    throw failed.reason;
  }
  const builtIn = builtInTools(agent, { ...edges, privateAddresses });
  return { tools: failed ? [] : [...builtIn, ...servers.flatMap(({ tools }) => tools)], [Symbol.asyncDispose]: close };
}
