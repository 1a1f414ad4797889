import { mkdir, readdir } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { layout } from "../../layout.ts";
import { bubblewrapLinux } from "../../sandbox/linux/bubblewrap.ts";
import type { RootFolder } from "../../sandbox/linux/bwrap-arguments.ts";
import { listEnvironments, readEnvironment } from "../../sandbox/linux/environments.ts";
import { removeFolder } from "../../sandbox/linux/file-links.ts";
import { findBubblewrap, type FoundBubblewrap, machineRoot } from "../../sandbox/linux/find-bubblewrap.ts";
import { linuxLimits } from "../../sandbox/linux/limits.ts";
import { parseFacts, probeScript } from "../../sandbox/linux/probe.ts";
import {
  defaultEnvironment,
  type EnvironmentFacts,
  type KnownEnvironment,
  type Linux,
  type LinuxEngine,
  type NoLinux,
} from "../../sandbox/linux/types.ts";
import { runContents } from "./run-contents.ts";

/** How programs are run on this machine. `auto`: with the first engine that works. `off`: not in a Linux. */
export const sandboxChoices = ["auto", "bubblewrap", "docker", "podman", "off"] as const;
export type SandboxChoice = (typeof sandboxChoices)[number];

/** What programs run in here, for the start screen. `missing`: what this machine cannot bound. */
export type LinuxHere = { engine: LinuxEngine; isMachine: boolean; missing: string[] } | NoLinux;

export interface LocalLinux {
  linuxOf: (run: { id: string; agentId: string }, environment: string) => Promise<Linux | NoLinux>;
  /** Tries the engine. Does not ask the environment's programs for their versions, which takes half a second. */
  describe(): Promise<LinuxHere>;
  /** All environments, the default first. Never rejects. */
  list(): Promise<KnownEnvironment[]>;
  close(): void;
}

const off: NoLinux = {
  unavailable: "Programs do not run in a Linux here: the service was started with --sandbox off.",
};

/** Folders of a service's programs. */
interface Folders {
  /** Of all workspaces. */
  workspaces: string;
  /** For programs that run, on the same file system. What a killed service left in it is deleted. */
  programs: string;
  /** Of all environments. */
  environments: string;
}

/** The Linux of one machine. Nothing is tried before the first call. */
export function localLinux({ workspaces, programs, environments }: Folders, choice: SandboxChoice): LocalLinux {
  let opening: Promise<FoundBubblewrap> | undefined;
  let probing: Promise<EnvironmentFacts> | undefined;
  const open = (): Promise<FoundBubblewrap> => (opening ??= openFirst());

  async function openFirst(): Promise<FoundBubblewrap> {
    await mkdir(programs, { recursive: true, mode: 0o700 });
    for (const name of await readdir(programs)) await removeFolder(join(programs, name));
    const atOnce = Math.max(2, availableParallelism());
    return findBubblewrap(programs, machineRoot, { programs: atOnce, limits: linuxLimits });
  }

  async function linuxOf(run: { id: string }, environment: string): Promise<Linux | NoLinux> {
    if (choice === "off") return off;
    const found = await open();
    if ("unavailable" in found) return found;
    const { bubblewrap } = found;
    const contents = { id: run.id, contents: runContents(workspaces, run.id) };
    const named = readEnvironment(environments, environment);
    if (named && "root" in named) {
      return bubblewrapLinux(
        bubblewrap,
        { root: { path: named.root, isMachine: false }, facts: named.facts },
        contents,
      );
    }
    if (environment !== defaultEnvironment) return notInstalled(environment);
    const facts = await (probing ??= factsOf(found, machineRoot));
    return bubblewrapLinux(bubblewrap, { root: machineRoot, facts }, contents);
  }

  /** Asks the programs of a root for their versions. */
  async function factsOf({ bubblewrap }: Exclude<FoundBubblewrap, NoLinux>, of: RootFolder): Promise<EnvironmentFacts> {
    const probe = { id: "probe", contents: runContents(workspaces, "probe") };
    const linux = bubblewrapLinux(bubblewrap, { root: of, facts: unknownFacts }, probe);
    const program = { language: "shell", text: probeScript(layout().environment), files: [], seconds: 60 } as const;
    const { output, problem } = await linux.run(program, new AbortController().signal);
    if (problem !== undefined) throw new Error(`the programs of this machine could not be listed: ${problem}`);
    return parseFacts(output);
  }

  return {
    linuxOf,
    async describe() {
      if (choice === "off") return off;
      const found = await open();
      if ("unavailable" in found) return found;
      const isMachine = readEnvironment(environments, defaultEnvironment) === undefined;
      return { engine: "bubblewrap", isMachine, missing: found.missing };
    },
    async list() {
      const names = new Set([defaultEnvironment, ...listEnvironments(environments)]);
      return Promise.all(
        [...names].map(async (name) => {
          const linux = await linuxOf({ id: "list" }, name).catch(({ message }: Error) => ({ unavailable: message }));
          if ("unavailable" in linux) return { name, unavailable: linux.unavailable };
          return { engine: linux.engine, facts: linux.facts };
        }),
      );
    },
    close() {
      opening?.then(
        (found) => "close" in found && found.close(),
        () => {},
      );
    },
  };
}

function notInstalled(environment: string): NoLinux {
  return {
    unavailable:
      `The environment ${JSON.stringify(environment)} is not installed on this machine. The operator installs it with the ` +
      "command environment install.",
  };
}

const unknownFacts: EnvironmentFacts = {
  name: defaultEnvironment,
  digest: "",
  system: "",
  programs: {},
  python: { version: "", libraries: {} },
};
