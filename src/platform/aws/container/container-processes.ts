import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/** Rounds in which leftover processes are stopped and killed. A fork bomb of 500 processes takes three or four. */
const rounds = 100;
const pageBytes = 4096;

/** The processes of a container, as one of them sees the others. */
export interface ContainerProcesses {
  /** Kills all processes that started after this object was made. Rejects if some do not end. */
  endOthers(): Promise<void>;
  /** Private memory of those processes in bytes. Pages that they share since a fork count once for each. */
  memoryBytes(): number;
}

/** The processes that exist now stay: this one, and those of the platform. */
export function containerProcesses(): ContainerProcesses {
  const own = new Set(listProcesses().map(identity));
  const others = (): Process[] => listProcesses().filter((each) => !own.has(identity(each)) && each.state !== "Z");
  return {
    async endOthers() {
      for (let round = 0; round < rounds; round++) {
        const found = others();
        if (found.length === 0) return;
        // A stopped process starts no further ones. A killed one could have been replaced before the list was complete.
        for (const { pid } of found) signalIfAlive(pid, "SIGSTOP");
        for (const { pid } of found) signalIfAlive(pid, "SIGKILL");
        await sleep(round < 10 ? 1 : 20);
      }
      throw new Error("processes of a program did not end");
    },
    memoryBytes: () => others().reduce((sum, { pid }) => sum + privateBytes(pid), 0),
  };
}

interface Process {
  pid: number;
  state: string;
  /** Ticks since the start of the machine: tells apart processes with the same number. */
  start: string;
}

function identity({ pid, start }: Process): string {
  return `${pid} ${start}`;
}

function listProcesses(): Process[] {
  return readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const stat = readFileSync(`/proc/${name}/stat`, "latin1");
      // The second field is the name of the program, in parentheses, and may contain any character.
      const [state = "", ...fields] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      return [{ pid: Number(name), state, start: fields[18] ?? "" }];
    } catch {
      return []; // it has just ended
    }
  });
}

function privateBytes(pid: number): number {
  try {
    const [, resident = 0, shared = 0] = readFileSync(`/proc/${pid}/statm`, "latin1").split(" ").map(Number);
    return (resident - shared) * pageBytes;
  } catch {
    return 0;
  }
}

/** Processes of the platform belong to other users, or have ended. */
function signalIfAlive(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {}
}
