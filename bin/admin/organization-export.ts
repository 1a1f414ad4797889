import { existsSync } from "node:fs";
import { stat } from "node:fs/promises";
import type { Command } from "commander";
import packageFile from "../../package.json" with { type: "json" };
import { findOrganization } from "../../src/accounts/organizations.ts";
import { exportOrganization } from "../../src/manage/export-organization.ts";
import { tar } from "../../src/runs/files/tar.ts";
import { CliError } from "../cli.ts";
import type { Action } from "./action.ts";
import { writeArchive } from "./write-archive.ts";

export function addExportCommand(organization: Command, action: Action): void {
  organization
    .command("export")
    .description("Save everything about an organization as one archive, without secrets (.tar.zst).")
    .argument("<ID>", "organization")
    .requiredOption("--to <FILE>", "archive to write, such as export.tar.zst")
    .option("--force", "replace an existing file")
    .action(
      action(async (platform, id: string, { to, force }: { to: string; force?: true }) => {
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
