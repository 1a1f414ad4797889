import { existsSync } from "node:fs";
import { open, readFile, stat } from "node:fs/promises";
import { text } from "node:stream/consumers";
import type { Command } from "commander";
import type { Schemas } from "../../../src/manage/schema-types.ts";
import { importBundle } from "../../../src/runs/bundle/import-bundle.ts";
import type { BundleFile } from "../../../src/runs/bundle/read-archive.ts";
import { CliError } from "../../cli.ts";
import type { Action } from "../action.ts";
import { record } from "../output.ts";
import type { Session } from "../session.ts";
import { writeArchive } from "./write-archive.ts";

export function addBundleCommands(run: Command, action: Action): void {
  run
    .command("export")
    .description("Save everything that is recorded of a run as one file, without secrets (.zip).")
    .argument("<ID>", "ID of the run")
    .option("--output <FILE>", "file to write (default: run-ID.zip)")
    .option("--force", "replace an existing file")
    .action(
      action(async (session, given: string, { output, force }: { output?: string; force?: true }) => {
        const { id } = await session.call<Schemas["RunDetail"]>("get_run", { run_id: given });
        const file = output ?? `run-${id}.zip`;
        if (!force && existsSync(file)) {
          throw new CliError(`${file} exists; pass another --output, or --force to replace it`);
        }
        await writeArchive(file, await session.content("export_run", { run_id: id }));
        const { size } = await stat(file);
        return { text: `Saved run ${id} as ${file} (${size} bytes).`, json: { id, output: file, bytes: size } };
      }),
    );
  run
    .command("import")
    .description("Import an exported run (.zip) as a read-only run of an agent.")
    .argument("<FILE>", "bundle, as run export writes it")
    .requiredOption("--agent <ID>", "agent that the run belongs to here")
    .action(
      action(async (session, file: string, { agent }: { agent: string }) =>
        record(await (session.hasStores ? importHere(session, file, agent) : sendBundle(session, file, agent))),
      ),
    );
}

/** Reads the bundle where it is, whatever its size. */
async function importHere(session: Session, file: string, agent: string): Promise<Schemas["Run"]> {
  const { actor, ...platform } = session.platform();
  await using bundle = await openFile(file);
  const { id } = await importBundle({ ...platform, now: Date.now, actor: await actor() }, agent, bundle);
  return session.call("get_run", { run_id: id });
}

async function sendBundle(session: Session, file: string, agent_id: string): Promise<Schemas["Run"]> {
  const bytes = await readFile(file).catch((error: unknown) => Promise.reject(unreadable(file, error)));
  return JSON.parse(await text(await session.content("import_run", { agent_id }, bytes))) as Schemas["Run"];
}

function unreadable(path: string, error: unknown): CliError {
  return new CliError(`${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
}

/** A bundle on the disk. */
async function openFile(path: string): Promise<BundleFile & AsyncDisposable> {
  const handle = await open(path).catch((error: unknown) => {
    throw unreadable(path, error);
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
