import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { basename, join, resolve } from "node:path";
import { environmentName } from "../../../src/sandbox/linux/environment-name.ts";
import {
  describeEnvironment,
  environmentFiles,
  factsPath,
  type InstalledEnvironment,
  readEnvironment,
} from "../../../src/sandbox/linux/environments.ts";
import { parseFacts } from "../../../src/sandbox/linux/probe.ts";
import type { EnvironmentFacts } from "../../../src/sandbox/linux/types.ts";
import { CliError } from "../../cli.ts";
import { buildImage, copyFacts, engineProblem, exportImage, removeImage } from "./container-build.ts";
import { buildWithMmdebstrap, mmdebstrapProblem } from "./mmdebstrap.ts";
import { commandWorks, runCommand } from "./run-command.ts";

export const builders = ["docker", "podman", "mmdebstrap"] as const;
export type Builder = (typeof builders)[number];

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
}

/** Folders that are no environments: an installation, and what it replaced. The process that uses one is in its name. */
const temporaryFolder = /^\.(?:installing|removed)-(\d+)-/;

/** Builds an environment in a temporary folder, and puts it in its place when it is complete. */
export async function installEnvironment(request: InstallRequest, place: Place): Promise<InstalledEnvironment> {
  checkName(request.name);
  const { name, file = join(place.sources, "Dockerfile") } = request;
  if (!existsSync(file)) throw new CliError(`there is no file ${file}; pass a Dockerfile with --file`);
  const needsEngine = request.file !== undefined || request.form === "image";
  if (request.builder === "mmdebstrap" && needsEngine) {
    throw new CliError("mmdebstrap builds the environment linux as a folder only; use --with docker or --with podman");
  }
  const able = needsEngine ? builders.filter((builder) => builder !== "mmdebstrap") : builders;
  mkdirSync(place.environments, { recursive: true, mode: 0o755 });
  removeLeftovers(place.environments);
  const folder = mkdtempSync(join(place.environments, `.installing-${process.pid}-`));
  try {
    const build = async (builder: Builder, attempt: string) => {
      const complete = join(attempt, "complete");
      mkdirSync(complete, { mode: 0o755, recursive: true });
      const steps = { name, sources: place.sources, folder: attempt, report: place.report };
      const environment =
        builder === "mmdebstrap"
          ? await unpack(await buildWithMmdebstrap(name, steps), complete, place.report)
          : await installFromImage({ ...steps, engine: builder, file: resolve(file) }, complete, request.form);
      return { environment, complete };
    };
    const attempted = { builders: request.builder ? [request.builder] : able, able, folder, report: place.report };
    const { environment, complete } = await firstThatWorks(attempted, build);
    writeFileSync(join(complete, environmentFiles.description), describeEnvironment(environment));
    await replace(complete, name, place.environments);
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

function checkName(name: string): void {
  if (environmentName.test(name)) return;
  throw new CliError(
    `"${name}" cannot name an environment; use up to 40 small letters, digits and hyphens, the first one a letter`,
  );
}

interface Attempts {
  /** What to try, in this order. */
  builders: readonly Builder[];
  /** All that can build the environment. */
  able: readonly Builder[];
  /** For temporary files. */
  folder: string;
  report: (line: string) => void;
}

/**
 * Builds with the first builder that works, each in a folder of its own. One can be installed and fail: without a connection
 * to the registry of its images, for example.
 */
async function firstThatWorks<Built>(
  { builders: tried, able, folder, report }: Attempts,
  build: (builder: Builder, folder: string) => Promise<Built>,
): Promise<Built> {
  const problems: string[] = [];
  for (const [index, builder] of tried.entries()) {
    const problem = await problemOf(builder);
    if (problem !== undefined) {
      problems.push(problem);
      continue;
    }
    try {
      return await build(builder, join(folder, builder));
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      problems.push(error.message);
      const others = tried.slice(index + 1);
      if (others.length > 0) report(`${error.message}. Trying ${others.join(" and ")} instead ...`);
    }
  }
  const others = able.filter((builder) => !tried.includes(builder));
  const remedies = await Promise.all(
    others.map(async (builder) => {
      const problem = await problemOf(builder);
      return `; or use --with ${builder}${problem === undefined ? "" : ` (${problem})`}`;
    }),
  );
  const all = tried.length > 1 ? `none of ${tried.join(", ")} can build the environment here: ` : "";
  throw new CliError(`${all}${problems.join("; ")}${remedies.join("")}`);
}

/** Why a builder cannot be used here, with what to do. Undefined: it can, as far as is known before a build. */
function problemOf(builder: Builder): Promise<string | undefined> {
  return builder === "mmdebstrap" ? mmdebstrapProblem() : engineProblem(builder);
}

async function installFromImage(
  build: Parameters<typeof buildImage>[0],
  complete: string,
  form: Form | undefined,
): Promise<InstalledEnvironment> {
  const { engine, folder, report } = build;
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
    report("Exporting the image ...");
    return await unpack(await exportImage(engine, image, folder), complete, report);
  } finally {
    await removeImage(engine, image).catch(() => {});
  }
}

/** Unpacks a root file system without devices. */
async function unpack(
  archive: string,
  complete: string,
  report: (line: string) => void,
): Promise<InstalledEnvironment> {
  report("Unpacking ...");
  const root = join(complete, environmentFiles.root);
  mkdirSync(root, { mode: 0o755 });
  await runCommand([
    "tar",
    "-x",
    "-p",
    "--no-same-owner",
    "--exclude=./dev/*",
    "--exclude=dev/*",
    "-f",
    archive,
    "-C",
    root,
  ]);
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
  const removed = mkdtempSync(join(environments, `.removed-${process.pid}-`));
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

/** What installations left that were killed. */
function removeLeftovers(environments: string): void {
  for (const entry of readdirSync(environments)) {
    const pid = Number(temporaryFolder.exec(basename(entry))?.[1]);
    if (pid > 0 && !isAlive(pid)) rmSync(join(environments, entry), { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
