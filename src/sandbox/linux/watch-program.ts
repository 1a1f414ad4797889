import { readdirSync, readFileSync } from "node:fs";
import { readdir, lstat } from "node:fs/promises";
import { join } from "node:path";
import type { LinuxLimits } from "./limits.ts";

const watchMilliseconds = 50;
const pageBytes = 4096;

/** What no part of the kernel bounds for a program. */
export interface Unbound {
  /** There are no control groups: the memory of the process and its descendants is added up. */
  memory: boolean;
  /** Folder on a disk that the program can fill. Absent: its files are in a tmpfs with a size. */
  folder?: string;
}

/**
 * Watches a program where the machine has no limit for it, and calls `stop` with a sentence when it exceeds one. Between two
 * looks, a program can exceed a limit: the kernel's limits, where there are some, are better. Returns a function that ends it.
 */
export function watchProgram(
  pid: number,
  { memory, folder }: Unbound,
  { memoryBytes, diskBytes }: Pick<LinuxLimits, "memoryBytes" | "diskBytes">,
  stop: (problem: string) => void,
): () => void {
  if (!memory && folder === undefined) return () => {};
  let busy = false;
  async function look(): Promise<void> {
    if (memory && residentBytes(pid) > memoryBytes) stop(memoryProblem(memoryBytes));
    if (folder !== undefined && (await bytesIn(folder)) > diskBytes) {
      stop(`it wrote more than ${diskBytes / 2 ** 20} MB of files`);
    }
  }
  const timer = setInterval(() => {
    if (busy) return;
    busy = true;
    void look().finally(() => (busy = false));
  }, watchMilliseconds);
  return () => clearInterval(timer);
}

export function memoryProblem(memoryBytes: number): string {
  return `it used more than ${memoryBytes / 2 ** 20} MB of memory`;
}

/** Of a process and all of its descendants. Pages that they share count once for each. */
function residentBytes(pid: number): number {
  try {
    const resident = Number(readFileSync(`/proc/${pid}/statm`, "utf8").split(" ")[1]) * pageBytes;
    const children = readdirSync(`/proc/${pid}/task`).flatMap((thread) => startedBy(pid, thread));
    return children.reduce((sum, child) => sum + residentBytes(Number(child)), resident);
  } catch {
    return 0; // it has just ended
  }
}

/** Ids of the processes that a thread started: each thread has a list of its own. */
function startedBy(pid: number, thread: string): string[] {
  try {
    const list = readFileSync(`/proc/${pid}/task/${thread}/children`, "utf8").trim();
    return list === "" ? [] : list.split(" ");
  } catch {
    return []; // it has just ended
  }
}

async function bytesIn(folder: string): Promise<number> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  let bytes = 0;
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) bytes += await bytesIn(path);
    else if (entry.isFile())
      bytes += await lstat(path).then(
        ({ blocks }) => blocks * 512,
        () => 0,
      );
  }
  return bytes;
}
