import type { Command } from "commander";
import { agentDefinition } from "../../src/accounts/agents/agent-schema.ts";
import type { Schemas } from "../../src/manage/schema-types.ts";
import type { FileIo } from "../cli.ts";
import type { Action } from "./action.ts";
import { fileDescription, fileOption, readAgentFile } from "./agent-file.ts";
import { addTryCommand } from "./trials/agent-try.ts";
import { organizationOrOnly } from "./organizations.ts";
import { record } from "./output.ts";

/** Commands that read agent files. */
export function addAgentCommands(agent: Command, action: Action, io: FileIo): void {
  agent
    .command("create")
    .description("Create an agent from a file.")
    .requiredOption(fileOption, fileDescription)
    .option("--org <ID>", "organization (default: the only one)")
    .action(
      action(async (session, { file, org }: { file: string; org?: string }) => {
        const organization_id = await organizationOrOnly(session, org);
        const given = { organization_id, definition: readAgentFile(file) };
        const created = await session.call<Schemas["Agent"]>("create_agent", given);
        return { text: agentText(created), json: created };
      }),
    );
  agent
    .command("update")
    .description("Replace an agent's definition (a new version); turns in progress keep the old one.")
    .argument("<ID>", "ID of the agent")
    .requiredOption(fileOption, fileDescription)
    .option("--trial <ID>", "link the new version to the finished trial that tried exactly this file")
    .action(
      action(async (session, agent_id: string, { file, trial: trial_id }: { file: string; trial?: string }) => {
        const given = { agent_id, definition: readAgentFile(file), trial_id };
        const updated = await session.call<Schemas["Agent"]>("update_agent", given);
        return { text: agentText(updated), json: updated };
      }),
    );
  addTryCommand(agent, action, io);
}

/** The settings of an agent file in its order. Instructions come last, because they have many lines. */
const settings = [
  ...Object.keys(agentDefinition.properties).filter((name) => !["$schema", "name", "instructions"].includes(name)),
  "instructions",
];

/** An agent, or a version of one, with the settings of its file. */
export function agentText({ definition, ...head }: Pick<Schemas["AgentVersion"], "definition">): string {
  const { tools, clientTools, ...others } = definition as Record<string, unknown> & {
    clientTools?: { name: string }[];
  };
  const named = { tools: (tools as string[]).join(", ") || "none", clientTools: clientTools?.map(({ name }) => name) };
  const all: Record<string, unknown> = { ...others, ...named };
  const shown = settings.filter((name) => all[name] !== undefined).map((name) => [name, all[name]]);
  return record({ ...head, ...(Object.fromEntries(shown) as object) }, "instructions").text;
}
