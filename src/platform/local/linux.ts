import { availableParallelism } from "node:os";
import { layout } from "../../layout.ts";
import { bubblewrapLinux } from "../../sandbox/linux/bubblewrap.ts";
import { findBubblewrap, type FoundBubblewrap, machineRoot } from "../../sandbox/linux/find-bubblewrap.ts";
import { linuxLimits } from "../../sandbox/linux/limits.ts";
import { parseFacts, probeScript } from "../../sandbox/linux/probe.ts";
import type { EnvironmentFacts, Linux, LinuxEngine, NoLinux } from "../../sandbox/linux/types.ts";
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
  close(): void;
}

const off: NoLinux = {
  unavailable: "Programs do not run in a Linux here: the service was started with --sandbox off.",
};

/** The Linux of one machine. Nothing is tried before the first call. `root`: the folder of all workspaces. */
export function localLinux(root: string, choice: SandboxChoice): LocalLinux {
  let opening: Promise<FoundBubblewrap> | undefined;
  let probing: Promise<EnvironmentFacts> | undefined;
  const open = (): Promise<FoundBubblewrap> =>
    (opening ??= findBubblewrap(root, machineRoot, {
      programs: Math.max(2, availableParallelism()),
      limits: linuxLimits,
    }));

  async function machineFacts(found: Exclude<FoundBubblewrap, NoLinux>): Promise<EnvironmentFacts> {
    const noFiles = runContents(root, "probe");
    const linux = bubblewrapLinux(
      found.bubblewrap,
      { root: machineRoot, facts: unknown },
      { id: "probe", contents: noFiles },
    );
    const program = { language: "shell", text: probeScript(layout().environment), files: [], seconds: 60 } as const;
    const { output, problem } = await linux.run(program, new AbortController().signal);
    if (problem !== undefined) throw new Error(`the programs of this machine cannot be listed: ${problem}`);
    return parseFacts(output);
  }

  async function linuxOf(run: { id: string }, environment: string): Promise<Linux | NoLinux> {
    if (choice === "off") return off;
    const found = await open();
    if ("unavailable" in found) return found;
    if (environment !== "linux")
      return { unavailable: `The environment ${JSON.stringify(environment)} is not installed here.` };
    const facts = await (probing ??= machineFacts(found));
    return bubblewrapLinux(
      found.bubblewrap,
      { root: machineRoot, facts },
      { id: run.id, contents: runContents(root, run.id) },
    );
  }

  return {
    linuxOf,
    async describe() {
      if (choice === "off") return off;
      const found = await open();
      return "unavailable" in found ? found : { engine: "bubblewrap", isMachine: true, missing: found.missing };
    },
    close() {
      opening?.then(
        (found) => "close" in found && found.close(),
        () => {},
      );
    },
  };
}

const unknown: EnvironmentFacts = {
  name: "linux",
  digest: "",
  system: "",
  programs: {},
  python: { version: "", libraries: {} },
};
