import { existsSync } from "node:fs";
import { stat } from "node:fs/promises";
import type { Command } from "commander";
import { openBundle } from "../../src/runs/bundle/export-bundle.ts";
import { CliError } from "../cli.ts";
import type { Action } from "./action.ts";
import { writeArchive } from "./write-archive.ts";

export function addBundleCommands(run: Command, action: Action): void {
  run
    .command("export")
    .description("Save everything that is recorded of a run as one file, without secrets (.zip).")
    .argument("<ID>", "run")
    .option("--output <FILE>", "file to write (default: run-ID.zip)")
    .option("--force", "replace an existing file")
    .action(
      action(async (platform, id: string, { output, force }: { output?: string; force?: true }) => {
        const { run: found, bytes } = await openBundle(platform, id);
        const file = output ?? `run-${found.id}.zip`;
        if (!force && existsSync(file)) {
          throw new CliError(`${file} exists; pass another --output, or --force to replace it`);
        }
        await writeArchive(file, bytes);
        const { size } = await stat(file);
        return {
          text: `Saved run ${found.id} as ${file} (${size} bytes).`,
          json: { id: found.id, output: file, bytes: size },
        };
      }),
    );
}
