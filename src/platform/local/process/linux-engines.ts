import { once } from "../../../async/once.ts";
import { commandLine } from "../../../command-line.ts";
import { layout } from "../../../layout.ts";
import { bubblewrapLinux } from "../../../sandbox/linux/bubblewrap/bubblewrap.ts";
import { containerLinux } from "../../../sandbox/linux/containers/container.ts";
import type { ContainerEngine, readEnvironment } from "../../../sandbox/linux/environments.ts";
import {
  findBubblewrap,
  type FoundBubblewrap,
  machineRoot,
} from "../../../sandbox/linux/bubblewrap/find-bubblewrap.ts";
import { findContainers, type FoundContainers } from "../../../sandbox/linux/containers/find-containers.ts";
import type { LinuxLimits } from "../../../sandbox/linux/linux-limits.ts";
import { parseFacts, probeScript, unknownFacts } from "../../../sandbox/linux/bubblewrap/probe.ts";
import type { EnvironmentFacts, Linux, LinuxEngine, NoLinux } from "../../../sandbox/linux/linux-types.ts";
import type { RunOfProgram } from "../../../sandbox/linux/slots.ts";
import { runContents } from "../database/run-contents.ts";
import { programPlaces } from "../sandbox.ts";

/** An environment with the engine that was tried for it. `open`: for the programs of one run. */
export interface Opened {
  engine: LinuxEngine;
  isMachine: boolean;
  missing: string[];
  open(run: RunOfProgram): Promise<Linux>;
}

type Installed = ReturnType<typeof readEnvironment>;

/** The engines that run programs in a Linux. Each is looked for at its first use. `workspaces`, `programs`: see `localLinux`. */
export function linuxEngines(workspaces: string, programs: string, limits: LinuxLimits) {
  const options = { programs: programPlaces(), limits };
  /** All attempts to find an engine. */
  const findings: Promise<FoundBubblewrap | FoundContainers>[] = [];
  const remembered = <Found extends FoundBubblewrap | FoundContainers>(finding: Promise<Found>): Promise<Found> => {
    findings.push(finding);
    return finding;
  };
  const bubblewrap = once(() => remembered(findBubblewrap(programs, machineRoot, options)));
  const containers = new Map<ContainerEngine, () => Promise<FoundContainers>>();
  const probed = once(async () => factsOfMachine(await bubblewrap(), of({ id: "probe" })));
  const of = (run: RunOfProgram) => ({ ...run, contents: runContents(workspaces, run.id) });

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

  function close(): void {
    for (const finding of findings) {
      finding.then(
        (found) => "close" in found && found.close(),
        () => {},
      );
    }
  }

  return { openBubblewrap, openContainers, close };
}

/** Asks the machine's own programs for their versions. */
async function factsOfMachine(
  found: FoundBubblewrap,
  probe: Parameters<typeof bubblewrapLinux>[2],
): Promise<EnvironmentFacts> {
  if ("unavailable" in found) throw new Error(found.unavailable);
  const linux = bubblewrapLinux(found.bubblewrap, { root: machineRoot, facts: unknownFacts }, probe);
  const program = { language: "shell", text: probeScript(layout().environment), files: [], seconds: 60 } as const;
  const { output, problem } = await linux.run(program, new AbortController().signal);
  if (problem !== undefined) throw new Error(`the programs of this machine could not be listed: ${problem}`);
  return parseFacts(output);
}

function wrongForm(engine: string, name: string, form: "folder" | "image"): NoLinux {
  const unavailable = `The environment ${JSON.stringify(name)} is not installed as ${form === "image" ? "an image" : "a folder"} for ${engine}.`;
  return { unavailable: `${unavailable} ${installCommand(`--name ${name} --as ${form}`)}` };
}

export function installCommand(options: string): string {
  return `Install it: ${commandLine("admin", `environment install ${options}`)}`;
}
