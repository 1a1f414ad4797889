import { scheduler } from "../../async/scheduler.ts";
import type { StoredFile } from "../../sandbox/linux/types.ts";
import { isPathWithin } from "../../filenames.ts";
import { ownersOf, placesFor } from "../../sandbox/places.ts";
import type { ProgramOwner } from "../../sandbox/types.ts";

/**
 * The workspace of a run, as a tool call sees it. Names are paths such as `reports/q3.csv`; there are no folders without
 * files. Other calls see changes when the result is recorded.
 */
export interface Files {
  /** Sorted by name. Sizes in bytes. */
  list(): Promise<FileInfo[]>;
  /** Undefined when the file does not exist. */
  read(name: string): Promise<Uint8Array | undefined>;
  /**
   * Why a file of this name and size cannot be written: its name, its size, or what the workspace has already. For the
   * model. Undefined: it can. Call it within `update`, after the removals of the same call.
   */
  problemOf(file: FileInfo): Promise<string | undefined>;
  /** Replaces a file of the same name. Rejects with a `FileRefused` when `problemOf` names a problem. */
  write(name: string, content: Uint8Array): Promise<void>;
  /** Deletes a file. Nothing happens if it does not exist. */
  remove(name: string): Promise<void>;
  /**
   * All files with the hashes of their contents, which are stored. A sandbox that stores contents itself starts with this:
   * until the call ends, no content of the run is removed.
   */
  stored(): Promise<StoredFile[]>;
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
  return files.some(({ size }) => size > largeFileBytes) ? largeFiles.run(ownersOf(owner), work, signal) : work();
}

/** Reads a file. `problem` is an error text for the model. A name that leaves the workspace reads nothing. */
export async function findFile(files: Files, name: string): Promise<{ bytes: Uint8Array } | { problem: string }> {
  const bytes = isPathWithin(name) ? await files.read(name) : undefined;
  return bytes ? { bytes } : { problem: missingFile(name, await files.list()) };
}

/** The error text for a name that no file has. */
export function missingFile(name: string, files: FileInfo[]): string {
  const inside = files.filter((file) => file.name.startsWith(`${name}/`));
  const namesOf = (listed: FileInfo[]) => joinLimited(listed.map((file) => JSON.stringify(file.name)));
  if (inside.length > 0) return `${JSON.stringify(name)} is a folder. Files in it: ${namesOf(inside)}.`;
  return `There is no file ${JSON.stringify(name)}. Files of the workspace: ${namesOf(files)}.`;
}

export function fileLine({ name, size }: FileInfo): string {
  return `${name} (${size} bytes)`;
}

/** Joins at most 50 items, so that a list in a note does not fill the context window. */
export function joinLimited(items: string[], separator = ", "): string {
  if (items.length === 0) return "none";
  const more = items.length > 50 ? `${separator}and ${items.length - 50} more` : "";
  return items.slice(0, 50).join(separator) + more;
}
