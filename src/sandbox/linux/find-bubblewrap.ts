import { execFile } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { promisify } from "node:util";
import { type Bubblewrap, bubblewrapLinux } from "./bubblewrap.ts";
import type { RootFolder } from "./bwrap-arguments.ts";
import { openControlGroups } from "./control-groups.ts";
import type { LinuxLimits } from "./limits.ts";
import { filterArchitecture } from "./seccomp.ts";
import { programSlots } from "./slots.ts";
import { unknownFacts } from "./probe.ts";
import type { NoLinux } from "./types.ts";

/** `missing`: what this machine cannot bound, for the operator. Sentences. */
export type FoundBubblewrap = { bubblewrap: Bubblewrap; missing: string[]; close(): void } | NoLinux;

/** Older releases lack --disable-userns and --size. */
const oldestVersion = "0.8.0";

/** The machine's own programs, without an installed environment. */
export const machineRoot: RootFolder = { path: "/", isMachine: true };

/**
 * Finds out by running a program whether bubblewrap works here, and how. `folder`: an existing folder for links to contents,
 * on the file system of the store. `programs`: how many run at the same time.
 */
export async function findBubblewrap(
  folder: string,
  root: RootFolder,
  { programs, limits }: { programs: number; limits: LinuxLimits },
): Promise<FoundBubblewrap> {
  if (process.platform !== "linux") return { unavailable: "bubblewrap runs on Linux only." };
  const architecture = filterArchitecture();
  if (architecture === undefined) {
    return { unavailable: `There is no system call filter for ${process.arch}: accepted are x64 and arm64.` };
  }
  const version = await installedVersion();
  if (version === undefined) {
    return {
      unavailable: "bubblewrap is not installed. Install it: apt-get install bubblewrap, or dnf install bubblewrap.",
    };
  }
  if (isOlder(version, oldestVersion)) {
    return { unavailable: `bubblewrap ${version} is too old: ${oldestVersion} or newer is required.` };
  }
  const asRoot = process.getuid?.() === 0;
  const groups = openControlGroups(programs, limits);
  // Below /tmp, which every user can enter: a home folder is often closed to the users that run programs.
  const scratch = mkdtempSync("/tmp/agent-run-programs-");
  chmodSync(scratch, 0o755);
  const close = (): void => {
    groups?.close();
    rmSync(scratch, { recursive: true, force: true });
  };
  const slots = programSlots(programs, asRoot);
  const shared = { architecture, slots, ...(groups && { groups }), limits, scratch, folder };
  let problem = "";
  // Root mounts the overlay itself. Where it cannot, it cannot make a sandbox either.
  for (const workspace of asRoot ? (["overlay"] as const) : (["overlay", "copy"] as const)) {
    const bubblewrap = { ...shared, workspace };
    const failure = await tryProgram(bubblewrap, root);
    if (failure === undefined) return { bubblewrap, missing: missingLimits(bubblewrap), close };
    problem = failure;
  }
  close();
  return { unavailable: `bubblewrap does not work here. ${remedy()}(${problem.trim().slice(0, 300)})` };
}

/** Undefined: it works. */
async function tryProgram(bubblewrap: Bubblewrap, root: RootFolder): Promise<string | undefined> {
  const contents = { link: nothingStored, store: nothingStored };
  const linux = bubblewrapLinux(bubblewrap, { root, facts: unknownFacts }, { id: "try", contents });
  const program = { language: "shell", text: "echo works", files: [], seconds: 10 } as const;
  const { output, problem } = await linux.run(program, new AbortController().signal);
  return problem ?? (output === "works\n" ? undefined : `it printed ${JSON.stringify(output.slice(0, 100))}`);
}

function nothingStored(): never {
  throw new Error("the trial of bubblewrap has no files");
}

async function installedVersion(): Promise<string | undefined> {
  const { stdout } = await promisify(execFile)("bwrap", ["--version"]).catch(() => ({ stdout: "" }));
  return /\d+\.\d+(\.\d+)?/.exec(stdout)?.[0];
}

function isOlder(version: string, than: string): boolean {
  return version.localeCompare(than, "en", { numeric: true }) < 0;
}

function missingLimits({ groups, workspace, limits }: Bubblewrap): string[] {
  return [
    ...(groups
      ? []
      : [`no control groups: the memory of programs is checked every 50 ms (${limits.memoryBytes / 2 ** 20} MB)`]),
    ...(workspace === "overlay" ? [] : ["no overlay mounts: programs get copies of the files"]),
  ];
}

/** What to do about the usual reasons. Ends with a space unless it is empty. */
function remedy(): string {
  if (setting("/proc/sys/kernel/apparmor_restrict_unprivileged_userns") === "1") {
    return (
      "AppArmor restricts user namespaces (Ubuntu 23.10 and newer). Install the profile for bubblewrap: " +
      "apt-get install apparmor-profiles && install -m 0644 /usr/share/apparmor/extra-profiles/bwrap-userns-restrict " +
      "/etc/apparmor.d/ && apparmor_parser -r /etc/apparmor.d/bwrap-userns-restrict. "
    );
  }
  if (setting("/proc/sys/kernel/unprivileged_userns_clone") === "0") {
    return "User namespaces are off. Allow them: sysctl kernel.unprivileged_userns_clone=1. ";
  }
  if (setting("/proc/sys/user/max_user_namespaces") === "0") {
    return "User namespaces are off. Allow them: sysctl user.max_user_namespaces=10000. ";
  }
  if (existsSync("/.dockerenv") || existsSync("/run/.containerenv")) {
    return (
      "The service is in a container whose seccomp profile forbids namespaces. Start the container with " +
      "--security-opt seccomp=unconfined --security-opt apparmor=unconfined --security-opt systempaths=unconfined, and, " +
      "as root, --cap-add SYS_ADMIN. "
    );
  }
  return "";
}

function setting(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8").trim();
  } catch {
    return undefined;
  }
}
