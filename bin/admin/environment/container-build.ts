import { randomUUID } from "node:crypto";
import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type ContainerEngine, factsPath } from "../../../src/sandbox/linux/environments.ts";
import { CliError } from "../../cli.ts";
import type { BuildLog } from "./build-log.ts";
import { runCommand } from "./run-command.ts";
import { userRangeProblems } from "./user-ranges.ts";

export interface ImageBuild {
  engine: ContainerEngine;
  name: string;
  /** The Dockerfile. Its folder is the context of the build. */
  file: string;
  /** The folder of the environment "linux", with the scripts that describe an environment. */
  sources: string;
  /** An existing folder for temporary files. */
  folder: string;
  log: BuildLog;
  signal: AbortSignal;
}

/** Why an engine cannot build images here, with what to do. Undefined: it can. */
export async function engineProblem(engine: ContainerEngine): Promise<string | undefined> {
  try {
    await runCommand([engine, "info"]);
    const lacking = engine === "podman" ? await userRangeProblems(engine) : [];
    return lacking.length > 0 ? lacking.join("; ") : undefined;
  } catch (error) {
    const message = (error as Error).message;
    return message.includes("ENOENT") ? `${engine} is missing: apt-get install ${packageOf(engine)}` : message;
  }
}

function packageOf(engine: ContainerEngine): string {
  return engine === "docker" ? "docker.io" : "podman";
}

/** Builds an image, describes it by a further layer, and resolves with its tag. */
export async function buildImage({ engine, name, file, sources, folder, log, signal }: ImageBuild): Promise<string> {
  log.step(`build ${file} with ${engine}`);
  const id = randomUUID().slice(0, 8);
  const base = `localhost/agent-environment-${name}:build-${id}`;
  const image = `localhost/agent-environment-${name}:${id}`;
  const progress = { log, signal, report: (line: string) => log.show(`  ${line}`) };
  await runCommand(
    [engine, "build", "--build-arg", `NAME=${name}`, "--tag", base, "--file", file, dirname(file)],
    progress,
  );
  log.step("describe the image");
  try {
    await runCommand([engine, "build", "--tag", image, describedContext(base, name, sources, folder)], progress);
  } catch (error) {
    if (signal.aborted) throw error;
    const message = error instanceof Error ? error.message : String(error);
    throw new CliError(
      `the image has no bash, no coreutils or no Python 3.8 or newer, which an environment needs: ${message}`,
    );
  } finally {
    await runCommand([engine, "rmi", base]).catch(() => {});
  }
  return image;
}

/** A folder with a Dockerfile that adds the description to an image. */
function describedContext(base: string, name: string, sources: string, folder: string): string {
  const context = join(folder, "describe");
  mkdirSync(context);
  for (const script of ["probe.sh", "describe.py"]) copyFileSync(join(sources, script), join(context, script));
  const lines = [
    `FROM ${base}`,
    "USER 0",
    "COPY probe.sh describe.py /tmp/describe/",
    // Runtimes give the temporary file systems of a container the modes of these folders.
    `RUN mkdir -p /var/tmp && chmod 1777 /tmp /var/tmp && python3 /tmp/describe/describe.py ${name} && rm -r /tmp/describe`,
  ];
  writeFileSync(join(context, "Dockerfile"), `${lines.join("\n")}\n`);
  return context;
}

/** Writes the root file system of an image as a tar archive, and resolves with its path. */
export async function exportImage(
  engine: ContainerEngine,
  image: string,
  { folder, log, signal }: Pick<ImageBuild, "folder" | "log" | "signal">,
): Promise<string> {
  const archive = join(folder, "rootfs.tar");
  const command = (container: string) => [engine, "export", "--output", archive, container];
  await withContainer(engine, image, (container) => runCommand(command(container), { log, signal }));
  return archive;
}

/** Copies the description out of an image, and resolves with its path. */
export async function copyFacts(engine: ContainerEngine, image: string, folder: string): Promise<string> {
  const file = join(folder, "facts.json");
  await withContainer(engine, image, (container) => runCommand([engine, "cp", `${container}:/${factsPath}`, file]));
  return file;
}

/** A container that is never started. */
async function withContainer(
  engine: ContainerEngine,
  image: string,
  use: (id: string) => Promise<unknown>,
): Promise<void> {
  const container = `agent-environment-${randomUUID()}`;
  await runCommand([engine, "create", "--name", container, image, "true"]);
  try {
    await use(container);
  } finally {
    await runCommand([engine, "rm", container]).catch(() => {});
  }
}

export async function removeImage(engine: ContainerEngine, image: string): Promise<void> {
  await runCommand([engine, "rmi", image]);
}
