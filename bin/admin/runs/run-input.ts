import { readFile, stat } from "node:fs/promises";
import { basename } from "node:path";
import { buffer } from "node:stream/consumers";
import { isUtf8 } from "node:buffer";
import { maxBodyBytes } from "../../../src/http/server/read-body.ts";
import { safeFilenames } from "../../../src/filenames.ts";
import type { FileInput } from "../../../src/http/validation/base64-files.ts";
import { isObject } from "../../../src/json.ts";
import { newRunLimits } from "../../../src/runs/begin/new-run-limits.ts";
import { CliError } from "../../cli.ts";
import { printableLine } from "../../printable.ts";

const MiB = 1024 * 1024;
const maxDefaultName = 80;

/** Where the input of a new run comes from. `dash`: the argument `-`. */
export interface InputSource {
  text?: string;
  textFile?: string;
  dash?: string | undefined;
}

/** Reads the input of a new run. Exactly one source must be given. */
export async function readInput({ text, textFile, dash }: InputSource): Promise<string> {
  if (dash !== undefined && dash !== "-") {
    throw new CliError(`run start does not take ${JSON.stringify(dash)}; pass the input with --text TEXT`);
  }
  const given = [text, textFile, dash].filter((source) => source !== undefined).length;
  if (given !== 1) {
    const problem = given === 0 ? "the input is missing" : "the input is given more than once";
    throw new CliError(`${problem}; pass one of --text TEXT, --text-file FILE or - (standard input)`);
  }
  if (text !== undefined) return nonEmpty(text, "--text");
  return nonEmpty(...(await textIn("--text-file", textFile ?? "-")));
}

/** Reads the text of a file that an option names; `-`: of standard input. */
export async function readInputText(option: string, path: string): Promise<string> {
  const [text] = await textIn(option, path);
  return text;
}

/** The text, and its source for errors. */
async function textIn(option: string, path: string): Promise<[text: string, source: string]> {
  const source = path === "-" ? "standard input" : `${option} ${path}`;
  const bytes = path === "-" ? await buffer(process.stdin) : await contentOf(option, path, maxBodyBytes);
  return [decoded(bytes, source), source];
}

function decoded(bytes: Buffer, source: string): string {
  if (bytes.length > maxBodyBytes) throw tooLarge(source, bytes.length, maxBodyBytes);
  if (!isUtf8(bytes)) throw new CliError(`${source} is not UTF-8 text; pass other data with --file`);
  return bytes.toString();
}

function nonEmpty(text: string, source: string): string {
  if (text.trim() === "") throw new CliError(`${source} is empty; pass the input of the run`);
  return text;
}

/** The name of a new run: the given one, or the beginning of its input. */
export function defaultRunName(given: string | undefined, input: string): string {
  if (given === undefined) return printableLine(input.trim().split("\n", 1)[0] ?? "", maxDefaultName);
  const { length } = [...given];
  if (length > 0 && length <= newRunLimits.nameLength) return given;
  throw new CliError(`--name has ${length} characters; expected 1 to ${newRunLimits.nameLength}`);
}

/** Reads the files of a new run. Checks their number, names and sizes before any content is read. */
export async function readFiles(paths: string[]): Promise<FileInput[]> {
  const { files: most, fileBytes } = newRunLimits;
  if (paths.length > most)
    throw new CliError(`--file is given ${paths.length} times; a run takes at most ${most} files`);
  requireDistinctNames(paths);
  const sizes = await Promise.all(paths.map((path) => sizeOf("--file", path)));
  const total = sizes.reduce((sum, size) => sum + size, 0);
  if (total > fileBytes) {
    const each = paths.map((path, index) => `${basename(path)} ${sizeText(sizes[index] ?? 0)}`).join(", ");
    throw new CliError(
      `the files have ${sizeText(total)} together; a run takes at most ${sizeText(fileBytes)} (${each})`,
    );
  }
  return Promise.all(
    paths.map(async (path) => {
      const content = await contentOf("--file", path, fileBytes);
      return { filename: basename(path), content_base64: content.toString("base64") };
    }),
  );
}

/** Rejects files that the workspace would have to rename: the input may refer to them by name. */
function requireDistinctNames(paths: string[]): void {
  const uniqueName = safeFilenames();
  const taken = new Map<string, string>();
  for (const path of paths) {
    const name = safeFilenames()(basename(path));
    const unique = uniqueName(basename(path));
    const other = [...taken].find(([earlier]) => earlier.toLowerCase() === name.toLowerCase())?.[1];
    if (unique !== name) {
      throw new CliError(
        `--file ${other ?? path} and --file ${path} have the same name in the run, ${name}; rename one`,
      );
    }
    taken.set(name, path);
  }
}

async function sizeOf(option: string, path: string): Promise<number> {
  const found = await stat(path).catch((error: unknown) => Promise.reject(unreadable(option, path, error)));
  if (found.isDirectory())
    throw new CliError(`${option} ${path} is a directory; pass its files, or a ZIP archive of them`);
  if (!found.isFile()) throw new CliError(`${option} ${path} is not a regular file`);
  return found.size;
}

async function contentOf(option: string, path: string, maxBytes: number): Promise<Buffer> {
  const size = await sizeOf(option, path);
  if (size > maxBytes) throw tooLarge(`${option} ${path}`, size, maxBytes);
  return readFile(path).catch((error: unknown) => Promise.reject(unreadable(option, path, error)));
}

function unreadable(option: string, path: string, error: unknown): CliError {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === "ENOENT") return new CliError(`${option} ${path} does not exist`);
  if (code === "EACCES") return new CliError(`${option} ${path} cannot be read: permission denied`);
  return new CliError(`${option} ${path} cannot be read: ${message}`);
}

function tooLarge(source: string, size: number, maxBytes: number): CliError {
  return new CliError(`${source} is too large: ${sizeText(size)}; at most ${sizeText(maxBytes)} are accepted`);
}

function sizeText(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`;
  return bytes < MiB ? `${(bytes / 1024).toFixed(1)} KiB` : `${(bytes / MiB).toFixed(1)} MiB`;
}

/** Reads the schema of a run's results. */
export async function readSchema(path: string | undefined): Promise<object | undefined> {
  if (path === undefined) return undefined;
  const source = `--result-schema ${path}`;
  const text = nonEmpty(decoded(await contentOf("--result-schema", path, maxBodyBytes), source), source);
  let schema: unknown;
  try {
    schema = JSON.parse(text);
  } catch (error) {
    throw new CliError(`--result-schema ${path} is not JSON: ${(error as Error).message}`);
  }
  if (!isObject(schema)) throw new CliError(`--result-schema ${path} is no JSON object; expected a JSON Schema`);
  return schema;
}
