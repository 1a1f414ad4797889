import { existsSync } from "node:fs";
import { stat } from "node:fs/promises";
import type { Command } from "commander";
import packageFile from "../../package.json" with { type: "json" };
import { findOrganization } from "../../src/accounts/organizations.ts";
import { exportOrganization } from "../../src/manage/export-organization.ts";
import type { Schemas } from "../../src/manage/schema-types.ts";
import { tar } from "../../src/runs/files/tar.ts";
import { CliError } from "../cli.ts";
import type { Action } from "./action.ts";
import { allEntries, type Caller } from "./call.ts";
import { rowsText } from "./output.ts";
import { writeArchive } from "./runs/write-archive.ts";

const stops = [
  {
    name: "stop-models",
    description: "Stop all model calls of an organization. No new call begins, and new runs are rejected.",
    models_stopped: true,
  },
  { name: "resume-models", description: "Resume the model calls of an organization.", models_stopped: false },
];

/** Commands for organizations that are more than one operation. */
export function addOrganizationCommands(organization: Command, action: Action): void {
  organization
    .command("delete")
    .description("End all runs of an organization and permanently delete everything about it.")
    .argument("<ID>", "ID of the organization")
    .requiredOption("--name <NAME>", "its name, to confirm")
    .action(
      action(async (session, id: string, { name }: { name: string }) => {
        const given = { organization_id: id, name };
        for (let runs = 0; ;) {
          const done = await session.call<Schemas["OrganizationDeletion"]>("delete_organization", given);
          runs += done.runs;
          if (done.complete) return { text: `Deleted organization ${id} with ${runs} runs.`, json: { ...done, runs } };
        }
      }),
    );
  for (const { name, description, models_stopped } of stops) {
    organization
      .command(name)
      .description(description)
      .argument("[ID]", "ID of the organization")
      .option("--all", "all organizations")
      .action(
        action(async (session, id: string | undefined, { all }: { all?: true }) => {
          if ((id === undefined) === (all === undefined)) throw new CliError(`org ${name} needs either an ID or --all`);
          const data: Schemas["Organization"][] = [];
          const every = { limit: 1_000 };
          const chosen =
            id === undefined ? await allEntries<{ id: string }>(session, "list_organizations", every) : [{ id }];
          for (const { id: organization_id } of chosen)
            data.push(await session.call("update_organization", { organization_id, models_stopped }));
          const text = rowsText(data, ["id", "name", "models_stopped_at"], "There are no organizations.");
          return { text, json: { data, next: null } };
        }),
      );
  }
  organization
    .command("export")
    .description("Save everything about an organization as one archive, without secrets (.tar.zst).")
    .argument("<ID>", "ID of the organization")
    .requiredOption("--to <FILE>", "archive to write, such as export.tar.zst")
    .option("--force", "replace an existing file")
    .action(
      action(async (session, id: string, { to, force }: { to: string; force?: true }) => {
        const platform = session.platform();
        if (!force && existsSync(to)) throw new CliError(`--to ${to} exists; pass --force to replace it`);
        const { id: organizationId } = await findOrganization(platform.accounts, id);
        const counts = { agents: 0, runs: 0, trials: 0, deliveries: 0, audit: 0 };
        const about = { serviceVersion: packageFile.version, now: Date.now(), counts };
        await writeArchive(to, tar(exportOrganization(platform, organizationId, about)), { compress: true });
        const { size: bytes } = await stat(to);
        const text = `Saved ${counts.agents} agents and ${counts.runs} runs as ${to} (${bytes} bytes).`;
        return { text, json: { id: organizationId, to, bytes, ...counts } };
      }),
    );
}

/** The organization with this id or, without an id, the only organization. */
export async function organizationOrOnly({ call }: Caller, id: string | undefined): Promise<string> {
  if (id !== undefined) return id;
  const { data } = await call<Schemas["OrganizationPage"]>("list_organizations", { limit: 1_000 });
  const [only] = data;
  if (!only) throw new CliError("there are no organizations; create one first: org create --name NAME");
  if (data.length > 1)
    throw new CliError(`there are ${data.length} organizations; choose one with --org ID (see org list)`);
  return only.id;
}
