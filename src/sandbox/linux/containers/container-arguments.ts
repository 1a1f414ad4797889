import { dirname, join } from "node:path";
import { programCommand, programEnvironment, programPaths } from "../bubblewrap/bwrap-arguments.ts";
import type { ContainerEngine } from "../environments.ts";
import type { LinuxLimits } from "../linux-limits.ts";
import { programPriority } from "../../priority.ts";
import { pythonFolder } from "../python-path.ts";
import type { ProgramUsers } from "../slots.ts";
import type { LinuxProgram } from "../linux-types.ts";

/** How an engine runs containers here. */
export interface ContainerHost {
  engine: ContainerEngine;
  /** A runtime of the engine instead of its default one, such as `runsc` of gVisor. */
  runtime?: string;
  /** File with a profile of system calls, instead of the engine's own. */
  seccompProfile?: string;
  /** The engine can bound memory and processes. */
  hasGroups: boolean;
  limits: LinuxLimits;
  /** Whose user the kernel sees in a program. */
  users: ProgramUsers;
  /** Where the files of a program are: in a tmpfs with a size, or in a folder on the disk that is watched. */
  workspace: "memory" | "disk";
  /** Marks the containers of one service, so that it finds those that a crash left. */
  owner: string;
}

/** What a container is made of: an image, or (with podman) the folder of a root file system. */
export type ContainerRoot = { image: string } | { root: string };

/** One program's container. Paths are on this machine. */
interface Container {
  name: string;
  root: ContainerRoot;
  /** `user:group`, numbers. */
  user: string;
  language: LinuxProgram["language"];
  /** Printed before the program starts. Without it, the engine failed. */
  startMark: string;
  workspace: string;
  /** File with the program's text. */
  text: string;
  /** Folder with `pythonStart`. */
  python: string;
  seconds: number;
}

/** Seconds after its time limit in which a container ends by itself, if the service is not there to end it. */
const graceSeconds = 30;

/** Where podman writes the number of a container's first process. `folder`: of one program. */
export function pidFile(folder: string): string {
  return join(folder, "pid");
}

export const ownerLabel = "agent-run-service.owner";

/**
 * Arguments of `docker run` and `podman run`. Without `--init`, which needs a further program on some systems: the shell is
 * process 1, which is protected from signals of the program, and takes over processes without a parent.
 */
export function containerArguments(host: ContainerHost, container: Container): string[] {
  const { engine, runtime, limits } = host;
  const { name, root, user, language, workspace, text, python, seconds } = container;
  const memory = String(limits.memoryBytes);
  // podman would copy files and modes of the image's folders.
  const empty = engine === "podman" ? ",notmpcopyup" : "";
  const temporary = `rw,exec,nosuid,nodev,size=${limits.diskBytes},mode=1777${empty}`;
  const label = process.platform === "linux" ? ",Z" : ""; // for SELinux; without effect elsewhere
  const groups = ["--memory", memory, "--memory-swap", memory, "--pids-limit", String(limits.processes)];
  // A tenth of the default. A rootless podman often may not set it: systemd delegates only memory and pids to it.
  const hasProcessors = host.hasGroups && (engine === "docker" || process.getuid?.() === 0);
  return [
    [
      "run",
      "--rm",
      "--name",
      name,
      "--label",
      `${ownerLabel}=${host.owner}`,
      "--pull",
      "never",
      "--log-driver",
      "none",
    ],
    runtime === undefined ? [] : ["--runtime", runtime],
    ["--network", "none", "--read-only", "--cap-drop", "ALL", "--security-opt", "no-new-privileges", "--user", user],
    ["--hostname", "sandbox", "--shm-size", String(limits.diskBytes), "--ipc", "private"],
    ["--tmpfs", `/tmp:${temporary}`, "--tmpfs", `/var/tmp:${temporary}`],
    // The processes of all containers of a user count together. Without a number, podman tries to raise the service's own.
    [
      "--ulimit",
      `nofile=${limits.openFiles}:${limits.openFiles}`,
      "--ulimit",
      "nproc=4096:4096",
      "--ulimit",
      "core=0:0",
    ],
    host.hasGroups ? groups : [],
    // When memory runs out, the kernel ends programs, not the service.
    process.platform === "linux" ? ["--oom-score-adj", "1000"] : [],
    hasProcessors ? ["--cpu-shares", "100"] : [],
    engine === "podman" ? podmanArguments(host, user, seconds) : [],
    engine === "podman" && !host.hasGroups ? ["--pidfile", pidFile(dirname(text))] : [],
    ["--volume", `${workspace}:/work:rw${label}`, "--volume", `${text}:${programPaths[language]}:ro${label}`],
    ["--volume", `${python}:${pythonFolder}:ro${label}`],
    ["--workdir", "/work", "--entrypoint", "/bin/sh"],
    // A change of the root file system is thrown away.
    "image" in root ? [root.image] : ["--rootfs", `${root.root}:O`],
    shellArguments(container, host),
  ].flat();
}

/**
 * podman passes variables of proxies on, mounts temporary folders without a size, and calls a user by its number. One that is not
 * root numbers users anew.
 */
function podmanArguments({ seccompProfile, users }: ContainerHost, user: string, seconds: number): string[] {
  const isRootless = process.platform === "linux" && process.getuid?.() !== 0;
  return [
    ["--http-proxy=false", "--read-only-tmpfs=false", "--timeout", String(seconds + graceSeconds)],
    ["--passwd-entry", `nobody:x:${user}::/tmp:/usr/sbin/nologin`],
    ["--security-opt", "mask=/proc/key-users:/sys"],
    seccompProfile === undefined ? [] : ["--security-opt", `seccomp=${seccompProfile}`],
    isRootless && users === "shared" ? ["--userns", "keep-id"] : [],
  ].flat();
}

/**
 * What process 1 does: it prints the mark, starts the program as its child, and ends with the program's exit code. A program
 * that the service does not end, because it has crashed, ends `graceSeconds` after its time limit.
 */
const firstProcess = `trap '' INT
printf %s "$1"; seconds=$2; shift 2
"$@" 2>&1 &
program=$!
(sleep "$seconds"; kill -9 $program) >/dev/null 2>&1 &
wait $program
exit $?`;

const nice = ["nice", "-n", String(programPriority)];

/** Of the shell that is process 1. The engine's own variables and those of an image are removed. */
function shellArguments(
  { language, startMark, seconds }: Container,
  { limits, hasGroups }: Pick<ContainerHost, "limits" | "hasGroups">,
): string[] {
  const variables = Object.entries(programEnvironment).map(([name, value]) => `${name}=${value}`);
  // A shell ignores interrupts for its background processes.
  const command = [
    "env",
    "--default-signal=INT,QUIT",
    "-i",
    ...variables,
    ...nice,
    ...programCommand(language, limits, hasGroups),
  ];
  return ["-c", firstProcess, "sh", startMark, String(seconds + graceSeconds), ...command];
}
