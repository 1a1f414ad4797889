import { randomUUID } from "node:crypto";
import { chownSync, constants, lstatSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { chmod, copyFile, mkdir, readdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { settleAll } from "../../async/settle-all.ts";
import { semaphore } from "../../async/semaphore.ts";
import type { ContentFolder, StoredFile } from "./types.ts";

/** Links that are made at the same time: more only wait for the four threads that Node has for files. */
const concurrentLinks = 16;

/** Users of programs that run now. A file that one of them owns must not change its owner. */
export type ActiveUsers = ReadonlyMap<number, unknown>;

/**
 * Makes `folder`, with the files of a workspace as further names of their stored contents. `owner`: the user of the program,
 * who must own the files to change their modes in the overlay.
 */
export async function linkFiles(
  folder: string,
  files: readonly StoredFile[],
  contents: ContentFolder,
  owner?: { user: number; active: ActiveUsers },
): Promise<void> {
  await mkdir(folder, { mode: 0o755 });
  const limited = semaphore(concurrentLinks);
  const folders = new Set(files.flatMap(({ name }) => parentsOf(name)));
  // Shorter paths first: a parent is made before its children.
  for (const path of [...folders].toSorted((a, b) => a.length - b.length)) {
    await mkdir(join(folder, path), { mode: 0o755 });
    if (owner) chownSync(join(folder, path), owner.user, owner.user);
  }
  await settleAll(
    files.map(({ name, sha256 }) =>
      limited(async () => {
        const path = join(folder, name);
        await contents.link(sha256, path);
        if (owner) giveTo(path, owner.user, owner.active);
      }),
    ),
  );
}

/**
 * The contents of a run, of which a program gets copies: it writes to the files themselves. `folder`: an existing one that the
 * program cannot reach, on the file system of the store.
 */
export function copiedContents(contents: ContentFolder, folder: string): ContentFolder {
  return {
    ...contents,
    async link(sha256, path) {
      const stored = join(folder, randomUUID());
      await contents.link(sha256, stored);
      await copyFile(stored, path, constants.COPYFILE_FICLONE);
      await rm(stored);
      await chmod(path, 0o644);
    },
  };
}

/** Without a pause between the check and the change, so that two programs cannot both take a file. */
function giveTo(path: string, user: number, active: ActiveUsers): void {
  const { uid } = lstatSync(path);
  if (uid === user) return;
  // An upload can be a file of two runs. While a program of the other one runs, this one gets a copy.
  if (active.has(uid)) {
    const content = readFileSync(path);
    rmSync(path);
    writeFileSync(path, content);
  }
  chownSync(path, user, user);
}

function parentsOf(name: string): string[] {
  const parents: string[] = [];
  for (let path = dirname(name); path !== "."; path = dirname(path)) parents.push(path);
  return parents;
}

/** Deletes a folder that a program could write to. It may have made its folders unreadable. */
export async function removeFolder(folder: string): Promise<void> {
  try {
    await rm(folder, { recursive: true, force: true });
  } catch {
    await makeReadable(folder);
    await rm(folder, { recursive: true, force: true });
  }
}

/** Undoes changes of modes that a program made, as far as the service may. No process of the program is alive. */
export async function makeReadable(folder: string): Promise<void> {
  await chmod(folder, 0o700).catch(() => {});
  for (const entry of await readdir(folder, { withFileTypes: true, encoding: "buffer" }).catch(() => [])) {
    const path = join(folder, entry.name.toString());
    if (entry.isDirectory()) await makeReadable(path);
    else if (entry.isFile()) await chmod(path, 0o600).catch(() => {});
  }
}
