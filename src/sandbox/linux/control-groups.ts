import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { LinuxLimits } from "./linux-limits.ts";
import { leftNames, ownName } from "./bubblewrap/own-names.ts";

/** Control groups in which programs run. One per slot: at most one program at a time is in it. */
export interface ControlGroups {
  /** Files to which a process writes its id to enter the slot's groups. Separated by spaces in the setup script. */
  entrances(slot: number): string[];
  /** Times that the kernel killed a process of the slot because its memory was full. */
  memoryKills(slot: number): number;
  close(): void;
}

const root = "/sys/fs/cgroup";
const prefix = "agent-run-service";
/** Folders of `root` with a tree of groups each, which this service uses. With cgroup v2, `root` is the only tree. */
const controllersOfV1 = ["memory", "pids", "cpu"];
/** Processes that start a program and wait for it: two shells, bubblewrap with its first process, cat. */
const ownProcesses = 8;

/**
 * Makes control groups for `slots` programs, and removes those that killed services left. Undefined: the machine does not let
 * this process.
 */
export function openControlGroups(slots: number, limits: LinuxLimits): ControlGroups | undefined {
  for (const tree of [root, ...controllersOfV1.map((each) => join(root, each))]) removeLeft(tree);
  const name = ownName(prefix);
  try {
    return existsSync(join(root, "cgroup.controllers"))
      ? unifiedGroups(join(root, name), slots, limits)
      : separateGroups(name, slots, limits);
  } catch {
    return undefined; // not root, or a container without the right to make groups
  }
}

/** cgroup v2. Source: Documentation/admin-guide/cgroup-v2.rst. */
function unifiedGroups(folder: string, slots: number, limits: LinuxLimits): ControlGroups {
  const available = readFileSync(join(root, "cgroup.subtree_control"), "utf8").split(/\s/);
  if (!["memory", "pids"].every((each) => available.includes(each))) throw new Error("no controllers");
  const hasProcessors = available.includes("cpu");
  mkdirSync(folder);
  const of = (slot: number): string => join(folder, String(slot));
  const close = (): void => removeGroups([...slotNumbers(slots).map(of), folder]);
  try {
    writeFileSync(join(folder, "cgroup.subtree_control"), hasProcessors ? "+memory +pids +cpu" : "+memory +pids");
    for (const slot of slotNumbers(slots)) {
      mkdirSync(of(slot));
      writeFileSync(join(of(slot), "memory.max"), String(limits.memoryBytes));
      if (existsSync(join(of(slot), "memory.swap.max"))) writeFileSync(join(of(slot), "memory.swap.max"), "0");
      writeFileSync(join(of(slot), "pids.max"), String(limits.processes + ownProcesses));
      // A service that answers a request is preferred to any number of programs.
      if (hasProcessors) writeFileSync(join(of(slot), "cpu.weight"), "10");
    }
  } catch (error) {
    close();
    throw error;
  }
  return {
    entrances: (slot) => [join(of(slot), "cgroup.procs")],
    memoryKills: (slot) => counterIn(join(of(slot), "memory.events"), "oom_kill"),
    close,
  };
}

/** cgroup v1, and the hybrid layout. Source: Documentation/admin-guide/cgroup-v1/memory.rst and pids.rst. */
function separateGroups(name: string, slots: number, limits: LinuxLimits): ControlGroups {
  const of = (controller: string, slot: number): string => join(root, controller, name, String(slot));
  const controllers = controllersOfV1.filter((each) => existsSync(join(root, each, "cgroup.procs")));
  if (!controllers.includes("memory") || !controllers.includes("pids")) throw new Error("no controllers");
  const close = (): void =>
    removeGroups(
      controllers.flatMap((each) => [...slotNumbers(slots).map((slot) => of(each, slot)), join(root, each, name)]),
    );
  try {
    for (const slot of slotNumbers(slots)) {
      for (const each of controllers) mkdirSync(of(each, slot), { recursive: true });
      writeFileSync(join(of("memory", slot), "memory.limit_in_bytes"), String(limits.memoryBytes));
      const withSwap = join(of("memory", slot), "memory.memsw.limit_in_bytes");
      if (existsSync(withSwap)) writeFileSync(withSwap, String(limits.memoryBytes));
      writeFileSync(join(of("pids", slot), "pids.max"), String(limits.processes + ownProcesses));
      if (controllers.includes("cpu")) writeFileSync(join(of("cpu", slot), "cpu.shares"), "100");
    }
  } catch (error) {
    close();
    throw error;
  }
  return {
    entrances: (slot) => controllers.map((each) => join(of(each, slot), "cgroup.procs")),
    memoryKills: (slot) => counterIn(join(of("memory", slot), "memory.oom_control"), "oom_kill"),
    close,
  };
}

function slotNumbers(slots: number): number[] {
  return Array.from({ length: slots }, (_, slot) => slot);
}

function removeLeft(tree: string): void {
  const names = foldersIn(tree);
  for (const group of leftNames(prefix, names).map((name) => join(tree, name))) {
    removeGroups([...foldersIn(group).map((slot) => join(group, slot)), group]);
  }
}

/** Empty where there are none, or this process may not see them. */
function foldersIn(folder: string): string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  } catch {
    return [];
  }
}

function removeGroups(folders: string[]): void {
  for (const folder of folders) {
    try {
      rmdirSync(folder);
    } catch {
      // The last process is still ending, or the group was not made. The next start of a service tries again.
    }
  }
}

function counterIn(file: string, name: string): number {
  const found = new RegExp(`^${name} (\\d+)$`, "m").exec(readFileSync(file, "utf8"));
  return Number(found?.[1] ?? 0);
}
