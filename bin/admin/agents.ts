import { readFileSync } from "node:fs";
import type { McpServer } from "../../src/agent/mcp/types.ts";
import { type AgentDefinition, parseAgentFile } from "../../src/accounts/agent-definition.ts";
import { createAgent, findAgent, setAgentStatus, updateAgent } from "../../src/accounts/agents.ts";
import type { Agent } from "../../src/accounts/types.ts";
import { type Command, type Output, Problem, required } from "./command.ts";
import { organizationOrOnly } from "./organizations.ts";
import { record, table } from "./output.ts";

export const agentCommands: Command[] = [
  {
    noun: "agent",
    verb: "create",
    summary: "makes an agent from a file (schemas/agent.schema.json)",
    options: { file: { value: "agent.json", required: true }, org: { value: "ID" } },
    async run({ accounts }, given) {
      const file = readAgent(required(given, "file"));
      const { id } = await organizationOrOnly(accounts, given.options["org"]);
      return shown(await createAgent(accounts, id, file));
    },
  },
  {
    noun: "agent",
    verb: "list",
    summary: "lists the agents of one organization or of all, deleted ones too",
    options: { org: { value: "ID" } },
    async run({ accounts }, { options }) {
      const { org } = options;
      const agents = await accounts.listAgents(org && (await organizationOrOnly(accounts, org)).id);
      const rows = agents.map(fields);
      return table(
        rows,
        ["id", "name", "status", "organization"],
        "There is no agent yet: agent create --file agent.json",
      );
    },
  },
  {
    noun: "agent",
    verb: "show",
    operand: "ID",
    summary: "shows an agent, its instructions, tools and limits",
    run: async ({ accounts }, { operand }) => shown(await findAgent(accounts, operand)),
  },
  {
    noun: "agent",
    verb: "update",
    operand: "ID",
    summary: "replaces what the file says of the agent; turns under way end as they began",
    options: { file: { value: "agent.json", required: true } },
    async run({ accounts }, given) {
      const file = readAgent(required(given, "file"));
      return shown(await updateAgent(accounts, given.operand, file));
    },
  },
  move("archive", "archived", "refuses new runs of the agent (409) until it is unarchived"),
  move("unarchive", "active", "accepts runs of the agent again"),
  move("delete", "deleted", "refuses new runs for good (404); its runs can still be read"),
];

/** A command that sets an agent's status. An agent that has it already is left as it is; a deleted one is refused. */
function move(verb: string, status: Agent["status"], summary: string): Command {
  return {
    noun: "agent",
    verb,
    operand: "ID",
    summary,
    run: async ({ accounts }, { operand }) => shown(await setAgentStatus(accounts, operand, status)),
  };
}

function readAgent(path: string): AgentDefinition {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    throw new Problem(`--file ${path} can't be read: ${error instanceof Error ? error.message : String(error)}`);
  }
  const checked = parseAgentFile(text);
  if ("fields" in checked) return checked.fields;
  throw new Problem(`${path} is no agent file: ${checked.problems.join("; ")} (see schemas/agent.schema.json)`);
}

function shown(agent: Agent): Output {
  const { tools, limits, runLimits, prices, parameters, contextTokens, webFetch, instructions } = agent;
  const mcp = agent.mcp?.map(shownServer);
  const line = record({
    ...fields(agent),
    tools: tools.join(", ") || "none",
    ...Object.fromEntries((mcp ?? []).map((server) => [`mcp ${server.name}`, serverLine(server)])),
    webFetch: webFetch && `private addresses ${webFetch.privateAddresses ? "allowed" : "refused"}`,
    limits: named(limits),
    runLimits: runLimits && named(runLimits),
    prices: prices && named(prices),
    parameters: parameters && named(parameters),
    contextTokens,
    instructions,
  });
  const file = { tools, mcp, webFetch, limits, runLimits, prices, parameters, contextTokens, instructions };
  const json = { ...fields(agent), ...file };
  return { text: line.text, json };
}

function named(values: object): string {
  return Object.entries(values)
    .map(([name, value]) => `${name} ${String(value)}`)
    .join(", ");
}

/** A server as its agent file has it. A header that says no place may be a key that was pasted: it is not shown. */
function shownServer({ headers, ...server }: McpServer) {
  const places = Object.entries(headers ?? {}).map(([name, { secret }]) => [
    name,
    /^(env|file|secretsmanager):./.test(secret) ? secret : "not shown: it does not say where the value is",
  ]);
  return { ...server, ...(headers && { headers: Object.fromEntries(places) as Record<string, string> }) };
}

function serverLine({ url, tools, headers = {} }: ReturnType<typeof shownServer>): string {
  const sent = Object.entries(headers).map(([header, place]) => `; header ${header} (${place})`);
  return `${url}; ${tools?.join(", ") ?? "all its tools"}${sent.join("")}`;
}

function fields({ id, name, status, organizationId, model }: Agent) {
  return { id, name, status, organization: organizationId, model };
}
