import { scheduler } from "../../../async/scheduler.ts";
import type { FileMetadata, Room, StoredFile } from "../../../sandbox/linux/linux-types.ts";
import { isPathWithin } from "../../../filenames.ts";
import { schedulerOwners, placesFor } from "../../../sandbox/places.ts";
import { findName } from "./find-name.ts";
import type { ProgramOwner } from "../../../sandbox/sandbox-types.ts";

/**
 * The workspace of a run, as a tool call sees it. Names are paths such as `reports/q3.csv`; there are no folders without
 * files. Other calls see changes when the result is recorded.
 */
export interface Files {
  /** Sorted by name. Sizes in bytes. */
  list(): Promise<FileInfo[]>;
  /** Symbolic links and empty folders, which the other methods leave out. Sorted by name. */
  others(): Promise<OtherFile[]>;
  /** The target of a symbolic link, as a program wrote it. Undefined: the name is none. */
  linkTarget(name: string): Promise<string | undefined>;
  /** Undefined when the file does not exist. */
  read(name: string): Promise<Uint8Array | undefined>;
  /**
   * Why a file of this name and size cannot be written: its name, its size, or what the workspace has already. For the
   * model. Undefined: it can. `isOfProgram`: a program made it, and chose its name. Call it within `update`, after the removals of the same call.
   */
  problemOf(file: FileInfo & FileMetadata, isOfProgram?: boolean): Promise<string | undefined>;
  /** Replaces a file of the same name. Rejects with a `FileRefused` when `problemOf` names a problem. */
  write(name: string, content: Uint8Array): Promise<void>;
  /** Deletes a file. Nothing happens if it does not exist. */
  remove(name: string): Promise<void>;
  /**
   * All files with the hashes of their contents, which are stored. A sandbox that stores contents itself starts with this:
   * until the call ends, no content of the run is removed.
   */
  stored(): Promise<StoredFile[]>;
  /** Bytes that all files may have together for a sandbox that stores contents itself. Call it with `stored`. */
  room(): Promise<Room>;
  /** Contents that a sandbox stored, and that no file has. They are removed unless another file has them. */
  release(sha256s: string[]): void;
  /** Writes a file whose content is stored already. Rejects as `write` does. */
  adopt(file: StoredFile): Promise<void>;
  /**
   * Runs `work` after the updates of earlier calls, with their changes. Required for every read followed by a write: a
   * model may ask for two edits of one file in one answer, and the second must see the result of the first.
   */
  update<Value>(work: () => Promise<Value>): Promise<Value>;
}

export interface FileInfo {
  name: string;
  size: number;
}

/** A symbolic link or an empty folder. */
export interface OtherFile extends FileInfo {
  kind?: FileMetadata["kind"];
}

/** A file that cannot be written. The message is for the model. */
export class FileRefused extends Error {}

/** Bytes above which the tools of this process hold two files at a time in memory, of one organization one. */
const largeFileBytes = 16 * 1024 * 1024;
const largeFiles = scheduler(placesFor("large files", 2));

/** Runs `work`, which reads the files one after the other. If one is large, waits for the work on other large files. `owner`: whose call it is. */
export function withLargeFiles<Value>(
  files: FileInfo[],
  { owner, signal }: { owner?: ProgramOwner; signal: AbortSignal },
  work: () => Promise<Value>,
): Promise<Value> {
  return files.some(({ size }) => size > largeFileBytes)
    ? largeFiles.run(schedulerOwners(owner), work, signal)
    : work();
}

/** A file with its content. `name`: its own. `note`: see `NamedFile`. */
export interface FoundFile {
  name: string;
  bytes: Uint8Array;
  note?: string;
}

/** Reads a file, see `findName`. `problem` is an error text for the model. A name that leaves the workspace reads nothing. */
export async function findFile(files: Files, name: string): Promise<FoundFile | { problem: string }> {
  const exact = isPathWithin(name) ? await files.read(name) : undefined;
  if (exact) return { name, bytes: exact };
  const target = await files.linkTarget(name);
  if (target !== undefined) {
    const link = `${JSON.stringify(name)} is a symbolic link to ${JSON.stringify(target)}`;
    return { problem: `${link}. Use the name of that file.` };
  }
  const listed = await files.list();
  const found = findName(listed, name);
  const bytes = found && isPathWithin(found.file.name) ? await files.read(found.file.name) : undefined;
  if (!found || !bytes) return { problem: missingFile(name, listed) };
  return { name: found.file.name, bytes, ...(found.note !== undefined && { note: found.note }) };
}

/** The error text for a name that no file has. */
export function missingFile(name: string, files: FileInfo[]): string {
  const inside = files.filter((file) => file.name.startsWith(`${name}/`));
  const namesOf = (listed: FileInfo[]) => joinLimited(listed.map((file) => JSON.stringify(file.name)));
  if (inside.length > 0) return `${JSON.stringify(name)} is a folder. Files in it: ${namesOf(inside)}.`;
  return `There is no file ${JSON.stringify(name)}. Files of the workspace: ${namesOf(files)}.`;
}

export function fileLine({ name, size, kind }: OtherFile): string {
  if (kind === "link") return `${name} (symbolic link)`;
  if (kind === "folder") return `${name}/ (empty folder)`;
  return `${name} (${size} bytes)`;
}

/** Joins at most 50 items, so that a list in a note does not fill the context window. */
export function joinLimited(items: string[], separator = ", "): string {
  if (items.length === 0) return "none";
  const more = items.length > 50 ? `${separator}and ${items.length - 50} more` : "";
  return items.slice(0, 50).join(separator) + more;
}
