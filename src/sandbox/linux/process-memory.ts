import { readdirSync, readFileSync } from "node:fs";

/** Bytes that a socket holds which nobody reads: 222 KB with the kernel's default buffer of 208 KB. */
const overhead = 1.05;

/**
 * Memory in bytes of a process and all of its descendants: resident pages, those that they share once for each; page tables;
 * and what their sockets can hold, which belongs to no process.
 */
export function memoryOfProcess(pid: number): number {
  const seen: Seen = { bytes: 0 };
  add(pid, seen);
  return seen.bytes + (seen.inside === undefined ? 0 : socketsOf(seen.inside) * overhead * bufferBytes());
}

interface Seen {
  bytes: number;
  /** A process in the sandbox, whose network namespace is that of the program. */
  inside?: number;
}

function add(pid: number, seen: Seen): void {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "latin1");
    seen.bytes += (kilobytes(status, "VmRSS") + kilobytes(status, "VmPTE")) * 1024;
    // It has a number in a namespace below that of the service.
    if (/^NSpid:\t\d+\t/m.test(status)) seen.inside = pid;
    for (const thread of readdirSync(`/proc/${pid}/task`)) {
      for (const child of startedBy(pid, thread)) add(Number(child), seen);
    }
  } catch {
    // it has just ended
  }
}

function kilobytes(status: string, field: string): number {
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, "m").exec(status)?.[1] ?? 0);
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

/** Sockets of the network namespace of a process. */
function socketsOf(pid: number): number {
  try {
    const text = readFileSync(`/proc/${pid}/net/sockstat`, "latin1");
    return Number(/^sockets: used (\d+)$/m.exec(text)?.[1] ?? 0);
  } catch {
    return 0; // it has just ended
  }
}

let ofMachine: number | undefined;

/** Of a socket's buffer. The filter lets no program enlarge it whose memory is only watched. */
function bufferBytes(): number {
  return (ofMachine ??= Number(readFileSync("/proc/sys/net/core/wmem_default", "utf8")));
}
