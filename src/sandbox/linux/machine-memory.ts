import { readFileSync } from "node:fs";

/** Memory of the machine in bytes. */
export interface MachineMemory {
  total: number;
  /** What new programs can get. */
  available: number;
  /** What the kernel holds for itself and cannot give back: descriptors, watches, sockets. */
  kernel: number;
}

const megabyte = 2 ** 20;

/** Source: Documentation/filesystems/proc.rst. */
export function machineMemory(): MachineMemory {
  const text = readFileSync("/proc/meminfo", "utf8");
  const bytes = (name: string): number => Number(new RegExp(`^${name}: +(\\d+) kB$`, "m").exec(text)?.[1] ?? 0) * 1024;
  return { total: bytes("MemTotal"), available: bytes("MemAvailable"), kernel: bytes("SUnreclaim") };
}

/** Less than this share of the machine's memory is left: a program has to end. */
const leastAvailable = 0.1;
/** The share that it has fallen by since the program started. Programs still run on a machine whose memory others use. */
const leastFall = 0.05;
/**
 * The growth of the kernel's memory since a program started that the kernel counts as the service's own user. The kernel sizes
 * the number of a user's watches of epoll so that they take 1/25 of the memory; each takes 192 bytes.
 */
const mostGrowth = 0.02;

/** Whether programs have used up the machine's memory, also in ways that no process shows. */
export function isAlmostFull(start: MachineMemory, now: MachineMemory): boolean {
  return now.available < leastAvailable * now.total && start.available - now.available > leastFall * now.total;
}

/** Why a program that is the service's own user must end. Undefined: it need not. */
export function kernelProblem(start: MachineMemory, now: MachineMemory): string | undefined {
  const most = mostGrowth * now.total;
  if (now.kernel - start.kernel <= most) return undefined;
  return `the kernel's own memory grew by more than ${Math.round(most / megabyte)} MB while it ran`;
}
