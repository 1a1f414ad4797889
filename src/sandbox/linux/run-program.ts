import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { bwrapArguments, programCommand, type RootFolder } from "./bwrap-arguments.ts";
import { collectChanges } from "./changes.ts";
import type { ControlGroups } from "./control-groups.ts";
import type { LinuxLimits } from "./limits.ts";
import { lowerPriority } from "../priority.ts";
import { boundedOutput, failedResult, limitTime, type Stop, stoppedProblem } from "./program-end.ts";
import { type FilterArchitecture, seccompFilter } from "./seccomp.ts";
import { copyScript, endMark, overlayOptions, overlayScript, scratchFolders } from "./setup-script.ts";
import type { Slot } from "./slots.ts";
import type { ContentFolder, LinuxProgram, LinuxResult } from "./types.ts";
import { memoryProblem, watchProgram } from "./watch-program.ts";

/** How programs are started on this machine. */
export interface BubblewrapHost {
  architecture: FilterArchitecture;
  /** How a program sees the workspace: an overlay over links to the contents, or, where none can be mounted, copies. */
  workspace: "overlay" | "copy";
  /** Absent: limits of memory are enforced by looking. */
  groups?: ControlGroups;
  limits: LinuxLimits;
  /** An empty folder on which each program's mount namespace mounts its own files. Any user can enter it. */
  scratch: string;
}

/** Where one program runs. `name`: a folder in `parent` with the workspace in `files`. */
interface Place {
  root: RootFolder;
  slot: Slot;
  parent: string;
  name: string;
}

interface Watch {
  signal: AbortSignal;
  onOutput?: ((text: string) => void) | undefined;
}

/** Characters of the setup script's errors that are kept. */
const errorCharacters = 2_000;

/** Runs one program and stores what it changed. A program that is stopped saves nothing. */
export async function runProgram(
  host: BubblewrapHost,
  place: Place,
  program: LinuxProgram,
  store: ContentFolder["store"],
  { signal, onOutput }: Watch,
): Promise<LinuxResult> {
  const killsBefore = host.groups?.memoryKills(place.slot.number) ?? 0;
  const { child, folders } = startBubblewrap(host, place, program);
  const pid = child.pid;
  if (pid === undefined) return failedResult(`The program could not start: ${(await child.failure) ?? "no process"}.`);
  let stopped: string | undefined;
  const stop: Stop = (why) => {
    stopped ??= why;
    child.kill();
  };
  const output = boundedOutput(host.limits.outputCharacters, stop, onOutput);
  child.output.on("data", output.add).on("end", output.end);
  const stoppedResult = (why: string): LinuxResult => ({ ...failedResult(stoppedProblem(why)), output: output.text() });
  const endLimit = limitTime(program.seconds, signal, stop);
  const unbound = { memory: !host.groups, ...(host.workspace === "copy" && { folder: folders.work }) };
  const endWatch = watchProgram(pid, unbound, host.limits, stop);
  try {
    const ended = await child.ended;
    endLimit();
    endWatch();
    if (!ended || stopped !== undefined) {
      child.kill();
      await child.closed;
      signal.throwIfAborted();
      const hadNoMemory = (host.groups?.memoryKills(place.slot.number) ?? 0) > killsBefore;
      const why = stopped ?? (hadNoMemory ? memoryProblem(host.limits.memoryBytes) : undefined);
      if (why === undefined)
        return failedResult(`The program could not start: ${child.errors() || "bubblewrap failed"}.`);
      return stoppedResult(why);
    }
    const workspace = { ...folders, folder: folders.work, before: program.files };
    const changes = await collectChanges(workspace, store, host.limits);
    child.release();
    await child.closed;
    // The last of the output can arrive after the end of the program.
    if (stopped !== undefined) return stoppedResult(stopped);
    const exitCode = child.exitCode();
    if (exitCode === undefined)
      return failedResult(`The program could not start: ${output.text().trim() || child.errors()}.`);
    const hadNoMemory = (host.groups?.memoryKills(place.slot.number) ?? 0) > killsBefore;
    const problem = hadNoMemory
      ? `A process was stopped: ${memoryProblem(host.limits.memoryBytes)}. The program ended with exit code ${exitCode}.`
      : `The program ended with exit code ${exitCode}.`;
    return { output: output.text(), exitCode, ...changes, ...((exitCode !== 0 || hadNoMemory) && { problem }) };
  } catch (error) {
    child.kill();
    if (stopped === undefined || signal.aborted) throw error;
    await child.closed;
    return stoppedResult(stopped); // the changes could not be read, because the program was stopped meanwhile
  } finally {
    endLimit();
    endWatch();
  }
}

/** Starts the setup script. `folders`: where the workspace and the written files are at the end, for the service. */
function startBubblewrap(host: BubblewrapHost, { root, slot, parent, name }: Place, program: LinuxProgram) {
  const hasOverlay = host.workspace === "overlay";
  const scratch = hasOverlay ? host.scratch : join(parent, name);
  const work = hasOverlay ? join(scratch, scratchFolders.work) : join(scratch, "files");
  const changes = hasOverlay ? join(scratch, scratchFolders.changes) : work;
  const shown = {
    root: hasOverlay ? join(scratch, scratchFolders.root) : root.path,
    work,
    program: join(scratch, scratchFolders.program),
    ...(hasOverlay && { tmp: join(scratch, scratchFolders.tmp), shm: join(scratch, scratchFolders.shm) }),
  };
  const { language } = program;
  const owner = slot.user;
  const rights = ["--clear-groups", "--no-new-privs", "--bounding-set=-all", "--inh-caps=-all"];
  const environment = {
    PATH: "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
    GROUPS_OF_SLOT: host.groups?.entrances(slot.number).join(" ") ?? "",
    SCRATCH: scratch,
    WORK: work,
    ROOT: root.path,
    OWNER: owner === undefined ? "" : String(owner),
    FOLDER: parent,
    // Relative: the options of a mount can be read in the sandbox.
    FILES: `${name}/files`,
    SIZE: String(host.limits.diskBytes),
    INODES: String(host.limits.inodes),
    OPTIONS: owner === undefined ? overlayOptions.user : overlayOptions.root,
    DROP: owner === undefined ? "" : `setpriv --reuid=${owner} --regid=${owner} ${rights.join(" ")}`,
  };
  const namespaces = owner === undefined ? ["--user", "--map-root-user"] : [];
  const [file, options, script] = hasOverlay
    ? ["unshare", [...namespaces, "--mount", "--propagation", "private", "sh", "-c"], overlayScript]
    : ["sh", ["-c"], copyScript];
  const child = spawn(file, [...options, script, "sh", ...programCommand(language, host.limits)], {
    cwd: parent,
    env: environment,
    detached: true,
    stdio: ["ignore", "pipe", "pipe", "pipe", "pipe", "pipe", "pipe", "pipe"],
  });
  const [, output, setupErrors, bwrapOptions, filter, status, release, text] = child.stdio as unknown as [
    null,
    Readable,
    Readable,
    Writable,
    Writable,
    Readable,
    Writable,
    Writable,
  ];
  const failure = new Promise<string>((resolve) => child.once("error", ({ message }) => resolve(message)));
  // A script that ends early closes its descriptors; its end is handled.
  for (const stream of [bwrapOptions, filter, release, text]) stream.on("error", () => {});
  lowerPriority(child);
  bwrapOptions.end(bwrapArguments(root, shown, language, host.limits).join("\0"));
  filter.end(seccompFilter(host.architecture, host.groups !== undefined));
  text.end(program.text);

  let exitCode: number | undefined;
  let errors = "";
  setupErrors.setEncoding("utf8").on("data", (part: string) => (errors = (errors + part).slice(0, errorCharacters)));
  const ended = new Promise<boolean>((resolve) => {
    createInterface({ input: status }).on("line", (line) => {
      if (line === endMark) resolve(true);
      else exitCode ??= (JSON.parse(line) as { "exit-code"?: number })["exit-code"];
    });
    child.once("close", () => resolve(false));
    child.once("error", () => resolve(false));
  });
  // The view of a process in the mount namespace of the program, whose processes have ended by then.
  const seen = (path: string): string => (hasOverlay ? `/proc/${child.pid}/root${path}` : path);
  return {
    folders: { work: seen(work), ...(hasOverlay && { written: seen(changes) }) },
    child: {
      pid: child.pid,
      output,
      failure,
      /** False: the script ended before the program did. */
      ended,
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
    },
  };
}
