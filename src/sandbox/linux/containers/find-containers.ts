import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { userInfo } from "node:os";
import { promisify } from "node:util";
import { commandLine } from "../../../command-line.ts";
import { type Containers, containerLinux } from "./container.ts";
import { type ContainerRoot, ownerLabel } from "./container-arguments.ts";
import type { ContainerEngine } from "../environments.ts";
import { sharedUserNote, withinKernelLimits } from "../kernel-limits.ts";
import type { LinuxLimits } from "../linux-limits.ts";
import { writeStricterProfile } from "./container-seccomp.ts";
import { programSlots } from "../slots.ts";
import { unknownFacts } from "../bubblewrap/probe.ts";
import type { NoLinux } from "../linux-types.ts";

/** `missing`: what this machine cannot bound, for the operator. Sentences. */
export type FoundContainers = { containers: Containers; missing: string[]; close(): void } | NoLinux;

/** Milliseconds for a question to an engine. Starting Docker Desktop's machine takes longer than that. */
const questionMilliseconds = 20_000;

/**
 * Finds out by running a program whether an engine works here, and how: with gVisor if it is installed. `folder`: an existing
 * folder for copies of files, on the file system of the store. Ends containers that an earlier service on it left.
 */
export async function findContainers(
  engine: ContainerEngine,
  folder: string,
  root: ContainerRoot,
  { programs, limits }: { programs: number; limits: LinuxLimits },
): Promise<FoundContainers> {
  const info = await ask(engine, ["info"]);
  if ("problem" in info) return { unavailable: `${engine} does not work here: ${explain(engine, info.problem)}` };
  if ("root" in root && engine === "docker") {
    const command = commandLine("admin", "environment install --with docker --as image");
    return {
      unavailable: `docker needs an image, and the environment is installed as a folder. Install an image: ${command}`,
    };
  }
  const owner = createHash("sha256").update(folder).digest("hex").slice(0, 16);
  await removeLeftovers(engine, owner);
  const asRoot = process.getuid?.() === 0;
  const profile = engine === "podman" ? writeStricterProfile(folder) : undefined;
  const close = (): void => profile?.remove();
  let problem = "";
  const groups = (await ignoresLimits(engine)) ? [false] : [true, false];
  for (const runtime of await runtimes(engine)) {
    const options = { ...(runtime !== undefined && { runtime }), ...(profile && { seccompProfile: profile.file }) };
    for (const way of waysOf(engine, asRoot)) {
      const bounded = withinKernelLimits(limits, programs, way.users === "shared" && process.platform === "linux");
      const shared = { engine, limits: bounded, owner, folder, slots: programSlots(programs, way.users) };
      for (const hasGroups of groups) {
        const containers = { ...shared, ...options, ...way, hasGroups };
        const failure = await tryProgram(containers, root);
        if (failure === undefined) return { containers, missing: missingLimits(containers), close };
        if (way.workspace === "disk") problem ||= failure;
      }
    }
  }
  close();
  return { unavailable: `${engine} does not work here: ${explain(engine, problem)}` };
}

type Way = Pick<Containers, "workspace" | "users">;

/** How an engine can run programs, the best way first. A daemon does not see the mounts of the service. */
function waysOf(engine: ContainerEngine, asRoot: boolean): Way[] {
  const users = asRoot ? "own" : "shared";
  const onDisk: Way = { workspace: "disk", users };
  if (engine === "docker" || process.platform !== "linux") return [onDisk];
  return [{ workspace: "memory", users: asRoot ? "own" : "range" }, onDisk];
}

/** Undefined: it works, and sees and changes files. */
async function tryProgram(containers: Containers, root: ContainerRoot): Promise<string | undefined> {
  const contents = {
    folder: "",
    copy: () => Promise.reject(new Error("the trial has no files")),
    timeOf: async () => 0,
    store: async () => ({ sha256: "", size: 0 }),
    settle: async () => {},
  };
  const linux = containerLinux(containers, { root, facts: unknownFacts }, { id: "try", contents });
  const program = { language: "shell", text: "echo works | tee result", files: [], seconds: 60 } as const;
  const { output, problem, changed } = await linux.run(program, new AbortController().signal);
  if (problem !== undefined) return problem;
  if (output !== "works\n") return `a program printed ${JSON.stringify(output.slice(0, 100))} instead of "works"`;
  return changed[0]?.name === "result" ? undefined : `files that a program writes do not reach ${containers.folder}`;
}

/** Runtimes to try. Undefined: the engine's default. */
async function runtimes(engine: ContainerEngine): Promise<(string | undefined)[]> {
  if (engine === "docker") {
    const info = await ask(engine, ["info", "--format", "{{json .Runtimes}}"]);
    const hasGvisor = "output" in info && Object.keys((JSON.parse(info.output) ?? {}) as object).includes("runsc");
    return hasGvisor ? ["runsc", undefined] : [undefined];
  }
  const hasGvisor = "output" in (await ask("runsc", ["--version"]));
  // crun refuses some kernels' control groups.
  const hasRunc = "output" in (await ask("runc", ["--version"]));
  return [...(hasGvisor ? ["runsc"] : []), undefined, ...(hasRunc ? ["runc"] : [])];
}

/**
 * Whether the engine starts containers without the limits of memory and processes that it is asked for. A rootless podman does
 * with control groups v1, and docker where the kernel has no such groups.
 */
async function ignoresLimits(engine: ContainerEngine): Promise<boolean> {
  const [fields, ignoring] = {
    podman: ["{{.Host.CgroupsVersion}} {{.Host.Security.Rootless}}", /^v1 true/] as const,
    docker: ["{{.MemoryLimit}} {{.PidsLimit}}", /false/] as const,
  }[engine];
  const info = await ask(engine, ["info", "--format", fields]);
  return "output" in info && ignoring.test(info.output);
}

async function removeLeftovers(engine: ContainerEngine, owner: string): Promise<void> {
  const listed = await ask(engine, ["ps", "--all", "--quiet", "--filter", `label=${ownerLabel}=${owner}`]);
  const ids = "output" in listed ? listed.output.split("\n").filter(Boolean) : [];
  if (ids.length > 0) await ask(engine, ["rm", "--force", ...ids]);
}

async function ask(command: string, args: string[]): Promise<{ output: string } | { problem: string }> {
  try {
    const { stdout } = await promisify(execFile)(command, args, { timeout: questionMilliseconds });
    return { output: stdout };
  } catch (error) {
    const { stderr, message } = error as Error & { stderr?: string };
    return { problem: stderr?.trim() || message };
  }
}

function missingLimits({ engine, hasGroups, limits, users, workspace }: Containers): string[] {
  return [
    ...(users === "shared" && process.platform === "linux" ? [sharedUserNote(limits)] : []),
    ...(workspace === "disk"
      ? ["files of programs are on the disk of the service: their size is checked every 50 ms"]
      : []),
    ...(hasGroups ? [] : [`${engine} cannot limit the memory and the processes of programs here`]),
  ];
}

/** What to do about the usual reasons, then the reason in the engine's words. */
function explain(engine: ContainerEngine, problem: string): string {
  const words = problem.replaceAll(/\s+/g, " ").slice(0, 300);
  const remedy = remedies(engine).find(([pattern]) => pattern.test(problem))?.[1];
  return remedy === undefined ? words : `${remedy} (${words})`;
}

function remedies(engine: ContainerEngine): [RegExp, string][] {
  const user = userInfo().username;
  return [
    [
      /ENOENT/,
      engine === "docker"
        ? "it is not installed. Install it: apt-get install docker.io, or Docker Desktop."
        : "it is not installed. Install it: apt-get install podman, or brew install podman.",
    ],
    [
      /permission denied.*(?:socket|\.sock)|(?:socket|\.sock).*permission denied/is,
      `the user ${user} may not use it. Allow it: sudo usermod -aG docker ${user}, then log in again. Members of this group ` +
        "have the rights of root.",
    ],
    [
      /cannot connect to the docker daemon|is the docker daemon running|docker desktop is (?:unable|not running)/i,
      "its daemon is not running. Start it: systemctl start docker, or start Docker Desktop.",
    ],
    [
      /cannot connect to podman|unable to connect to podman/i,
      "its machine is not running. Start it: podman machine start.",
    ],
    [/hybrid mode/i, "its runtime crun does not support hybrid control groups. Install another: apt-get install runc."],
    [
      /subuid|subgid|newuidmap|insufficient UIDs/i,
      `the user ${user} has no range of further users. Give it a free one: sudo usermod --add-subuids 200000-265535 ` +
        `--add-subgids 200000-265535 ${user}, then podman system migrate.`,
    ],
    [
      /no such image|unable to find image|image not known|pull access denied/i,
      `its image of the environment is gone. Install it again: ${commandLine("admin", "environment install")}.`,
    ],
    [
      /mounts denied|file sharing|not shared from the host/i,
      "it may not use the data directory. Share its folder in the settings of Docker Desktop.",
    ],
  ];
}
