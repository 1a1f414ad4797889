import { readFileSync, readdirSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import { environmentName } from "./environment-name.ts";
import { checkFacts, parseJson, shown } from "./bubblewrap/probe.ts";
import type { EnvironmentFacts } from "./linux-types.ts";

/** A root file system in a folder of this machine, or an image of a container engine. */
export type InstalledEnvironment = {
  facts: EnvironmentFacts;
  /** Digest of what the environment "linux" was built from. Absent: of an own environment, and of one that 0.2.0 installed. */
  sources?: string;
} & ({ root: string } | { image: string; engine: ContainerEngine });

export type ContainerEngine = "docker" | "podman";

/** Of the folder of an environment. */
export const environmentFiles = { description: "environment.json", root: "rootfs" };

/** Files that the build writes into a root file system. */
export const factsPath = "usr/share/agent-environment/facts.json";

/**
 * The folder with the environments of this machine. `variables`: of the process. The programs of a service that runs as root
 * have users of their own, who cannot reach files below root's home folder: root's environments are in /var/lib.
 */
export function environmentsFolder(
  variables: Record<string, string | undefined>,
  isRoot: boolean = process.getuid?.() === 0,
): string {
  const { AGENT_RUN_ENVIRONMENTS: given, XDG_DATA_HOME: data } = variables;
  if (given) return resolve(given);
  if (data && isAbsolute(data)) return join(data, "agent-run-service", "environments");
  if (isRoot) return "/var/lib/agent-run-service/environments";
  return join(homedir(), ".local", "share", "agent-run-service", "environments");
}

/** The file that describes an environment. It exists when the environment is complete. */
export function descriptionFile(folder: string, name: string): string {
  return join(folder, name, environmentFiles.description);
}

/** What `environment install` has installed. Undefined: nothing with this name. Throws an Error with the file if it is damaged. */
export function readEnvironment(folder: string, name: string): InstalledEnvironment | undefined {
  if (!environmentName.test(name)) return undefined;
  const file = descriptionFile(folder, name);
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
  try {
    return parseEnvironment(text, join(folder, name));
  } catch (error) {
    throw new Error(`${file}: ${(error as Error).message}; install the environment again`, { cause: error });
  }
}

/** Names of the complete environments of a folder, sorted. */
export function listEnvironments(folder: string): string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries
      .flatMap((entry) => (entry.isDirectory() && environmentName.test(entry.name) ? [entry.name] : []))
      .toSorted();
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

/** The content of `environment.json`. */
export function describeEnvironment(environment: InstalledEnvironment): string {
  const { facts, sources } = environment;
  const where =
    "root" in environment
      ? { kind: "rootfs" }
      : { kind: "image", image: environment.image, engine: environment.engine };
  return `${JSON.stringify({ where, sources, facts }, null, 2)}\n`;
}

function parseEnvironment(text: string, folder: string): InstalledEnvironment {
  const { where, facts, sources } = parseJson(text) as Record<"facts" | "sources", unknown> & {
    where?: Record<string, unknown>;
  };
  const found = { facts: checkFacts(facts), ...(typeof sources === "string" && { sources }) };
  if (where?.["kind"] === "rootfs") return { ...found, root: join(folder, environmentFiles.root) };
  const { image, engine } = where ?? {};
  if (typeof image === "string" && (engine === "docker" || engine === "podman")) return { ...found, image, engine };
  throw new Error(`"where" is ${shown(where)} instead of a root file system or an image of docker or podman`);
}

function isMissing(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === "ENOENT" || code === "ENOTDIR";
}
