import { type ChildProcess, spawn } from "node:child_process";
import { renameSync, truncateSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { bwrapArguments, programCommand, type RootFolder } from "./bwrap-arguments.ts";
import type { EndedWorkspace } from "../changes.ts";
import type { ControlGroups } from "../control-groups.ts";
import { copyOf, layOutFiles } from "../lay-out.ts";
import type { LinuxLimits } from "../linux-limits.ts";
import { lowerPriority } from "../../priority.ts";
import { pythonStart } from "../python-path.ts";
import { type FilterArchitecture, seccompFilter } from "./seccomp.ts";
import { diskScript, memoryScript, overlays, readModes, scratchFolders } from "./setup-script.ts";
import type { ProgramUsers, ProgramSlot } from "../slots.ts";
import { Snapshot } from "../snapshot.ts";
import { foldersWith, memoryOf, splitFiles, stubArchive } from "./stubs.ts";
import type { ContentFolder } from "../content-folder.ts";
import type { LinuxProgram } from "../linux-types.ts";

/** How programs are started on this machine. */
export interface BubblewrapHost {
  architecture: FilterArchitecture;
  /** Where a program's files are: in a tmpfs, or, where none can be mounted, in a folder on the disk. */
  workspace: "memory" | "disk";
  /** Bytes of the larger files that are copied into memory: see `splitFiles`. Infinity: there can be no stubs. */
  copiedBytes: number;
  /** Absent: limits of memory are enforced by looking. */
  groups?: ControlGroups;
  limits: LinuxLimits;
  users: ProgramUsers;
  /** An empty folder on which each program's mount namespace mounts its own files. Any user can enter it. */
  scratch: string;
}

/** Where one program runs. `folder`: an existing one for its files, if they are on the disk. */
export interface ProgramPlace {
  root: RootFolder;
  slot: ProgramSlot;
  folder?: string;
}

/** Characters of the setup script's errors that are kept. */
const errorCharacters = 2_000;

/** Starts the setup script. `makeFiles`: prepares the workspace and lets the program start. Undefined: the script has ended. */
export function startBubblewrap(
  host: BubblewrapHost,
  place: ProgramPlace,
  program: LinuxProgram,
  contents: ContentFolder,
) {
  const { root, folder: scratch = host.scratch } = place;
  const isInMemory = host.workspace === "memory";
  const { copied, stubs } = splitFiles(program.files, isInMemory ? host.copiedBytes : Infinity);
  const path = (name: keyof typeof scratchFolders): string => join(scratch, scratchFolders[name]);
  const work = path(stubs.length > 0 ? "work" : "files");
  const overlay = overlayOf(host);
  const needed = memoryOf(program.files, copied);
  const command = programCommand(program.language, host.limits, host.groups !== undefined);
  const [starter, ...script] = scriptOf(host);
  const child = spawn(starter, [...script, "sh", ...command], {
    cwd: "/",
    env: scriptEnvironment(host, place, {
      SCRATCH: scratch,
      WORK: work,
      WRITTEN: path("files"),
      MODES: path("modes"),
      CONTENTS: stubs.length > 0 ? contents.folder : "",
      SIZE: String(host.limits.diskBytes + needed.bytes),
      INODES: String(host.limits.inodes + needed.inodes),
    }),
    detached: true,
    stdio: ["ignore", "pipe", "pipe", "pipe", "pipe", "pipe", "pipe", "pipe", "pipe"],
  });
  const { started, inputs } = followScript(child);
  lowerPriority(child);
  const shown = shownFolders(isInMemory, path, { root: root.path, work });
  inputs.bwrapOptions.end(bwrapArguments(root, shown, program.language, host.limits).join("\0"));
  inputs.filter.end(seccompFilter(host.architecture, host.groups !== undefined));
  inputs.archive.end(stubs.length > 0 ? stubArchive(stubs, overlay.attributes) : undefined);

  // The view of a process in the mount namespace of the program.
  const seen = (folder: string): string => (isInMemory ? `/proc/${child.pid}/root${folder}` : folder);
  async function makeFiles(): Promise<EndedWorkspace | undefined> {
    if (!(await started.reached("ready"))) return undefined;
    const numbers = new Map(stubs.map((stub, number) => [stub, number]));
    if (!isInMemory) await mkdir(path("files"), 0o755);
    await layOutFiles(seen(path("files")), copied, copyOf(contents));
    await layOutFiles(seen(path("stubs")), [...stubs, ...foldersWith(stubs, copied)], async (stub, to) => {
      renameSync(join(seen(path("archive")), String(numbers.get(stub))), to);
      truncateSync(to, stub.size);
      return stub.mtime ?? contents.timeOf(stub.sha256);
    });
    inputs.text.write("\n");
    if (!(await started.reached("mounted"))) return undefined;
    const snapshot = await Snapshot.take(seen(work), program.files);
    inputs.text.end(program.text);
    const modes = () => (host.users === "range" ? readModes(seen(path("modes"))) : new Map<string, number>());
    return { folder: seen(work), before: program.files, snapshot, modes };
  }
  return { makeFiles, child: started };
}

/** What the program sees at each place. */
function shownFolders(
  isInMemory: boolean,
  path: (name: keyof typeof scratchFolders) => string,
  { root, work }: { root: string; work: string },
) {
  return {
    root: isInMemory ? path("root") : root,
    work,
    program: path("program"),
    python: path("python"),
    etc: path("etc"),
    ...(isInMemory && { tmp: path("tmp"), varTmp: path("varTmp"), shm: path("shm") }),
  };
}

/** The command that runs the setup script. */
function scriptOf({ workspace, users }: BubblewrapHost): [starter: string, ...options: string[]] {
  if (workspace !== "memory") return ["sh", "-c", diskScript];
  return ["unshare", ...namespaces[users], "--mount", "--propagation", "private", "sh", "-c", memoryScript];
}

/** `paths`: the variables that depend on the files of the program. */
function scriptEnvironment(host: BubblewrapHost, { root, slot }: ProgramPlace, paths: Record<string, string>) {
  const owner = slot.user;
  return {
    PATH: "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
    GROUPS_OF_SLOT: host.groups?.entrances(slot.number).join(" ") ?? "",
    PYTHON_START: pythonStart,
    ROOT: root.path,
    USERS: host.users,
    OWNER: String(owner ?? ""),
    OPTIONS: overlayOf(host).options,
    DROP: owner === undefined ? "" : `setpriv --reuid=${owner} --regid=${owner} ${rights.join(" ")}`,
    ...paths,
  };
}

function overlayOf({ users }: BubblewrapHost) {
  return users === "own" ? overlays.root : overlays.user;
}

const rights = ["--clear-groups", "--no-new-privs", "--bounding-set=-all", "--inh-caps=-all"];

const namespaces = {
  own: [],
  range: ["--user", "--map-root-user", "--map-auto"],
  shared: ["--user", "--map-root-user"],
};

/** What the setup script prints and waits for. `inputs`: its descriptors that are written. */
function followScript(child: ChildProcess) {
  const [, output, setupErrors, bwrapOptions, filter, status, release, text, archive] = child.stdio as unknown as [
    null,
    Readable,
    Readable,
    Writable,
    Writable,
    Readable,
    Writable,
    Writable,
    Writable,
  ];
  const failure = new Promise<string>((resolve) => child.once("error", ({ message }) => resolve(message)));
  // A script that ends early closes its descriptors; its end is handled.
  for (const stream of [bwrapOptions, filter, release, text, archive]) stream.on("error", () => {});

  let exitCode: number | undefined;
  let errors = "";
  setupErrors.setEncoding("utf8").on("data", (part: string) => (errors = (errors + part).slice(0, errorCharacters)));
  const marked = { ready: mark(), mounted: mark(), ended: mark() };
  createInterface({ input: status }).on("line", (line) => {
    if (line in marked) marked[line as keyof typeof marked].resolve(true);
    else exitCode ??= (JSON.parse(line) as { "exit-code"?: number })["exit-code"];
  });
  for (const event of ["close", "error"] as const) {
    child.once(event, () => Object.values(marked).forEach(({ resolve }) => resolve(false)));
  }
  const started = {
    pid: child.pid,
    output,
    failure,
    /** False: the script ended before. */
    reached: (at: keyof typeof marked): Promise<boolean> => marked[at].promise,
    closed: new Promise<void>((resolve) => child.once("close", () => resolve())),
    exitCode: () => exitCode,
    errors: () => errors.trim(),
    release: () => void release.end("\n"),
    kill(): void {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
      } catch {
        // it has ended
      }
    },
  };
  return { started, inputs: { bwrapOptions, filter, text, archive } };
}

function mark(): PromiseWithResolvers<boolean> {
  return Promise.withResolvers<boolean>();
}
