import type { Command } from "commander";
import { createOrganization, findOrganization, setQuota } from "../../src/accounts/organizations.ts";
import { mcpToolRules } from "../../src/agent/ask-kinds.ts";
import { setMcpToolPolicy } from "../../src/accounts/mcp-tool-policy.ts";
import { setWebFetchHosts } from "../../src/accounts/web-fetch-hosts.ts";
import { deleteOrganization } from "../../src/runs/delete-organization.ts";
import { type FileUse, fileUseOfOrganization } from "../../src/runs/files/file-use.ts";
import type { Accounts, Organization } from "../../src/accounts/types.ts";
import { CliError } from "../cli.ts";
import type { Action } from "./action.ts";
import { addExportCommand } from "./organization-export.ts";
import { organizationFields as fields } from "./organization-fields.ts";
import { addStopCommands } from "./organization-stop.ts";
import { addModelCommands } from "./organization-models.ts";
import { record, table } from "./output.ts";

export function addOrganizationCommands(program: Command, action: Action): void {
  const organization = program
    .command("org")
    .alias("organization")
    .description("Manage organizations and their models.");
  organization
    .command("create")
    .description("Create an organization, without a model.")
    .requiredOption("--name <NAME>", "name of the organization")
    .action(
      action(
        async ({ accounts, actor }, options: { name: string }) =>
          record(fields(await createOrganization(accounts, options, await actor()))),
        { createsData: true },
      ),
    );
  organization
    .command("list")
    .description("List organizations.")
    .action(
      action(async ({ accounts }) => {
        const rows = (await accounts.listOrganizations()).map(fields);
        return table(rows, ["id", "name", "provider", "model"], "No organizations. Create one: org create --name NAME");
      }),
    );
  organization
    .command("show")
    .description("Show an organization, its model, its quota, and what its files use of it.")
    .argument("<ID>", "organization")
    .action(
      action(async (platform, id: string) => {
        const found = await findOrganization(platform.accounts, id);
        return record({ ...fields(found), ...useFields(await fileUseOfOrganization(platform, found)) });
      }),
    );
  organization
    .command("set-quota")
    .description("Limit what all agents of the organization may use together; “none” removes a limit.")
    .argument("<ID>", "organization")
    .option("--max-running <N>", "runs with a turn in progress; further runs wait")
    .option(
      "--max-dollars-per-day <N>",
      "US dollars per day; when they are spent, new inputs are rejected until midnight UTC",
    )
    .option("--max-stored-bytes <N>", "bytes of the files of all runs together; then creates with files are rejected")
    .option("--max-pending-upload-bytes <N>", "bytes of all pending uploads together; then further ones are rejected")
    .action(
      action(
        async (
          { accounts, actor },
          id: string,
          { maxRunning, maxDollarsPerDay, maxStoredBytes, maxPendingUploadBytes }: Record<string, string | undefined>,
        ) => {
          const changes = {
            ...(maxRunning !== undefined && { maxRunning: limitOf("--max-running", maxRunning, runningLimits) }),
            ...(maxDollarsPerDay !== undefined && {
              maxDollarsPerDay: limitOf("--max-dollars-per-day", maxDollarsPerDay, amount),
            }),
            ...(maxStoredBytes !== undefined && {
              maxStoredBytes: limitOf("--max-stored-bytes", maxStoredBytes, storageLimits),
            }),
            ...(maxPendingUploadBytes !== undefined && {
              maxPendingUploadBytes: limitOf("--max-pending-upload-bytes", maxPendingUploadBytes, storageLimits),
            }),
          };
          if (Object.keys(changes).length === 0) {
            throw new CliError(
              "nothing to set; pass --max-running, --max-dollars-per-day, --max-stored-bytes or --max-pending-upload-bytes",
            );
          }
          return record(fields(await setQuota(accounts, id, changes, await actor())));
        },
      ),
    );
  organization
    .command("set-web-fetch")
    .description("Limit the hosts that web_fetch can reach, for agents that name none; “none” removes the limit.")
    .argument("<ID>", "organization")
    .requiredOption("--hosts <HOST,…>", "names such as docs.example.com, or *.example.com for all below example.com")
    .action(
      action(async ({ accounts, actor }, id: string, { hosts }: { hosts: string }) => {
        const names = hosts === "none" ? [] : hosts.split(",").map((host) => host.trim());
        return record(fields(await setWebFetchHosts(accounts, id, names, await actor())));
      }),
    );
  organization
    .command("set-mcp-tools")
    .description("Set what happens before tools of MCP servers with effects run, for agents without a rule for them.")
    .argument("<ID>", "organization")
    .requiredOption("--policy <RULE>", "allow, or ask: each call waits for an approval (see run waiting)")
    .action(
      action(async ({ accounts, actor }, id: string, { policy }: { policy: string }) => {
        const rule = mcpToolRules.find((each) => each === policy);
        if (!rule)
          throw new CliError(`--policy is ${JSON.stringify(policy)}; expected one of ${mcpToolRules.join(", ")}`);
        return record(fields(await setMcpToolPolicy(accounts, id, rule, await actor())));
      }),
    );
  organization
    .command("delete")
    .description("End all runs of an organization and permanently delete everything about it.")
    .argument("<ID>", "organization")
    .requiredOption("--name <NAME>", "its name, to confirm")
    .action(
      action(async ({ actor, ...platform }, id: string, { name }: { name: string }) => {
        const deps = { ...platform, now: Date.now, actor: await actor() };
        const { runs } = await deleteOrganization(deps, id, {
          name,
          milliseconds: Infinity,
        });
        return { text: `Deleted organization ${id} with ${runs} runs.`, json: { id, runs } };
      }),
    );
  addExportCommand(organization, action);
  addModelCommands(organization, action);
  addStopCommands(organization, action);
}

/** The accepted values of a limit, as in `schemas/agent.schema.json`. */
interface LimitValues {
  accepted: string;
  accepts: (value: number) => boolean;
}
const runningLimits: LimitValues = {
  accepted: "a whole number from 1 to 100000",
  accepts: (value) => Number.isInteger(value) && value >= 1 && value <= 100_000,
};
const storageLimits: LimitValues = {
  accepted: "a whole number from 1 to 1000000000000000",
  accepts: (value) => Number.isInteger(value) && value >= 1 && value <= 1_000_000_000_000_000,
};
const amount: LimitValues = {
  accepted: "a number over 0, at most 1000000",
  accepts: (value) => value > 0 && value <= 1_000_000,
};

/** Null for `none`. */
function limitOf(option: string, text: string, { accepted, accepts }: LimitValues): number | null {
  if (text === "none") return null;
  const value = /^[\d.]+$/.test(text) ? Number(text) : NaN;
  if (accepts(value)) return value;
  throw new CliError(`${option} is ${JSON.stringify(text)}; expected ${accepted}, or none`);
}

/** The organization with this id or, without an id, the only organization. */
export async function organizationOrOnly(accounts: Accounts, id: string | undefined): Promise<Organization> {
  if (id !== undefined) return findOrganization(accounts, id);
  const all = await accounts.listOrganizations();
  const [only] = all;
  if (!only) throw new CliError("there are no organizations; create one first: org create --name NAME");
  if (all.length > 1)
    throw new CliError(`there are ${all.length} organizations; choose one with --org ID (see org list)`);
  return only;
}

/** What is used of the limits of files. The limits have fields of their own. */
export function useFields({ storedBytes, pendingUploads, pendingUploadBytes }: FileUse) {
  return {
    stored_bytes: storedBytes.used,
    pending_uploads: pendingUploads.used,
    pending_upload_bytes: pendingUploadBytes.used,
  };
}
