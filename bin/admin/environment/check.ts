import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { commandLine } from "../../../src/command-line.ts";
import { localLinux } from "../../../src/platform/local/linux.ts";
import { type InstalledEnvironment, readEnvironment } from "../../../src/sandbox/linux/environments.ts";
import { defaultEnvironment } from "../../../src/sandbox/linux/linux-types.ts";
import { ableBuilders, problemOf } from "./builders.ts";
import type { InstallRequest } from "./install.ts";
import { digestOfSources } from "./sources.ts";
import { freeDiskBytes, gigabytes, spaceProblem } from "./space.ts";

/** One fact about the environment or about an installation of it. */
export interface EnvironmentFact {
  name: string;
  ok: boolean;
  /** What was found, and if it is not `ok`, what to do. */
  found: string;
}

export interface Checks {
  /** Whether the environment is installed, works and is that of this release. */
  ok: boolean;
  environment: EnvironmentFact[];
  /** What an installation needs. One builder is enough. */
  installation: EnvironmentFact[];
}

/** Checks the environment of a request, and whether it could be installed now. */
export async function checkEnvironment(
  request: InstallRequest,
  place: { environments: string; sources: string },
): Promise<Checks> {
  const environment = await checkInstalled(request, place);
  const tried = request.builder ? [request.builder] : ableBuilders(request);
  const builders = await Promise.all(
    tried.map(async (name): Promise<EnvironmentFact> => {
      const problem = await problemOf(name);
      return { name, ok: problem === undefined, found: problem ?? "can build the environment" };
    }),
  );
  const full = spaceProblem(place.environments);
  const disk = {
    name: "disk",
    ok: full === undefined,
    found: full ?? `${gigabytes(freeDiskBytes(place.environments))} free for ${place.environments}`,
  };
  return { ok: environment.every(({ ok }) => ok), environment, installation: [...builders, disk] };
}

async function checkInstalled(
  request: InstallRequest,
  { environments, sources }: { environments: string; sources: string },
): Promise<EnvironmentFact[]> {
  const { name } = request;
  const install = commandLine("admin", `environment install${optionsOf(request)}`);
  let installed: InstalledEnvironment | undefined;
  try {
    installed = readEnvironment(environments, name);
  } catch (error) {
    return [{ name: "installed", ok: false, found: `${(error as Error).message}: ${install}` }];
  }
  if (!installed) {
    return [
      { name: "installed", ok: false, found: `no environment ${name} in ${environments}. Install it: ${install}` },
    ];
  }
  const { facts } = installed;
  const where = "root" in installed ? installed.root : `${installed.image} of ${installed.engine}`;
  const checks = [{ name: "installed", ok: true, found: `${facts.system}, ${where}` }];
  if (name === defaultEnvironment && request.file === undefined) {
    const ok = installed.sources === digestOfSources(sources);
    const found = ok
      ? "built from the lists of this release"
      : `built from the lists of another release, or from a Dockerfile of your own. Install that of this release: ${install}`;
    checks.push({ name: "current", ok, found });
  }
  return [...checks, await checkPrograms(name, installed, { environments, install })];
}

/** Runs a program in the environment, as `npm start` does. In that of the service, it imports all libraries. */
async function checkPrograms(
  name: string,
  { facts, sources }: InstalledEnvironment,
  { environments, install }: { environments: string; install: string },
): Promise<EnvironmentFact> {
  const folder = mkdtempSync(join(tmpdir(), "agent-environment-check-"));
  const folders = { workspaces: join(folder, "workspaces"), programs: join(folder, "programs"), environments };
  mkdirSync(folders.workspaces);
  const local = localLinux(folders, "auto");
  const libraries = sources === undefined ? [] : Object.keys(facts.python.libraries);
  try {
    const linux = await local.linuxOf({ id: "check", organizationId: "check", agentId: "check" }, name);
    if ("unavailable" in linux) return failed(linux.unavailable);
    const program = { language: "shell", text: importAll(libraries), files: [], seconds: 120 } as const;
    const { output, problem, exitCode } = await linux.run(program, new AbortController().signal);
    if (problem === undefined && exitCode === 0) {
      return {
        name: "programs",
        ok: true,
        found: `${linux.engine} runs bash and Python${libraries.length > 0 ? " with all libraries" : ""}`,
      };
    }
    const last = output.trim().split("\n").slice(-2).join(" | ");
    return failed(
      `${problem ?? `a program ended with ${exitCode}: ${last}`}. Install the environment again: ${install}`,
    );
  } catch (error) {
    return failed((error as Error).message);
  } finally {
    local.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

function failed(found: string): EnvironmentFact {
  return { name: "programs", ok: false, found };
}

/** A bash script that imports all modules of libraries. Python 3.8 can run it without any. */
function importAll(libraries: string[]): string {
  return `python3 - ${libraries.join(" ")} <<'PYTHON'
import importlib, importlib.metadata as metadata, sys
modules = {}
for module, names in metadata.packages_distributions().items() if sys.argv[1:] else []:
    for name in names:
        modules.setdefault(name, []).append(module)
for library in sys.argv[1:]:
    for module in modules[library]:
        if module.isidentifier() and not module.startswith("_"):
            importlib.import_module(module)
PYTHON`;
}

/** The options with which the same environment is installed. */
function optionsOf({ name, file, builder, form }: InstallRequest): string {
  const options = [
    name === defaultEnvironment ? "" : ` --name ${name} --file ${file ?? "DOCKERFILE"}`,
    builder ? ` --with ${builder}` : "",
    form ? ` --as ${form}` : "",
  ];
  return options.join("");
}
