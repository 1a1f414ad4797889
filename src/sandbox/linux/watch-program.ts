import type { LinuxLimits } from "./linux-limits.ts";
import { isAlmostFull, kernelProblem, type MachineMemory, machineMemory } from "./machine-memory.ts";
import { memoryOfProcess } from "./process-memory.ts";
import { watchFolder } from "./watch-folder.ts";

const watchMilliseconds = 50;
/** Reading the memory of 256 processes takes 9 ms. The watcher takes at most this share of the service's time. */
const watchShare = 0.1;
/** The kernel takes this long to give back the memory of a program that was stopped. */
const betweenStopsMilliseconds = 1_000;

/** What no part of the kernel bounds for a program. */
export interface Unbound {
  /** There are no control groups: the memory of the program's first process and its descendants is added up. */
  memory: boolean;
  /** The program is the service's own user for the kernel. */
  isUserShared: boolean;
  /** Folder on a disk that the program can fill. Absent: its files are in a tmpfs with a size. */
  folder?: string;
}

type Limits = Pick<LinuxLimits, "memoryBytes" | "diskBytes" | "inodes" | "files">;

/** A program whose memory is watched. */
interface Watched {
  bytes: number;
  stop: (problem: string) => void;
}

const watched = new Set<Watched>();
let lastStop = Number.NEGATIVE_INFINITY;

/**
 * Watches a program where the machine has no limit for it, and calls `stop` with a sentence when it exceeds one. Between two
 * looks, a program can exceed a limit: the kernel's limits, where there are some, are better. `pid`: of the first process;
 * undefined as long as there is none. Returns a function that ends it.
 */
export function watchProgram(
  pid: () => number | undefined,
  { memory, isUserShared, folder }: Unbound,
  limits: Limits,
  stop: (problem: string) => void,
): () => void {
  const ends = [
    ...(memory || isUserShared ? [watchMemory(memory ? pid : () => undefined, isUserShared, limits, stop)] : []),
    ...(folder === undefined ? [] : [watchFolder(folder, limits, stop)]),
  ];
  return () => ends.forEach((end) => end());
}

function watchMemory(
  pid: () => number | undefined,
  isUserShared: boolean,
  { memoryBytes }: Limits,
  stop: (problem: string) => void,
): () => void {
  const program: Watched = { bytes: 0, stop };
  const start = machineMemory();
  watched.add(program);
  let timer: NodeJS.Timeout;
  function look(): void {
    const startedAt = performance.now();
    const first = pid();
    program.bytes = first === undefined ? 0 : memoryOfProcess(first);
    if (program.bytes > memoryBytes) stop(memoryProblem(memoryBytes));
    checkMachine(start, isUserShared, stop);
    timer = setTimeout(look, Math.max(watchMilliseconds, (performance.now() - startedAt) / watchShare));
  }
  timer = setTimeout(look, watchMilliseconds);
  return () => {
    watched.delete(program);
    clearTimeout(timer);
  };
}

function checkMachine(start: MachineMemory, isUserShared: boolean, stop: (problem: string) => void): void {
  const now = machineMemory();
  const problem = isUserShared ? kernelProblem(start, now) : undefined;
  if (problem !== undefined) stop(problem);
  if (!isAlmostFull(start, now) || performance.now() - lastStop < betweenStopsMilliseconds) return;
  lastStop = performance.now();
  const [largest] = [...watched].toSorted((a, b) => b.bytes - a.bytes);
  largest?.stop("the machine's memory was almost full, and it used more of it than other programs");
}

export function memoryProblem(memoryBytes: number): string {
  return `it used more than ${memoryBytes / 2 ** 20} MB of memory`;
}
