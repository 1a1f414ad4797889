import type { Command } from "commander";
import { agentDefinition } from "../../src/accounts/agent-schema.ts";
import {
  agentHistory,
  createAgent,
  findAgent,
  findAgentVersion,
  setAgentStatus,
  updateAgent,
} from "../../src/accounts/agents.ts";
import type { Actor } from "../../src/accounts/audit.ts";
import { deleteAgent } from "../../src/accounts/delete-agent.ts";
import { shownSecret } from "../../src/accounts/header-secrets.ts";
import { withoutUserinfo } from "../../src/agent/public-url.ts";
import type { Accounts, Agent, AgentDefinition, ListedAgent } from "../../src/accounts/types.ts";
import { fileUseOfAgent } from "../../src/runs/files/file-use.ts";
import { requireTried } from "../../src/trials/find-trial.ts";
import type { McpServer } from "../../src/agent/mcp/types.ts";
import type { FileIo } from "../cli.ts";
import type { Action } from "./action.ts";
import { fileDescription, fileOption, readAgentFile } from "./agent-file.ts";
import { addTryCommand } from "./agent-try.ts";
import { organizationOrOnly, useFields } from "./organizations.ts";
import { maxListed, wholeNumber } from "./option-values.ts";
import { isoTime, type Output, record, table } from "./output.ts";

export function addAgentCommands(program: Command, action: Action, io: FileIo): void {
  const agent = program.command("agent").description("Manage agents.");
  agent
    .command("create")
    .description("Create an agent from a file.")
    .requiredOption(fileOption, fileDescription)
    .option("--org <ID>", "organization (default: the only one)")
    .action(
      action(async (platform, { file, org }: { file: string; org?: string }) => {
        const { accounts, actor } = platform;
        const { id } = await organizationOrOnly(accounts, org);
        const definition = await readAgentFile(file, id, platform);
        return output(await createAgent(accounts, id, definition, await actor()));
      }),
    );
  agent
    .command("list")
    .description("List agents, including deleted ones.")
    .option("--org <ID>", "only agents of this organization")
    .action(
      action(async ({ accounts }, { org }: { org?: string }) => {
        const agents = await accounts.listAgents(org && (await organizationOrOnly(accounts, org)).id);
        const columns = ["id", "name", "version", "status", "organization"];
        return table(agents.map(fields), columns, "No agents. Create one: agent create --file agent.json");
      }),
    );
  agent
    .command("show")
    .description("Show an agent, its instructions, tools and limits, and what its files use.")
    .argument("<ID>", "agent")
    .option("--version <N>", "this version of its definition instead of the current one")
    .action(
      action(async (platform, id: string, { version }: { version?: string }) => {
        const { accounts } = platform;
        const current = await findAgent(accounts, id);
        if (version === undefined) return output(current, useFields(await fileUseOfAgent(platform, current)));
        const found = await findAgentVersion(accounts, id, wholeNumber("--version", version));
        const { status, organizationId } = current;
        const { definition, createdAt, hash } = found;
        const shown = { ...definition, id: current.id, status, organizationId, version: found.version, createdAt };
        return output(shown, { hash });
      }),
    );
  agent
    .command("history")
    .description("List the versions of an agent's definition, newest first.")
    .argument("<ID>", "agent")
    .option("--limit <N>", `number of versions, at most ${maxListed}`, "20")
    .action(
      action(async ({ accounts }, id: string, { limit }: { limit: string }) => {
        const versions = await agentHistory(accounts, id, wholeNumber("--limit", limit, maxListed));
        const rows = versions.map(({ version, createdAt, hash }) => ({
          version,
          created_at: isoTime(createdAt),
          hash,
        }));
        const empty = "No versions: an earlier release kept none. The next agent update makes version 1.";
        return table(rows, ["version", "created_at", "hash"], empty);
      }),
    );
  agent
    .command("update")
    .description("Replace an agent's definition (a new version); turns in progress keep the old one.")
    .argument("<ID>", "agent")
    .requiredOption(fileOption, fileDescription)
    .option("--trial <ID>", "keep with the version the finished trial that tried exactly this file")
    .action(
      action(async (platform, id: string, { file, trial: trialId }: { file: string; trial?: string }) => {
        const { accounts, trials, actor } = platform;
        const { id: agentId, organizationId } = await findAgent(accounts, id);
        const definition = await readAgentFile(file, organizationId, platform);
        if (trialId !== undefined) await requireTried(trials, trialId, { agentId, definition });
        return output(await updateAgent(accounts, agentId, definition, await actor(), { trialId }));
      }),
    );
  addTryCommand(agent, action, io);
  const change = (
    verb: string,
    description: string,
    use: (accounts: Accounts, id: string, actor: Actor) => Promise<Agent>,
  ) =>
    agent
      .command(verb)
      .description(description)
      .argument("<ID>", "agent")
      .action(action(async ({ accounts, actor }, id: string) => output(await use(accounts, id, await actor()))));
  change(
    "archive",
    "Reject new runs, inputs and uploads of an agent (409) until it is unarchived.",
    (accounts, id, actor) => setAgentStatus(accounts, id, "archived", actor),
  );
  change("unarchive", "Accept new runs, inputs and uploads of an archived agent again.", (accounts, id, actor) =>
    setAgentStatus(accounts, id, "active", actor),
  );
  change(
    "delete",
    "Delete an agent and disable its keys (irreversible). Operators can still read its runs.",
    deleteAgent,
  );
}

/** The settings of an agent file that `fields` does not have. Instructions come last, because they have many lines. */
const settings = [
  ...Object.keys(agentDefinition.properties).filter(
    (name) => !["$schema", "name", "model", "instructions"].includes(name),
  ),
  "instructions",
] as (keyof AgentDefinition)[];

/** `more`: further fields, after the agent's own. */
function output(agent: Agent, more: { hash?: string } | ReturnType<typeof useFields> = {}): Output {
  const mcp = agent.mcp?.map(withoutHeaderValues);
  const lines = settings.flatMap((name): [string, unknown][] =>
    name === "mcp"
      ? (mcp ?? []).map((server) => [`mcp ${server.name}`, serverLine(server)])
      : [[name, settingText(agent, name)]],
  );
  const { text } = record({ ...fields(agent), ...more, ...Object.fromEntries(lines) }, "instructions");
  const definition = Object.fromEntries(settings.map((name) => [name, name === "mcp" ? mcp : agent[name]]));
  return { text, json: { ...fields(agent), ...more, ...definition } };
}

/** A setting on one line. Undefined: it is not set. */
function settingText(agent: Agent, name: keyof AgentDefinition): unknown {
  if (name === "tools") return agent.tools.join(", ") || "none";
  if (name === "clientTools") return agent.clientTools?.map((tool) => tool.name).join(", ");
  if (name === "webFetch") return agent.webFetch && webFetchText(agent.webFetch);
  const value = agent[name];
  return typeof value === "object" ? listed(value) : value;
}

function listed(values: object): string {
  return Object.entries(values)
    .map(([name, value]) => `${name} ${typeof value === "object" ? JSON.stringify(value) : String(value)}`)
    .join(", ");
}

/** A server as in its agent file, with the location of each header's value. */
function withoutHeaderValues({ headers, ...stored }: McpServer) {
  const server = { ...stored, url: withoutUserinfo(stored.url) };
  const locations = Object.entries(headers ?? {}).map(([name, { secret }]) => [name, shownSecret(secret)]);
  return { ...server, ...(headers && { headers: Object.fromEntries(locations) as Record<string, string> }) };
}

function serverLine({ url, tools, headers = {} }: ReturnType<typeof withoutHeaderValues>): string {
  const sent = Object.entries(headers).map(([header, location]) => `; header ${header} (${location})`);
  return `${url}; ${tools?.join(", ") ?? "all tools"}${sent.join("")}`;
}

function fields({ id, name, status, version, organizationId, model, createdAt, updatedAt }: ListedAgent) {
  return {
    id,
    name,
    status,
    version,
    organization: organizationId,
    model,
    created_at: createdAt && isoTime(createdAt),
    updated_at: updatedAt && isoTime(updatedAt),
  };
}

function webFetchText({ privateAddresses = false, hosts = [] }: NonNullable<Agent["webFetch"]>): string {
  const only = hosts.length === 0 ? "" : `, only ${hosts.join(", ")}`;
  return `private addresses ${privateAddresses ? "allowed" : "blocked"}${only}`;
}
