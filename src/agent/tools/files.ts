import { semaphore } from "../../async/semaphore.ts";
import type { StoredFile } from "../../sandbox/linux/types.ts";
import { filenameProblem, isFlatName, namesCollide } from "../../filenames.ts";
import { workspaceLimits } from "./definitions.ts";

/** The workspace of a run, as a tool call sees it. Names are flat. Other calls see changes when the result is recorded. */
export interface Files {
  /** Sorted by name. Sizes in bytes. */
  list(): Promise<FileInfo[]>;
  /** Undefined when the file does not exist. */
  read(name: string): Promise<Uint8Array | undefined>;
  /** Replaces a file of the same name. */
  write(name: string, content: Uint8Array): Promise<void>;
  /** Deletes a file. Nothing happens if it does not exist. */
  remove(name: string): Promise<void>;
  /**
   * All files with the hashes of their contents, which are stored. A sandbox that stores contents itself starts with this:
   * until the call ends, no content of the run is removed.
   */
  stored(): Promise<StoredFile[]>;
  /** Writes a file whose content is stored already. */
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

/** Bytes above which one file at a time is held in memory by the tools of this process. */
const largeFileBytes = 16 * 1024 * 1024;
const oneLargeFile = semaphore(1);

/** Runs `work`, which reads the files one after the other. Waits for the work on other large files if one is large. */
export function withLargeFiles<Value>(files: FileInfo[], work: () => Promise<Value>): Promise<Value> {
  return files.some(({ size }) => size > largeFileBytes) ? oneLargeFile(work) : work();
}

/** Reads a file. `problem` is an error text for the model. A name with a path reads nothing. */
export async function findFile(files: Files, name: string): Promise<{ bytes: Uint8Array } | { problem: string }> {
  const bytes = isFlatName(name) ? await files.read(name) : undefined;
  if (bytes) return { bytes };
  const names = (await files.list()).map((file) => JSON.stringify(file.name));
  return { problem: `There is no file ${JSON.stringify(name)}. Files of the workspace: ${joinLimited(names)}.` };
}

/**
 * Why a file with this name cannot be written to a workspace that has the files `existing`; undefined when it can. A
 * caller that writes several files adds each accepted name to `existing`.
 */
export function newNameProblem(name: string, existing: { name: string }[]): string | undefined {
  const problem = filenameProblem(name);
  if (problem !== undefined) return problem;
  if (existing.some((file) => file.name === name)) return undefined;
  const twin = existing.find((file) => namesCollide(file.name, name));
  if (twin) return `The name differs from the existing file ${twin.name} only in case. Use that name or another one.`;
  if (existing.length < workspaceLimits.files) return undefined;
  return (
    `The workspace has ${existing.length} files; at most ${workspaceLimits.files} are accepted. ` +
    "Replace an existing file instead."
  );
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
