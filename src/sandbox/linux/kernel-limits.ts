import { readFileSync } from "node:fs";
import { userInfo } from "node:os";
import type { LinuxLimits } from "./linux-limits.ts";

/** Processes of a program that is the service's own user for the kernel. */
const sharedProcesses = 64;
/** Fewer open files, and Python or Node do not start. */
const leastFiles = 64;

/**
 * Limits of a program with which all programs together use at most half of what the kernel has for all of them. `places`: how
 * many programs run at the same time. `isUserShared`: they are the service's own user for the kernel, which counts watches of
 * epoll for each user. Without a watch, the service cannot serve a connection: Node ends.
 */
export function withinKernelLimits(limits: LinuxLimits, places: number, isUserShared: boolean): LinuxLimits {
  const processes = isUserShared ? Math.min(limits.processes, sharedProcesses) : limits.processes;
  const perProcess = 2 * places * processes;
  const ofMachine = Math.floor(setting("/proc/sys/fs/file-max") / perProcess);
  // Half of the files are instances of epoll, each of which watches the other half.
  const watched = 2 * Math.sqrt(setting("/proc/sys/fs/epoll/max_user_watches") / perProcess);
  const openFiles = Math.min(limits.openFiles, ofMachine, isUserShared ? Math.floor(watched) : limits.openFiles);
  return { ...limits, processes, openFiles: Math.max(openFiles, leastFiles) };
}

/** For the operator. */
export function sharedUserNote({ processes, openFiles }: LinuxLimits): string {
  return (
    `programs are the service's own user for the kernel: each has ${processes} processes with ${openFiles} files, and all are ` +
    "stopped if the kernel's memory grows much. Give them users of their own, of a range that is free: apt-get install uidmap; " +
    `usermod --add-subuids 200000-265535 --add-subgids 200000-265535 ${userName()}`
  );
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return "USER"; // without a name; such a user can have no range
  }
}

/** Infinity: the kernel has no such limit. */
function setting(file: string): number {
  try {
    return Number(readFileSync(file, "utf8"));
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
