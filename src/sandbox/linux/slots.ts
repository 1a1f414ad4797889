import { readFileSync } from "node:fs";
import { NoPlace, scheduler } from "../../async/scheduler.ts";
import { schedulerOwners, placesFor } from "../places.ts";
import type { ProgramOwner } from "../sandbox-types.ts";
import { failedResult } from "./program-end.ts";
import type { LinuxResult } from "./linux-types.ts";

/** A place for one program at a time. */
export interface ProgramSlot {
  /** From 0. */
  number: number;
  /** The user that runs the program, as the process that starts it numbers users. Absent: the service's own, which is not root. */
  user?: number;
}

export interface Slots {
  /**
   * Runs a program in a slot, when there is one for its owner: see `scheduler`. Programs of one run have the same user,
   * because they share files.
   */
  run(
    run: RunOfProgram,
    program: (slot: ProgramSlot) => Promise<LinuxResult>,
    signal: AbortSignal,
  ): Promise<LinuxResult>;
}

/** `owner`: absent for the service's own programs. */
export interface RunOfProgram {
  id: string;
  owner?: ProgramOwner;
}

/**
 * First user of a range that no other software assigns: above the containers of systemd (Documentation: UIDS-GIDS.md), below
 * 2³¹. In a container with fewer users, a range below `nobody`.
 */
const firstUser = 2_100_000_000;
const firstUserOfContainer = 64_000;
/** First user in a namespace of the service with its range of /etc/subuid, which has 65,536 users by default. */
const firstUserOfRange = 1_000;

/**
 * The user that the kernel sees in a program.
 * - `own`: one for each run, which root chooses.
 * - `range`: one for each run, of the range that /etc/subuid gives the service's user.
 * - `shared`: the service's own.
 */
export type ProgramUsers = "own" | "range" | "shared";

export function programSlots(count: number, kind: ProgramUsers): Slots {
  const places = scheduler(placesFor("programs", count));
  const free = Array.from({ length: count }, (_, number) => number);
  const isShared = kind === "shared";
  const first = firstUserFor(kind, count);
  const freeUsers = Array.from({ length: count }, (_, number) => first + number);
  const users = new Map<string, { user: number; programs: number }>();

  function takeUser(runId: string): number {
    const taken = users.get(runId) ?? { user: freeUsers.shift() ?? first, programs: 0 };
    taken.programs++;
    users.set(runId, taken);
    return taken.user;
  }

  function returnUser(runId: string): void {
    const taken = users.get(runId);
    if (!taken || --taken.programs > 0) return;
    users.delete(runId);
    freeUsers.push(taken.user);
  }

  async function inSlot(runId: string, program: (slot: ProgramSlot) => Promise<LinuxResult>): Promise<LinuxResult> {
    const number = free.shift() ?? 0;
    const user = isShared ? undefined : takeUser(runId);
    try {
      return await program({ number, ...(user !== undefined && { user }) });
    } finally {
      free.push(number);
      if (!isShared) returnUser(runId);
    }
  }

  return {
    async run({ id, owner }, program, signal) {
      try {
        return await places.run(schedulerOwners(owner), () => inSlot(id, program), signal);
      } catch (error) {
        if (error instanceof NoPlace) return failedResult(error.message);
        throw error;
      }
    },
  };
}

function firstUserFor(kind: ProgramUsers, count: number): number {
  if (kind === "range") return firstUserOfRange;
  return hasUser(firstUser + count) ? firstUser : firstUserOfContainer;
}

/** Whether this process's user namespace has a user. Each line of the map is: first inside, first outside, count. */
function hasUser(user: number): boolean {
  return readFileSync("/proc/self/uid_map", "utf8")
    .trim()
    .split("\n")
    .some((line) => {
      const [inside = 0, , count = 0] = line.trim().split(/\s+/).map(Number);
      return user >= inside && user < inside + count;
    });
}
