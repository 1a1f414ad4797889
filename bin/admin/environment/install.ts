import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { environmentName } from "../../../src/sandbox/linux/environment-name.ts";
import {
  describeEnvironment,
  environmentFiles,
  factsPath,
  type InstalledEnvironment,
  readEnvironment,
} from "../../../src/sandbox/linux/environments.ts";
import { parseFacts } from "../../../src/sandbox/linux/bubblewrap/probe.ts";
import type { EnvironmentFacts } from "../../../src/sandbox/linux/linux-types.ts";
import { CliError } from "../../cli.ts";
import { BuildLog } from "./build-log.ts";
import { ableBuilders, type Builder, firstThatWorks } from "./builders.ts";
import { buildImage, copyFacts, exportImage, removeImage } from "./container-build.ts";
import { temporaryFolder } from "./leftovers.ts";
import { buildWithMmdebstrap } from "./mmdebstrap.ts";
import { commandWorks, runCommand } from "./run-command.ts";
import { digestOfSources } from "./sources.ts";
import { spaceProblem } from "./space.ts";

/** What programs use: a folder, which bubblewrap needs, or an image of docker or podman. */
export const forms = ["folder", "image"] as const;
export type Form = (typeof forms)[number];

export interface InstallRequest {
  name: string;
  /** Default: that of the environment "linux". */
  file?: string | undefined;
  /** Default: the first that works. */
  builder?: Builder | undefined;
  /** Default: a folder where bubblewrap is installed, else an image. */
  form?: Form | undefined;
}

interface Place {
  /** The folder of all environments. Made if missing. */
  environments: string;
  /** The folder of the environment "linux". */
  sources: string;
  report: (line: string) => void;
  /** Ends the installation. */
  signal: AbortSignal;
}

/** Builds an environment in a temporary folder, and puts it in its place when it is complete. */
export async function installEnvironment(request: InstallRequest, place: Place): Promise<InstalledEnvironment> {
  checkName(request.name);
  const { name, file = join(place.sources, "Dockerfile") } = request;
  if (!existsSync(file)) throw new CliError(`there is no file ${file}; pass a Dockerfile with --file`);
  const able = ableBuilders(request);
  if (request.builder && !able.includes(request.builder)) {
    throw new CliError("mmdebstrap builds the environment linux as a folder only; use --with docker or --with podman");
  }
  const full = request.file === undefined ? spaceProblem(place.environments) : undefined;
  if (full !== undefined) throw new CliError(full);
  mkdirSync(place.environments, { recursive: true, mode: 0o755 });
  const folder = temporaryFolder(place.environments, ".installing-");
  const log = new BuildLog(join(folder, "log"), place.report);
  const kept = logFile(place.environments, name);
  try {
    const build = async (builder: Builder, attempt: string) => {
      const complete = join(attempt, "complete");
      mkdirSync(complete, { mode: 0o755, recursive: true });
      const steps = { name, sources: place.sources, folder: attempt, log, signal: place.signal };
      const environment =
        builder === "mmdebstrap"
          ? await unpack(await buildWithMmdebstrap(name, steps), complete, steps)
          : await installFromImage({ ...steps, engine: builder, file: resolve(file) }, complete, request.form);
      return { environment, complete };
    };
    const tried = request.builder ? [request.builder] : able;
    const { environment, complete } = await firstThatWorks({ ...place, builders: tried, able, folder }, build);
    const isOwn = request.file !== undefined;
    const described = isOwn ? environment : { ...environment, sources: digestOfSources(place.sources) };
    writeFileSync(join(complete, environmentFiles.description), describeEnvironment(described));
    await replace(complete, name, place.environments);
    rmSync(kept, { force: true });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const isExpected = error instanceof CliError || code !== undefined; // of a file, such as ENOSPC
    if (!isExpected || place.signal.aborted || log.isEmpty) throw error;
    renameSync(log.file, kept);
    const where = error instanceof CliError ? "" : `the step "${log.failure().step}" failed: `;
    const lacking = log.problem === undefined ? "" : `, without its end (${log.problem})`;
    throw new CliError(`${where}${message}. All output is in ${kept}${lacking}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  const installed = readEnvironment(place.environments, name);
  if (!installed) throw new CliError(`the environment ${name} was removed while it was installed`);
  return installed;
}

/** Removes an environment, and its image. */
export async function removeEnvironment(name: string, environments: string): Promise<InstalledEnvironment> {
  const environment = readEnvironment(environments, name);
  if (!environment) {
    throw new CliError(`there is no environment ${name} in ${environments}; see environment list`);
  }
  await replace(undefined, name, environments);
  return environment;
}

/** Where the output of a failed installation is kept. */
function logFile(environments: string, name: string): string {
  return join(environments, `${name}.log`);
}

function checkName(name: string): void {
  if (environmentName.test(name)) return;
  throw new CliError(
    `"${name}" cannot name an environment; use up to 40 small letters, digits and hyphens, the first one a letter`,
  );
}

async function installFromImage(
  build: Parameters<typeof buildImage>[0],
  complete: string,
  form: Form | undefined,
): Promise<InstalledEnvironment> {
  const { engine, folder, log } = build;
  const image = await buildImage(build);
  const asFolder = form === undefined ? await commandWorks(["bwrap", "--version"]) : form === "folder";
  if (!asFolder) {
    try {
      return { facts: readFacts(await copyFacts(engine, image, folder)), image, engine };
    } catch (error) {
      await removeImage(engine, image).catch(() => {});
      throw error;
    }
  }
  try {
    log.step("export the image");
    return await unpack(await exportImage(engine, image, build), complete, build);
  } finally {
    await removeImage(engine, image).catch(() => {});
  }
}

/** Unpacks a root file system without devices. */
async function unpack(
  archive: string,
  complete: string,
  running: { log: BuildLog; signal: AbortSignal },
): Promise<InstalledEnvironment> {
  running.log.step("unpack the root file system");
  const root = join(complete, environmentFiles.root);
  mkdirSync(root, { mode: 0o755 });
  const options = ["--no-same-owner", "--exclude=./dev/*", "--exclude=dev/*"];
  await runCommand(["tar", "-xpf", archive, ...options, "-C", root], running);
  rmSync(archive);
  // The builder's own, which tell about this machine.
  writeFileSync(join(root, "etc/hostname"), "sandbox\n");
  writeFileSync(join(root, "etc/hosts"), "127.0.0.1 localhost sandbox\n::1 localhost\n");
  rmSync(join(root, "etc/resolv.conf"), { force: true });
  return { facts: readFacts(join(root, factsPath)), root };
}

function readFacts(file: string): EnvironmentFacts {
  try {
    return parseFacts(readFileSync(file, "utf8"));
  } catch (error) {
    throw new CliError(`the environment was built, but ${factsPath} is wrong: ${(error as Error).message}`);
  }
}

/** Puts a complete environment in its place. `complete` undefined: it is only removed. */
async function replace(complete: string | undefined, name: string, environments: string): Promise<void> {
  const old = readIfValid(environments, name);
  const target = join(environments, name);
  const removed = temporaryFolder(environments, ".removed-");
  if (existsSync(target)) renameSync(target, join(removed, name));
  if (complete !== undefined) renameSync(complete, target);
  rmSync(removed, { recursive: true, force: true });
  if (old && "image" in old) await removeImage(old.engine, old.image).catch(() => {});
}

function readIfValid(environments: string, name: string): InstalledEnvironment | undefined {
  try {
    return readEnvironment(environments, name);
  } catch {
    return undefined; // it is damaged, and replaced
  }
}
