import { chmodSync, linkSync, lchownSync, lutimesSync, readFileSync, rmSync, symlinkSync, utimesSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { settleAll } from "../../async/settle-all.ts";
import { semaphore } from "../../async/semaphore.ts";
import type { ContentFolder } from "./content-folder.ts";
import type { StoredFile } from "./linux-types.ts";

/** Files that are made at the same time: more only wait for the four threads that Node has for files. */
const concurrentFiles = 16;

/** Bits of permissions that a file has if none are recorded. */
export const defaultModes = { file: 0o644, folder: 0o755 };

/**
 * Makes the files of a workspace in a folder, which exists and is empty, with their times, permissions and links. Each name
 * gets an inode of its own, unless a program linked it to another. `make`: makes a file at a path, with any mode, that nothing
 * else is a name of, and resolves with the time of its storing if the file has none. `user`: who owns all of it.
 */
export async function layOutFiles(
  folder: string,
  files: readonly StoredFile[],
  make: (file: StoredFile, path: string) => Promise<number>,
  user?: number,
): Promise<void> {
  const limited = semaphore(concurrentFiles);
  const explicit = files.filter(({ kind }) => kind === "folder");
  // Shorter paths first: a parent is made before its children.
  const folders = [...new Set([...foldersOf(files), ...explicit.map(({ name }) => name)])];
  folders.sort((a, b) => a.length - b.length);
  for (const path of folders) await mkdir(join(folder, path), 0o700);
  const times = new Map<string, number>();
  const { first, others } = linkedFiles(files);
  await settleAll(
    first.map((file) =>
      limited(async () => {
        const stored = await make(file, join(folder, file.name));
        times.set(file.name, file.mtime ?? stored);
      }),
    ),
  );
  for (const [file, target] of others) {
    linkSync(join(folder, target), join(folder, file.name));
    times.set(file.name, times.get(target) ?? 0);
  }
  // Links last, so that nothing is made through one.
  for (const { name, kind } of first) if (kind === "link") makeLink(join(folder, name));
  finish(folder, { files, folders: folders.toReversed(), times, user });
}

/** The regular files and links of which each is made, and hard links with the name that each is a link of. */
function linkedFiles(files: readonly StoredFile[]): { first: StoredFile[]; others: [StoredFile, string][] } {
  const names = new Map<string, string>();
  const first: StoredFile[] = [];
  const others: [StoredFile, string][] = [];
  for (const file of files) {
    if (file.kind === "folder") continue;
    const group = file.linked === undefined || file.kind !== undefined ? undefined : `${file.linked} ${file.sha256}`;
    const target = group === undefined ? undefined : names.get(group);
    if (target === undefined) first.push(file);
    else others.push([file, target]);
    if (group !== undefined && target === undefined) names.set(group, file.name);
  }
  return { first, others };
}

/** Replaces a file by a link with the file's content as its target. */
function makeLink(path: string): void {
  const target = readFileSync(path);
  rmSync(path);
  symlinkSync(target, path);
}

interface Made {
  files: readonly StoredFile[];
  /** Inner ones first. */
  folders: string[];
  /** Microseconds by name. */
  times: Map<string, number>;
  user: number | undefined;
}

/** Sets owners, permissions and times. Those of a folder after those of all that is in it. */
function finish(folder: string, { files, folders, times, user }: Made): void {
  const give = (path: string): void => {
    if (user !== undefined) lchownSync(path, user, user);
  };
  /** The newest entry of each folder: the time of one that has none of its own. */
  const newest = new Map<string, number>();
  const count = (name: string, time: number): void => {
    const parent = dirname(name);
    newest.set(parent, Math.max(newest.get(parent) ?? -Infinity, time));
  };
  for (const { name, kind, mode = defaultModes.file } of files) {
    if (kind === "folder") continue;
    const [path, time] = [join(folder, name), times.get(name) ?? 0];
    give(path);
    if (kind === "link") lutimesSync(path, seconds(time), seconds(time));
    else {
      chmodSync(path, mode);
      utimesSync(path, seconds(time), seconds(time));
    }
    count(name, time);
  }
  const entries = new Map(files.map((file) => [file.name, file]));
  for (const name of folders) {
    const { mode = defaultModes.folder, mtime } = entries.get(name) ?? {};
    const [path, time] = [join(folder, name), mtime ?? newest.get(name) ?? 0];
    give(path);
    chmodSync(path, mode);
    utimesSync(path, seconds(time), seconds(time));
    count(name, time);
  }
  give(folder);
  const time = newest.get(".");
  if (time !== undefined) utimesSync(folder, seconds(time), seconds(time));
}

/** Makes a file as a copy of its content. */
export function copyOf({ copy, timeOf }: Pick<ContentFolder, "copy" | "timeOf">) {
  return async ({ sha256, mtime }: StoredFile, path: string): Promise<number> => {
    await copy(sha256, path);
    return mtime ?? timeOf(sha256);
  };
}

function seconds(microseconds: number): number {
  return microseconds / 1e6;
}

/** The folders of files and folders. */
export function foldersOf(files: readonly Pick<StoredFile, "name">[]): Set<string> {
  return new Set(files.flatMap(({ name }) => parentsOf(name)));
}

/** The folders of a path, innermost first. */
function parentsOf(name: string): string[] {
  const parents: string[] = [];
  for (let path = dirname(name); path !== "."; path = dirname(path)) parents.push(path);
  return parents;
}
