import { createHash } from "node:crypto";
import { constants, type Dirent } from "node:fs";
import { lstat, open, readdir } from "node:fs/promises";
import { join } from "node:path";
import { filenameProblem } from "../../filenames.ts";
import type { ContentFolder, LinuxResult, StoredFile } from "./types.ts";

/** Where the files of a program are after its end. No process of the program may be alive. */
export interface EndedWorkspace {
  /** The workspace as the program left it. */
  folder: string;
  /** A folder with only the files that the program wrote, at the same paths. Absent: it is not known which those are. */
  written?: string;
  /** The files at the start of the program. */
  before: readonly StoredFile[];
}

/** Bytes of a path in a workspace. The kernel itself cannot open paths of more than 4,096 bytes. */
const maxPathBytes = 1_000;
/** Levels of folders. Deeper ones are not saved. */
const maxDepth = 32;
/** Names that one note lists. */
const maxNames = 20;

/**
 * Finds what a program changed, by content, and stores it. Links and special files are never opened. A file that cannot be
 * saved is named in a note.
 */
export async function collectChanges(
  { folder, written, before }: EndedWorkspace,
  store: ContentFolder["store"],
  limits: { files: number; fileBytes: number },
): Promise<Pick<LinuxResult, "changed" | "deleted" | "notes">> {
  const original = new Map(before.map((file) => [file.name, file]));
  const found = await listTree(folder, limits.files);
  const candidates = written === undefined ? found.names : await namesIn(written, found.names);
  const different: string[] = [];
  const tooLarge: string[] = [];
  for (const name of candidates) {
    const path = join(folder, name);
    const { size } = await lstat(path);
    if (size > limits.fileBytes) {
      tooLarge.push(`${name} (${size} bytes)`);
      continue;
    }
    const earlier = original.get(name);
    if (earlier?.size === size && earlier.sha256 === (await sha256OfFile(path))) continue;
    different.push(name);
  }
  const contents = different.length > 0 ? await store(different.map((name) => join(folder, name))) : [];
  const changed = contents.map(({ sha256, size }, index): StoredFile => ({
    name: different[index] ?? "",
    size,
    sha256,
  }));
  const notes = [...found.notes];
  if (tooLarge.length > 0) notes.push(note(`larger than ${limits.fileBytes} bytes`, tooLarge));
  const present = new Set(found.names);
  // A listing that was cut says nothing about the rest.
  const deleted = found.complete ? before.map(({ name }) => name).filter((name) => !present.has(name)) : [];
  return { changed, deleted, notes };
}

/** Those of `names` that are files below a folder. */
async function namesIn(folder: string, names: string[]): Promise<string[]> {
  const { names: present } = await listTree(folder, Number.POSITIVE_INFINITY);
  const known = new Set(present);
  return names.filter((name) => known.has(name));
}

interface Tree {
  /** Paths of the regular files, relative to the folder. */
  names: string[];
  /** False: there are more files than could be listed. */
  complete: boolean;
  notes: string[];
}

/** Lists the regular files below a folder. */
async function listTree(folder: string, maxFiles: number): Promise<Tree> {
  const names: string[] = [];
  const wrongNames: string[] = [];
  const special: string[] = [];
  const empty: string[] = [];
  let complete = true;

  async function visit(path: string, depth: number): Promise<void> {
    const entries = await readdir(join(folder, path), { withFileTypes: true, encoding: "buffer" });
    if (entries.length === 0 && path !== "") empty.push(path);
    for (const entry of entries) {
      if (names.length >= maxFiles) {
        complete = false;
        return;
      }
      const segment = entry.name.toString();
      const name = path === "" ? segment : `${path}/${segment}`;
      // A name that is not UTF-8 reads back as another one.
      const isUtf8 = Buffer.from(segment).equals(entry.name);
      const isTooLong = Buffer.byteLength(name) > maxPathBytes;
      if (!isUtf8 || isTooLong || filenameProblem(segment) !== undefined)
        wrongNames.push(JSON.stringify(name.slice(-200)));
      else if (entry.isDirectory() && depth < maxDepth) await visit(name, depth + 1);
      else if (entry.isFile()) names.push(name);
      else special.push(`${name} (${kindOf(entry)})`);
    }
  }

  await visit("", 0);
  const notes = [
    ...(wrongNames.length > 0 ? [note("their names are not accepted", wrongNames)] : []),
    ...(special.length > 0 ? [note("only files are kept", special)] : []),
    ...(empty.length > 0 ? [note("empty folders are not kept", empty)] : []),
    ...(complete
      ? []
      : [`Not saved, because a workspace has at most ${maxFiles} files: all files after the first ${maxFiles}.`]),
  ];
  return { names, complete, notes };
}

function note(reason: string, names: string[]): string {
  const more = names.length > maxNames ? `, and ${names.length - maxNames} more` : "";
  return `Not saved, because ${reason}: ${names.slice(0, maxNames).join(", ")}${more}.`;
}

function kindOf(entry: Dirent<Buffer>): string {
  if (entry.isSymbolicLink()) return "symbolic link";
  if (entry.isDirectory()) return `folder below ${maxDepth} others`;
  return entry.isFIFO() ? "pipe" : entry.isSocket() ? "socket" : "device";
}

/** Never follows a link, and never waits for a writer. */
export const openUntrusted = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** SHA-256 (hex) of a file that a program wrote. */
export async function sha256OfFile(path: string): Promise<string> {
  const handle = await open(path, openUntrusted);
  const hash = createHash("sha256");
  for await (const part of handle.createReadStream({ highWaterMark: 1024 * 1024 })) hash.update(part as Buffer);
  return hash.digest("hex");
}
