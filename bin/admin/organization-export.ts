import { createWriteStream, existsSync } from "node:fs";
import { rename, rm, stat } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createZstdCompress } from "node:zlib";
import type { Command } from "commander";
import packageFile from "../../package.json" with { type: "json" };
import { findOrganization } from "../../src/accounts/organizations.ts";
import { exportOrganization } from "../../src/manage/export-organization.ts";
import { tar } from "../../src/runs/files/tar.ts";
import { CliError } from "../cli.ts";
import type { Action } from "./action.ts";

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
        const counts = { agents: 0, runs: 0, deliveries: 0, audit: 0 };
        const about = { serviceVersion: packageFile.version, now: Date.now(), counts };
        await writeArchive(to, tar(exportOrganization(platform, organizationId, about)));
        const { size: bytes } = await stat(to);
        const text = `Saved ${counts.agents} agents and ${counts.runs} runs as ${to} (${bytes} bytes).`;
        return { text, json: { id: organizationId, to, bytes, ...counts } };
      }),
    );
}

/** Writes a compressed file whole or not at all. Only its owner may read it. */
async function writeArchive(file: string, content: AsyncIterable<Uint8Array>): Promise<void> {
  const partial = `${file}.partial`;
  try {
    await pipeline(
      Readable.from(content),
      createZstdCompress(),
      createWriteStream(partial, { mode: 0o600, flush: true }),
    );
    await rename(partial, file);
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
}
