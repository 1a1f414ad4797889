import { McpServer } from "@modelcontextprotocol/server";
import type { AgentDefinition } from "../accounts/account-types.ts";
import type { McpCall } from "./call.ts";
import { registerTasks, tasksExtension } from "./tasks.ts";
import { registerAnswerTool } from "./tools/answer-call.ts";
import { registerControlTools } from "./tools/control-run.ts";
import { registerFileTools } from "./tools/files.ts";
import { registerStartRun } from "./tools/start-run.ts";
import { registerWaitTools } from "./tools/wait-for-run.ts";

/** Methods whose answer describes the agent. Other requests need not read it. */
const describing = new Set<unknown>(["initialize", "server/discover", "tools/list"]);

/** The MCP server for one request. `method`: the request's. */
export async function mcpServer(call: McpCall, method: unknown): Promise<McpServer> {
  const agent = describing.has(method) ? await call.accounts.findAgent(call.principal.agentId) : undefined;
  const asks = agent !== undefined && mayAsk(agent);
  const server = new McpServer(
    { name: "agent-run-service", title: "Agent Run Service", version: call.version },
    {
      capabilities: { tools: { listChanged: false }, extensions: { [tasksExtension]: {} } },
      instructions: instructions(agent?.name ?? "the agent", asks, call),
    },
  );
  registerStartRun(server, call, agent, method === "tools/list");
  registerWaitTools(server, call, { resultSchema: agent?.result?.schema, asks });
  // It is not listed for an agent that never asks. Calls are accepted: a run may have begun on another version of the agent.
  if (asks || !describing.has(method)) registerAnswerTool(server, call);
  registerControlTools(server, call);
  registerFileTools(server, call);
  registerTasks(server, call);
  return server;
}

/** Whether tool calls of the agent can wait for answers. Its organization can let tools of MCP servers ask, too. */
function mayAsk({ tools, toolPolicy = {}, clientTools = [], mcp = [] }: AgentDefinition): boolean {
  const asks = tools.includes("ask_person") || Object.values(toolPolicy).includes("ask");
  return asks || clientTools.length > 0 || mcp.length > 0;
}

function instructions(agentName: string, asks: boolean, { maxWaitSeconds, named }: McpCall): string {
  const steps = [
    "1. start_run gives it a task and files, and returns a run_id at once.",
    `2. wait_for_run waits up to ${maxWaitSeconds} s. While its status is "running", call it again with the same run_id: the run is not stuck, and a second start_run would cost twice.`,
    '3. When the status is "finished", the output is in the result. list_files and read_file return the files that the run has written.',
    ...(asks ? ["If a result has open_calls, the run waits for answers to them: give them with answer_call."] : []),
    "send_input continues the same conversation with the same files. stop_run ends a run for good.",
  ];
  const agent = `Runs tasks with the agent ${JSON.stringify(agentName)}. A run works by itself for seconds to hours and has its own files.`;
  return [agent, ...steps.map(named)].join("\n");
}
