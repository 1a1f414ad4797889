import { writeFile } from "node:fs/promises";
import type { Command } from "commander";
import { findRun } from "../../src/runs/read/find-run.ts";
import { listVisibleFiles, readRunFile, type RunFiles, type RunPoint } from "../../src/runs/files/read-files.ts";
import type { Stores } from "../../src/runs/ports.ts";
import { CliError, type FileIo } from "../cli.ts";
import type { Action } from "./action.ts";
import { printableLine } from "../printable.ts";
import { turnStepOf } from "./option-values.ts";
import { type Output, record } from "./output.ts";

export const atOption = ["--at <TURN.STEP>", "after this step, such as 1.3; 1.0: before the first step"] as const;

interface FileOptions {
  at?: string;
  output?: string;
  force?: true;
}

export function addFileCommand(run: Command, action: Action, io: FileIo): void {
  run
    .command("file")
    .description("Save or print a file of a run, as it is now or after a step.")
    .argument("<ID>", "run")
    .argument("<NAME>", "file, as run show --files prints it")
    .option(...atOption)
    .option("--output <FILE>", "file to write; - for standard output, the default when that is not a terminal")
    .option("--force", "replace an existing file")
    .action(
      action(async (stores, id: string, name: string, { at, output, force }: FileOptions) => {
        // With --json, the content is base64.
        const isJson = run.optsWithGlobals<{ json?: true }>().json === true;
        if (output === undefined && io.isTerminal && !isJson) {
          throw new CliError(
            "standard output is a terminal; pass --output FILE to save the file, or --output - to print it",
          );
        }
        const point = pointOf(at);
        const { run: found } = await findRun(stores.runs, id);
        const { file, content } = await readRunFile(stores, found.id, name, point);
        if (output === undefined || output === "-") {
          const json = { ...file, content_base64: Buffer.from(content).toString("base64") };
          return { bytes: content, json };
        }
        await save(output, content, force === true);
        return {
          text: `Saved ${printableLine(name)} (${content.length} bytes) as ${output}.`,
          json: { ...file, output },
        };
      }),
    );
}

/** The answer to `run show --files`. */
export async function filesOutput(
  stores: Pick<Stores, "runs" | "workspace">,
  id: string,
  at: string | undefined,
): Promise<Output> {
  const point = pointOf(at);
  const { run } = await findRun(stores.runs, id);
  const { manifest, files } = await listVisibleFiles(stores, run.id, point);
  const head = record({ files: files.length, manifest });
  return { text: [head.text, ...fileLines({ files })].join("\n"), json: { at, manifest, files } };
}

/** One line per file. A file without a hash was written by version 0.1. */
export function fileLines({ files }: Pick<RunFiles, "files">): string[] {
  return files.map(({ name, size, sha256 = "no hash" }) => `  ${printableLine(name)} (${size} bytes)  ${sha256}`);
}

function pointOf(at: string | undefined): RunPoint | undefined {
  return at === undefined ? undefined : turnStepOf("--at", at, ", or 1.0 for before the first step");
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
