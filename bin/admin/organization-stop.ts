import type { Command } from "commander";
import { setModelsStopped } from "../../src/accounts/model-stop.ts";
import { findOrganization } from "../../src/accounts/organizations.ts";
import type { Accounts, Organization } from "../../src/accounts/types.ts";
import { CliError } from "../cli.ts";
import type { Action } from "./action.ts";
import { isoTime, table } from "./output.ts";

const commands = [
  {
    name: "stop-models",
    description: "Stop all model calls of an organization: none begins any more, and new runs are rejected.",
    stopped: true,
  },
  { name: "resume-models", description: "Let the model calls of an organization begin again.", stopped: false },
];

/** Commands that stop the model calls of organizations, and lift the stop. */
export function addStopCommands(organization: Command, action: Action): void {
  for (const { name, description, stopped } of commands) {
    organization
      .command(name)
      .description(description)
      .argument("[ID]", "organization")
      .option("--all", "all organizations")
      .action(
        action(async ({ accounts, actor }, id: string | undefined, { all }: { all?: true }) => {
          if ((id === undefined) === (all === undefined)) throw new CliError(`org ${name} needs either an ID or --all`);
          const by = await actor();
          const rows = [];
          for (const each of await organizationsOf(accounts, id)) {
            const { modelsStopped, ...changed } = await setModelsStopped(accounts, each.id, stopped, by);
            const since = modelsStopped ? isoTime(modelsStopped.at) : "";
            rows.push({ id: changed.id, name: changed.name, models_stopped_at: since });
          }
          return table(rows, ["id", "name", "models_stopped_at"], "There are no organizations.");
        }),
      );
  }
}

async function organizationsOf(accounts: Accounts, id: string | undefined): Promise<Organization[]> {
  return id === undefined ? accounts.listOrganizations() : [await findOrganization(accounts, id)];
}
