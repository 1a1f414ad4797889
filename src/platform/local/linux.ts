import { existsSync, statSync } from "node:fs";
import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { once } from "../../async/once.ts";
import { asideFolder, discardFolder } from "../../sandbox/linux/discard-folder.ts";
import { descriptionFile, listEnvironments, readEnvironment } from "../../sandbox/linux/environments.ts";
import { type LinuxLimits, linuxLimits } from "../../sandbox/linux/linux-limits.ts";
import {
  defaultEnvironment,
  type KnownEnvironment,
  type Linux,
  type LinuxEngine,
  type NoLinux,
} from "../../sandbox/linux/linux-types.ts";
import type { RunOfProgram } from "../../sandbox/linux/slots.ts";
import type { ProgramOwner } from "../../sandbox/sandbox-types.ts";
import { installCommand, linuxEngines, type Opened } from "./process/linux-engines.ts";

/** How programs are run on this machine. `auto`: with the first engine that works. `off`: not in a Linux. */
export const sandboxChoices = ["auto", "bubblewrap", "docker", "podman", "off"] as const;
export type SandboxChoice = (typeof sandboxChoices)[number];

/** What programs run in here, for the start screen. `missing`: what this machine cannot bound. */
export type LinuxHere = { engine: LinuxEngine; isMachine: boolean; hasPython: boolean; missing: string[] } | NoLinux;

/** Where programs find the machine's own programs. */
const machinePaths = ["/usr/local/bin", "/usr/bin", "/bin"];

export interface LocalLinux {
  linuxOf: (run: ProgramOwner & { id: string }, environment: string) => Promise<Linux | NoLinux>;
  /** Tries the engine. Does not ask the machine's programs for their versions, which takes half a second. */
  describe(): Promise<LinuxHere>;
  /** Finds out what the first program would have to wait for: the engine and the versions of the machine's programs. */
  prepare(): Promise<void>;
  /** All environments, the default first. Never rejects. */
  list(): Promise<KnownEnvironment[]>;
  close(): void;
}

/** Folders of a service's programs. */
interface Folders {
  /** Of all workspaces. */
  workspaces: string;
  /** For programs that run, on the same file system. What a killed service left in it is deleted. */
  programs: string;
  /** Of all environments. */
  environments: string;
}

/** The file of an environment when it was last checked, and the environment that it describes. */
interface KnownFile {
  checkedAt: number;
  /** Undefined: there is no file. */
  changedAt: number | undefined;
  environment: Promise<Opened | NoLinux>;
}

/** Minimum milliseconds between two checks of an environment's file. */
const betweenChecks = 100;

/** The Linux of one machine. Nothing is tried before the first call. */
export function localLinux(
  { workspaces, programs, environments }: Folders,
  choice: SandboxChoice,
  limits: LinuxLimits = linuxLimits,
): LocalLinux {
  const engines = linuxEngines(workspaces, programs, limits);
  const emptied = once(() => emptyFolders(programs));
  const known =
    choice === "off" ? async () => off : keptEnvironments(environments, (name) => openEnvironment(name, choice));

  async function openEnvironment(name: string, engine: Exclude<SandboxChoice, "off">): Promise<Opened | NoLinux> {
    await emptied();
    const installed = readEnvironment(environments, name);
    if (!installed && name !== defaultEnvironment) return notInstalled(name);
    const possible =
      installed && "image" in installed ? [installed.engine] : ["bubblewrap" as const, "podman" as const];
    const problems: string[] = [];
    for (const each of engine === "auto" ? possible : [engine]) {
      const opened =
        each === "bubblewrap" ? await engines.openBubblewrap(installed) : await engines.openContainers(each, installed);
      if ("engine" in opened) return opened;
      problems.push(opened.unavailable);
    }
    return { unavailable: problems[0] ?? "" };
  }

  async function open(run: RunOfProgram, environment: string): Promise<Linux | NoLinux> {
    const opened = await known(environment);
    return "open" in opened ? await opened.open(run) : opened;
  }

  return {
    linuxOf: ({ id, organizationId, agentId }, environment) =>
      open({ id, owner: { organizationId, agentId } }, environment),
    async prepare() {
      await open({ id: "prepare" }, defaultEnvironment);
    },
    async describe() {
      const opened = await known(defaultEnvironment);
      if (!("open" in opened)) return opened;
      const { engine, isMachine, missing } = opened;
      // Environments have Python. Many images of containers, in which the service may run, do not.
      const hasPython = !isMachine || machinePaths.some((path) => existsSync(join(path, "python3")));
      return { engine, isMachine, hasPython, missing };
    },
    async list() {
      const names = new Set([defaultEnvironment, ...listEnvironments(environments)]);
      return Promise.all(
        [...names].map(async (name) => {
          const linux = await open({ id: "list" }, name).catch(({ message }: Error) => ({ unavailable: message }));
          if ("unavailable" in linux) return { name, unavailable: linux.unavailable };
          return { engine: linux.engine, facts: linux.facts };
        }),
      );
    },
    close: engines.close,
  };
}

/**
 * Returns a function that opens an environment, and again when its file changes, because every turn with a program asks for it and
 * reading the file takes 0.1 ms. The file is checked at most ten times a second: each check takes 3 % of a short turn.
 */
function keptEnvironments(environments: string, open: (name: string) => Promise<Opened | NoLinux>) {
  const known = new Map<string, KnownFile>();
  return (name: string): Promise<Opened | NoLinux> => {
    const before = known.get(name);
    const now = performance.now();
    if (before && now - before.checkedAt < betweenChecks) return before.environment;
    const changedAt = statSync(descriptionFile(environments, name), { throwIfNoEntry: false })?.mtimeMs;
    if (before && before.changedAt === changedAt) {
      before.checkedAt = now;
      return before.environment;
    }
    const environment = open(name);
    environment.catch(() => known.delete(name)); // the next turn tries again
    known.set(name, { checkedAt: now, changedAt, environment });
    return environment;
  };
}

async function emptyFolders(programs: string): Promise<void> {
  await mkdir(programs, { recursive: true, mode: 0o700 });
  for (const folder of [programs, asideFolder(programs)]) {
    const names = await readdir(folder).catch(() => []);
    for (const name of names) await discardFolder(join(folder, name));
  }
}

const off: NoLinux = {
  unavailable: "Programs do not run in a Linux here: the service was started with --sandbox off.",
};

function notInstalled(name: string): NoLinux {
  const unavailable = `The environment ${JSON.stringify(name)} is not installed on this machine.`;
  return { unavailable: `${unavailable} ${installCommand(`--name ${name} --file DOCKERFILE`)}` };
}
