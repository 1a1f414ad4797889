import { execFile } from "node:child_process";
import { randomBytes, randomUUID } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync } from "node:fs";
import { copyFile, mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { contentName } from "../../../filenames.ts";
import { sha256OfBytes } from "../changes.ts";
import { type Bubblewrap, bubblewrapLinux } from "./bubblewrap.ts";
import type { RootFolder } from "./bwrap-arguments.ts";
import { openControlGroups } from "../control-groups.ts";
import { sharedUserNote, withinKernelLimits } from "../kernel-limits.ts";
import type { LinuxLimits } from "../linux-limits.ts";
import { leftNames, ownName } from "./own-names.ts";
import { filterArchitecture } from "./seccomp.ts";
import { programSlots } from "../slots.ts";
import { unknownFacts } from "./probe.ts";
import { copiedBytes } from "./stubs.ts";
import type { ContentFolder } from "../content-folder.ts";
import type { NoLinux, StoredFile } from "../linux-types.ts";

/** `missing`: what this machine cannot bound, for the operator. Sentences. */
export type FoundBubblewrap = { bubblewrap: Bubblewrap; missing: string[]; close(): void } | NoLinux;

/** Bytes of the file of the trial: more than one that is always copied. */
const triedFileBytes = 100_000;

/** Older releases lack --disable-userns and --size. */
const oldestVersion = "0.8.0";

/** The machine's own programs, without an installed environment. */
export const machineRoot: RootFolder = { path: "/", isMachine: true };

/**
 * Finds out by running a program whether bubblewrap works here, and how. `folder`: an existing folder for files of
 * programs, on the file system of the store. `programs`: how many run at the same time.
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
  const scratch = makeScratch();
  const groups = openControlGroups(programs, limits);
  const close = (): void => {
    groups?.close();
    removeScratch(scratch);
  };
  const shared = { architecture, ...(groups && { groups }), scratch, folder };
  let problem = "";
  const tried = await triedContents(folder);
  try {
    for (const way of asRoot ? waysOfRoot : waysOfUser) {
      const bounded = withinKernelLimits(limits, programs, way.users === "shared");
      const bubblewrap = { ...shared, ...way, limits: bounded, slots: programSlots(programs, way.users) };
      const failure = await tryProgram(bubblewrap, root, tried);
      if (failure === undefined) {
        if (way.copiedBytes === 0) bubblewrap.copiedBytes = copiedBytes;
        return { bubblewrap, missing: missingLimits(bubblewrap), close };
      }
      if (way.users !== "range") problem ||= failure;
    }
  } finally {
    await rm(tried.contents.folder, { recursive: true });
  }
  close();
  return { unavailable: `bubblewrap does not work here. ${remedy()}(${problem.trim().slice(0, 300)})` };
}

type Way = Pick<Bubblewrap, "workspace" | "users" | "copiedBytes">;

/** How programs can be run, the best way first. `copiedBytes`: 0 tries a stub. */
const waysOfRoot: Way[] = [0, Infinity].map((bytes) => ({ workspace: "memory", users: "own", copiedBytes: bytes }));
const waysOfUser: Way[] = [
  { workspace: "memory", users: "range", copiedBytes: 0 },
  { workspace: "memory", users: "range", copiedBytes: Infinity },
  { workspace: "memory", users: "shared", copiedBytes: 0 },
  { workspace: "memory", users: "shared", copiedBytes: Infinity },
  { workspace: "disk", users: "shared", copiedBytes: Infinity },
];

/** Which every user can enter: a home folder is often closed to the users that run programs. */
const scratchParent = "/tmp";
const scratchPrefix = "agent-run-programs";

/** Makes an empty folder on which programs mount, and removes those that killed services left. */
function makeScratch(): string {
  for (const name of leftNames(scratchPrefix, readdirSync(scratchParent))) removeScratch(join(scratchParent, name));
  const scratch = join(scratchParent, ownName(scratchPrefix));
  mkdirSync(scratch);
  chmodSync(scratch, 0o755);
  return scratch;
}

/** It is empty: files are only in the mount namespaces of programs. */
function removeScratch(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // it belongs to another user
  }
}

/** A workspace with a file that is not small. `folder`: an existing one, on the file system of the store. */
async function triedContents(folder: string): Promise<{ contents: ContentFolder; file: StoredFile }> {
  const contents = join(folder, `try-${randomUUID()}`);
  const content = randomBytes(triedFileBytes);
  const sha256 = sha256OfBytes(content);
  await mkdir(contents, 0o711);
  await writeFile(join(contents, contentName(sha256)), content);
  return {
    contents: {
      folder: contents,
      copy: (_, path) => copyFile(join(contents, contentName(sha256)), path),
      timeOf: async () => 0,
      store: nothingStored,
      settle: nothingStored,
    },
    file: { name: "file", size: content.length, sha256 },
  };
}

/**
 * Undefined: it works. The program reads its file: a kernel that does not know the attributes of a stub shows zeros in place
 * of the content, without an error.
 */
async function tryProgram(
  bubblewrap: Bubblewrap,
  root: RootFolder,
  { contents, file }: Awaited<ReturnType<typeof triedContents>>,
): Promise<string | undefined> {
  const linux = bubblewrapLinux(bubblewrap, { root, facts: unknownFacts }, { id: "try", contents });
  const program = { language: "shell", text: `sha256sum ${file.name}`, files: [file], seconds: 10 } as const;
  const { output, problem } = await linux.run(program, new AbortController().signal);
  return problem ?? (output.startsWith(file.sha256) ? undefined : `it printed ${JSON.stringify(output.slice(0, 100))}`);
}

function nothingStored(): never {
  throw new Error("the trial of bubblewrap changes no file");
}

async function installedVersion(): Promise<string | undefined> {
  const { stdout } = await promisify(execFile)("bwrap", ["--version"]).catch(() => ({ stdout: "" }));
  return /\d+\.\d+(\.\d+)?/.exec(stdout)?.[0];
}

function isOlder(version: string, than: string): boolean {
  return version.localeCompare(than, "en", { numeric: true }) < 0;
}

function missingLimits({ groups, workspace, copiedBytes: bytes, limits, users }: Bubblewrap): string[] {
  return [
    ...(users === "shared" ? [sharedUserNote(limits)] : []),
    ...(groups
      ? []
      : [`no control groups: the memory of programs is checked every 50 ms (${limits.memoryBytes / 2 ** 20} MB)`]),
    ...(workspace === "disk" ? ["no mounts: programs get copies of their files on the disk"] : []),
    ...(workspace === "memory" && bytes === Infinity
      ? [
          "no data-only layers of overlays (Linux 6.5; for an ordinary user 6.16): all files of a program are copied into memory, 1 GB in about 0.4 s",
        ]
      : []),
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
