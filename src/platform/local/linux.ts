import { existsSync, statSync } from "node:fs";
import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { once } from "../../async/once.ts";
import { commandLine } from "../../command-line.ts";
import { layout } from "../../layout.ts";
import { bubblewrapLinux } from "../../sandbox/linux/bubblewrap.ts";
import { containerLinux } from "../../sandbox/linux/container.ts";
import { asideFolder, discardFolder } from "../../sandbox/linux/discard-folder.ts";
import {
  type ContainerEngine,
  descriptionFile,
  listEnvironments,
  readEnvironment,
} from "../../sandbox/linux/environments.ts";
import { findBubblewrap, type FoundBubblewrap, machineRoot } from "../../sandbox/linux/find-bubblewrap.ts";
import { findContainers, type FoundContainers } from "../../sandbox/linux/find-containers.ts";
import { type LinuxLimits, linuxLimits } from "../../sandbox/linux/limits.ts";
import { parseFacts, probeScript, unknownFacts } from "../../sandbox/linux/probe.ts";
import {
  defaultEnvironment,
  type EnvironmentFacts,
  type KnownEnvironment,
  type Linux,
  type LinuxEngine,
  type NoLinux,
} from "../../sandbox/linux/types.ts";
import type { RunOfProgram } from "../../sandbox/linux/slots.ts";
import type { ProgramOwner } from "../../sandbox/types.ts";
import { runContents } from "./database/run-contents.ts";
import { programPlaces } from "./sandbox.ts";

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

/** An environment with the engine that was tried for it. `open`: for the programs of one run. */
interface Opened {
  engine: LinuxEngine;
  isMachine: boolean;
  missing: string[];
  open(run: RunOfProgram): Promise<Linux>;
}

type Installed = ReturnType<typeof readEnvironment>;

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
  const options = { programs: programPlaces(), limits };
  const known = new Map<string, KnownFile>();
  const emptied = once(empty);
  /** All attempts to find an engine. */
  const findings: Promise<FoundBubblewrap | FoundContainers>[] = [];
  const remembered = <Found extends FoundBubblewrap | FoundContainers>(finding: Promise<Found>): Promise<Found> => {
    findings.push(finding);
    return finding;
  };
  const bubblewrap = once(() => remembered(findBubblewrap(programs, machineRoot, options)));
  const containers = new Map<ContainerEngine, () => Promise<FoundContainers>>();
  const probed = once(async () => factsOfMachine(await bubblewrap()));
  const of = (run: RunOfProgram) => ({ ...run, contents: runContents(workspaces, run.id) });

  /**
   * Opened again when its file changes, because every turn with a program asks for it and reading the file takes 0.1 ms. The file
   * is checked at most ten times a second: each check takes 3 % of a short turn.
   */
  function environmentOf(name: string): Promise<Opened | NoLinux> {
    if (choice === "off") return Promise.resolve(off);
    const before = known.get(name);
    const now = performance.now();
    if (before && now - before.checkedAt < betweenChecks) return before.environment;
    const changedAt = statSync(descriptionFile(environments, name), { throwIfNoEntry: false })?.mtimeMs;
    if (before && before.changedAt === changedAt) {
      before.checkedAt = now;
      return before.environment;
    }
    const environment = openEnvironment(name, choice);
    environment.catch(() => known.delete(name)); // the next turn tries again
    known.set(name, { checkedAt: now, changedAt, environment });
    return environment;
  }

  async function empty(): Promise<void> {
    await mkdir(programs, { recursive: true, mode: 0o700 });
    for (const folder of [programs, asideFolder(programs)]) {
      const names = await readdir(folder).catch(() => []);
      for (const name of names) await discardFolder(join(folder, name));
    }
  }

  async function openEnvironment(name: string, engine: Exclude<SandboxChoice, "off">): Promise<Opened | NoLinux> {
    await emptied();
    const installed = readEnvironment(environments, name);
    if (!installed && name !== defaultEnvironment) return notInstalled(name);
    const engines = installed && "image" in installed ? [installed.engine] : ["bubblewrap" as const, "podman" as const];
    const problems: string[] = [];
    for (const each of engine === "auto" ? engines : [engine]) {
      const opened = each === "bubblewrap" ? await openBubblewrap(installed) : await openContainers(each, installed);
      if ("engine" in opened) return opened;
      problems.push(opened.unavailable);
    }
    return { unavailable: problems[0] ?? "" };
  }

  async function openBubblewrap(installed: Installed): Promise<Opened | NoLinux> {
    if (installed && !("root" in installed)) return wrongForm("bubblewrap", installed.facts.name, "folder");
    const found = await bubblewrap();
    if ("unavailable" in found) return found;
    const root = installed ? { path: installed.root, isMachine: false } : machineRoot;
    return {
      engine: "bubblewrap",
      isMachine: !installed,
      missing: found.missing,
      async open(run) {
        const facts = installed?.facts ?? (await probed());
        return bubblewrapLinux(found.bubblewrap, { root, facts }, of(run));
      },
    };
  }

  async function openContainers(engine: ContainerEngine, installed: Installed): Promise<Opened | NoLinux> {
    if (!installed) return { unavailable: `${engine} needs an environment. ${installCommand(`--with ${engine}`)}` };
    if ("image" in installed && installed.engine !== engine) return wrongForm(engine, installed.facts.name, "image");
    const root = "image" in installed ? { image: installed.image } : { root: installed.root };
    const find = containers.get(engine) ?? once(() => remembered(findContainers(engine, programs, root, options)));
    containers.set(engine, find);
    const found = await find();
    if ("unavailable" in found) return found;
    const { facts } = installed;
    return {
      engine,
      isMachine: false,
      missing: found.missing,
      open: async (run) => containerLinux(found.containers, { root, facts }, of(run)),
    };
  }

  /** Asks the machine's own programs for their versions. */
  async function factsOfMachine(found: FoundBubblewrap): Promise<EnvironmentFacts> {
    if ("unavailable" in found) throw new Error(found.unavailable);
    const linux = bubblewrapLinux(found.bubblewrap, { root: machineRoot, facts: unknownFacts }, of({ id: "probe" }));
    const program = { language: "shell", text: probeScript(layout().environment), files: [], seconds: 60 } as const;
    const { output, problem } = await linux.run(program, new AbortController().signal);
    if (problem !== undefined) throw new Error(`the programs of this machine could not be listed: ${problem}`);
    return parseFacts(output);
  }

  async function open(run: RunOfProgram, environment: string): Promise<Linux | NoLinux> {
    const opened = await environmentOf(environment);
    return "open" in opened ? await opened.open(run) : opened;
  }

  return {
    linuxOf: ({ id, organizationId, agentId }, environment) =>
      open({ id, owner: { organizationId, agentId } }, environment),
    async prepare() {
      await open({ id: "prepare" }, defaultEnvironment);
    },
    async describe() {
      const opened = await environmentOf(defaultEnvironment);
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
    close() {
      for (const finding of findings) {
        finding.then(
          (found) => "close" in found && found.close(),
          () => {},
        );
      }
    },
  };
}

const off: NoLinux = {
  unavailable: "Programs do not run in a Linux here: the service was started with --sandbox off.",
};

function notInstalled(name: string): NoLinux {
  const unavailable = `The environment ${JSON.stringify(name)} is not installed on this machine.`;
  return { unavailable: `${unavailable} ${installCommand(`--name ${name} --file DOCKERFILE`)}` };
}

function wrongForm(engine: string, name: string, form: "folder" | "image"): NoLinux {
  const unavailable = `The environment ${JSON.stringify(name)} is not installed as ${form === "image" ? "an image" : "a folder"} for ${engine}.`;
  return { unavailable: `${unavailable} ${installCommand(`--name ${name} --as ${form}`)}` };
}

function installCommand(options: string): string {
  return `Install it: ${commandLine("admin", `environment install ${options}`)}`;
}
