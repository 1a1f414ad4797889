import { readFileSync } from "node:fs";
import type { Command } from "commander";
import { type AgentDefinition, parseAgentFile } from "../../src/accounts/agent-definition.ts";
import { createAgent, findAgent, setAgentStatus, updateAgent } from "../../src/accounts/agents.ts";
import type { Agent } from "../../src/accounts/types.ts";
import type { McpServer } from "../../src/agent/mcp/types.ts";
import { CliError } from "../cli.ts";
import type { Action } from "./action.ts";
import { organizationOrOnly } from "./organizations.ts";
import { type Output, record, table } from "./output.ts";

const fileOption = ["--file <agent.json>", "agent file (format: schemas/agent.schema.json)"] as const;

export function addAgentCommands(program: Command, action: Action): void {
  const agent = program.command("agent").description("Manage agents.");
  agent
    .command("create")
    .description("Create an agent from a file.")
    .requiredOption(...fileOption)
    .option("--org <ID>", "organization (default: the only one)")
    .action(
      action(async ({ accounts }, { file, org }: { file: string; org?: string }) => {
        const definition = readAgentFile(file);
        const { id } = await organizationOrOnly(accounts, org);
        return output(await createAgent(accounts, id, definition));
      }),
    );
  agent
    .command("list")
    .description("List agents, including deleted ones.")
    .option("--org <ID>", "only agents of this organization")
    .action(
      action(async ({ accounts }, { org }: { org?: string }) => {
        const agents = await accounts.listAgents(org && (await organizationOrOnly(accounts, org)).id);
        const columns = ["id", "name", "status", "organization"];
        return table(agents.map(fields), columns, "No agents. Create one: agent create --file agent.json");
      }),
    );
  agent
    .command("show")
    .description("Show an agent, its instructions, tools and limits.")
    .argument("<ID>", "agent")
    .action(action(async ({ accounts }, id: string) => output(await findAgent(accounts, id))));
  agent
    .command("update")
    .description("Replace an agent's definition; turns in progress keep the old one.")
    .argument("<ID>", "agent")
    .requiredOption(...fileOption)
    .action(
      action(async ({ accounts }, id: string, { file }: { file: string }) =>
        output(await updateAgent(accounts, id, readAgentFile(file))),
      ),
    );
  const setStatus = (verb: string, status: Agent["status"], description: string) =>
    agent
      .command(verb)
      .description(description)
      .argument("<ID>", "agent")
      .action(action(async ({ accounts }, id: string) => output(await setAgentStatus(accounts, id, status))));
  setStatus("archive", "archived", "Reject new runs of an agent (409) until it is unarchived.");
  setStatus("unarchive", "active", "Accept new runs of an archived agent again.");
  setStatus(
    "delete",
    "deleted",
    "Delete an agent (irreversible): new runs are rejected (404), its runs stay readable.",
  );
}

function readAgentFile(path: string): AgentDefinition {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    throw new CliError(`cannot read --file ${path}: ${error instanceof Error ? error.message : String(error)}`);
  }
  const parsed = parseAgentFile(text);
  if ("definition" in parsed) return parsed.definition;
  throw new CliError(
    `${path} is not a valid agent file: ${parsed.problems.join("; ")} (see schemas/agent.schema.json)`,
  );
}

function output(agent: Agent): Output {
  const { tools, limits, runLimits, prices, parameters, contextTokens, webFetch, instructions } = agent;
  const mcp = agent.mcp?.map(withoutHeaderValues);
  const { text } = record({
    ...fields(agent),
    tools: tools.join(", ") || "none",
    ...Object.fromEntries((mcp ?? []).map((server) => [`mcp ${server.name}`, serverLine(server)])),
    webFetch: webFetch && `private addresses ${webFetch.privateAddresses ? "allowed" : "blocked"}`,
    limits: listed(limits),
    runLimits: runLimits && listed(runLimits),
    prices: prices && listed(prices),
    parameters: parameters && listed(parameters),
    contextTokens,
    instructions,
  });
  const definition = { tools, mcp, webFetch, limits, runLimits, prices, parameters, contextTokens, instructions };
  return { text, json: { ...fields(agent), ...definition } };
}

function listed(values: object): string {
  return Object.entries(values)
    .map(([name, value]) => `${name} ${String(value)}`)
    .join(", ");
}

/** A server as in its agent file. A header's secret that is not a location may be a pasted key: it is not printed. */
function withoutHeaderValues({ headers, ...server }: McpServer) {
  const locations = Object.entries(headers ?? {}).map(([name, { secret }]) => [
    name,
    /^(env|file|secretsmanager):./.test(secret) ? secret : "hidden: not a location such as env:NAME",
  ]);
  return { ...server, ...(headers && { headers: Object.fromEntries(locations) as Record<string, string> }) };
}

function serverLine({ url, tools, headers = {} }: ReturnType<typeof withoutHeaderValues>): string {
  const sent = Object.entries(headers).map(([header, location]) => `; header ${header} (${location})`);
  return `${url}; ${tools?.join(", ") ?? "all tools"}${sent.join("")}`;
}

function fields({ id, name, status, organizationId, model }: Agent) {
  return { id, name, status, organization: organizationId, model };
}
