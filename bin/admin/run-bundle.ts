import { existsSync } from "node:fs";
import { open, stat } from "node:fs/promises";
import type { Command } from "commander";
import { openBundle } from "../../src/runs/bundle/export-bundle.ts";
import { importBundle } from "../../src/runs/bundle/import-bundle.ts";
import type { BundleFile } from "../../src/runs/bundle/read-archive.ts";
import { CliError } from "../cli.ts";
import type { Action } from "./action.ts";
import { record } from "./output.ts";
import { runFields } from "./run-fields.ts";
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
  run
    .command("import")
    .description("Create a read-only run of an agent from an exported one (.zip).")
    .argument("<FILE>", "bundle, as run export writes it")
    .requiredOption("--agent <ID>", "agent that the run belongs to here")
    .action(
      action(async ({ actor, ...platform }, file: string, { agent }: { agent: string }) => {
        await using bundle = await openFile(file);
        const imported = await importBundle({ ...platform, now: Date.now, actor: await actor() }, agent, bundle);
        return record(runFields(imported));
      }),
    );
}

/** A bundle on the disk. */
async function openFile(path: string): Promise<BundleFile & AsyncDisposable> {
  const handle = await open(path).catch((error: unknown) => {
    throw new CliError(`${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  });
  const { size } = await handle.stat();
  return {
    size,
    async read(start, length) {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, start);
      return buffer.subarray(0, bytesRead);
    },
    [Symbol.asyncDispose]: () => handle.close(),
  };
}
