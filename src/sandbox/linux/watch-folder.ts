import type { StatsFs } from "node:fs";
import { lstat, readdir, statfs } from "node:fs/promises";
import type { LinuxLimits } from "./linux-limits.ts";

const watchMilliseconds = 50;
/** A look that takes longer says nothing about now: a program can write 400 MB in a second. */
const maxLookMilliseconds = 1_000;
/** Less than this share of the disk is left: a program that has taken much of it has to end, also by files that have no name. */
const leastFree = 0.1;

type Limits = Pick<LinuxLimits, "diskBytes" | "inodes" | "files">;

const slash = Buffer.from("/"); // names of files need not be UTF-8

/** What a look found out. */
class Exceeded extends Error {}

/** Watches a folder on a disk that a program can fill. Calls `stop` with a sentence. Returns a function that ends it. */
export function watchFolder(folder: string, limits: Limits, stop: (problem: string) => void): () => void {
  const started = statfs(folder);
  started.catch(() => {});
  let timer: NodeJS.Timeout;
  let ended = false;
  async function look(): Promise<void> {
    try {
      await lookAt(folder, limits);
      checkDisk(await started, await statfs(folder), limits);
    } catch (error) {
      if (error instanceof Exceeded && !ended) stop(error.message);
    }
    if (!ended) timer = setTimeout(() => void look(), watchMilliseconds);
  }
  timer = setTimeout(() => void look(), watchMilliseconds);
  return () => {
    ended = true;
    clearTimeout(timer);
  };
}

/** Adds up the files of a folder. Rejects when they exceed a limit, and when that cannot be found out. */
async function lookAt(root: string, { diskBytes, inodes, files }: Limits): Promise<void> {
  const startedAt = performance.now();
  let bytes = 0;
  let entries = 0;
  async function visit(folder: Buffer): Promise<void> {
    const names = await readdir(folder, { withFileTypes: true, encoding: "buffer" }).catch(unlessGone);
    entries += names.length;
    if (entries > inodes) throw new Exceeded(`it created more than ${inodes} files and folders`);
    if (entries > files && performance.now() - startedAt > maxLookMilliseconds) {
      throw new Exceeded("it created so many files that they could not be counted within a second");
    }
    for (const entry of names) {
      const path = Buffer.concat([folder, slash, entry.name]);
      if (entry.isDirectory()) await visit(path);
      else if (entry.isFile()) bytes += await bytesOf(path);
      if (bytes > diskBytes) throw new Exceeded(`it wrote more than ${diskBytes / 2 ** 20} MB of files`);
    }
  }
  await visit(Buffer.from(root));
}

/** What cannot be looked into can hide any number of bytes. */
function unlessGone(error: NodeJS.ErrnoException): [] {
  if (error.code === "ENOENT" || error.code === "ENOTDIR") return [];
  throw new Exceeded(`its files could not be counted (${error.code})`);
}

async function bytesOf(path: Buffer): Promise<number> {
  const stats = await lstat(path).catch(unlessGone);
  return "blocks" in stats ? stats.blocks * 512 : 0;
}

function checkDisk(start: StatsFs, now: StatsFs, { diskBytes }: Limits): void {
  if (freeOf(now) < leastFree * now.blocks * now.bsize && freeOf(start) - freeOf(now) > diskBytes) {
    throw new Exceeded("the disk was almost full");
  }
}

function freeOf({ bavail, bsize }: StatsFs): number {
  return bavail * bsize;
}
