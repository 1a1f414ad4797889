import { writeFile } from "node:fs/promises";
import { buffer } from "node:stream/consumers";
import type { Command } from "commander";
import type { SharedSchemas } from "../../../src/http/rest/schemas/schema-types.ts";
import { CliError, type FileIo } from "../../cli.ts";
import { printableLine } from "../../printable.ts";
import type { Action } from "../action.ts";
import type { Caller } from "../call.ts";

export const atOption = ["--at <TURN.STEP>", "after this step, such as 1.3; 1.0: before the first step"] as const;

type RunFile = SharedSchemas["RunFile"];

interface FileOptions {
  at?: string;
  output?: string;
  force?: true;
}

export function addFileCommand(run: Command, action: Action, io: FileIo): void {
  run
    .command("file")
    .description("Save or print a file of a run, as it is now or after a step.")
    .argument("<ID>", "ID of the run")
    .argument("<NAME>", "file, as run show --files prints it")
    .option(...atOption)
    .option("--output <FILE>", "file to write; - for standard output, the default when that is not a terminal")
    .option("--force", "replace an existing file")
    .action(
      action(async (session, run_id: string, name: string, { at, output, force }: FileOptions) => {
        // With --json, the content is base64.
        const isJson = run.optsWithGlobals<{ json?: true }>().json === true;
        if (output === undefined && io.isTerminal && !isJson) {
          throw new CliError(
            "standard output is a terminal; pass --output FILE to save the file, or --output - to print it",
          );
        }
        const bytes = await buffer(await session.content("get_file", { run_id, name, at }));
        const file = isJson ? (await runFilesOf(session, run_id, at)).find((each) => each.name === name) : undefined;
        if (output === undefined || output === "-") {
          return { bytes, json: { ...file, content_base64: bytes.toString("base64") } };
        }
        await save(output, bytes, force === true);
        return {
          text: `Saved ${printableLine(name)} (${bytes.length} bytes) as ${output}.`,
          json: { ...file, output },
        };
      }),
    );
}

/** The files of a run, now or after a step. */
export async function runFilesOf({ call }: Caller, run_id: string, at?: string): Promise<RunFile[]> {
  return (await call<SharedSchemas["RunFilePage"]>("list_files", { run_id, at })).data;
}

/** One line per file. */
export function fileLines(files: RunFile[]): string[] {
  return files.map(({ name, size, sha256 }) => `  ${printableLine(name)} (${size} bytes)  ${sha256 ?? "no hash"}`);
}

async function save(path: string, content: Uint8Array, replace: boolean): Promise<void> {
  try {
    await writeFile(path, content, { flag: replace ? "w" : "wx" });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") throw new CliError(`${path} exists; pass another --output, or --force to replace it`);
    throw new CliError(`--output ${path} cannot be written: ${message}`);
  }
}
