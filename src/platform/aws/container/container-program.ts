import { execFile, spawn } from "node:child_process";
import { mkdir, readdir, readFile, statfs, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import { programEnvironment } from "../../../sandbox/linux/bubblewrap/bwrap-arguments.ts";
import type { LinuxLimits } from "../../../sandbox/linux/linux-limits.ts";
import { boundedOutput, limitTime, type Stop, stoppedProblem } from "../../../sandbox/linux/program-end.ts";
import { pythonStart, pythonStartFile } from "../../../sandbox/linux/python-path.ts";
import { filterArchitecture, seccompFilter } from "../../../sandbox/linux/bubblewrap/seccomp.ts";
import { memoryProblem } from "../../../sandbox/linux/watch-program.ts";
import { containerFilter } from "./container-filter.ts";
import type { ContainerProcesses } from "./container-processes.ts";

/** The one folder of a container that can be written to, and what a program finds there. */
export const containerFolders = { scratch: "/tmp", work: "/tmp/workspace", program: "/tmp/.program" } as const;

const watchMilliseconds = 50;
/** Processes and threads of the service in the container. The limit counts those of the same user. */
const ownProcesses = 64;

/** How a program ended. */
export interface ProgramEnd {
  output: string;
  /** Absent: it was stopped, or did not start. Its files are then not saved. */
  exitCode?: number;
  problem?: string;
}

export interface ContainerProgram {
  language: "shell" | "python";
  text: string;
  /** Time limit in seconds. */
  seconds: number;
}

/**
 * Runs a program in the workspace and ends all processes that it started. `supervisor`: path of `supervise.py`. `unwanted`
 * is aborted when nobody waits for the result any more.
 */
export async function runInContainer(
  program: ContainerProgram,
  { supervisor, processes, limits }: { supervisor: string; processes: ContainerProcesses; limits: LinuxLimits },
  unwanted: AbortSignal,
): Promise<ProgramEnd> {
  const architecture = filterArchitecture();
  if (architecture === undefined) throw new Error(`programs cannot be run on ${process.arch}; accepted: x64, arm64`);
  const file = join(containerFolders.program, program.language === "shell" ? "script.sh" : "program.py");
  await mkdir(containerFolders.program);
  await writeFile(file, program.text);
  await writeFile(join(containerFolders.program, pythonStartFile), pythonStart);

  const interpreter = program.language === "shell" ? "bash" : "python3";
  // 1 KB more than is saved: a file that was cut at the limit is larger than one that is complete.
  const limited = [limits.processes + ownProcesses, limits.fileBytes + 1_024].map(String);
  const child = spawn("python3", ["-ISB", supervisor, ...limited, interpreter, file], {
    cwd: containerFolders.work,
    env: { ...programEnvironment, PYTHONPATH: containerFolders.program, PWD: "/work" }, // a link to the workspace, as on one machine
    stdio: ["ignore", "pipe", "pipe", "pipe", "pipe"],
  });
  const closed = new Promise<void>((resolve, reject) => child.once("error", reject).once("close", () => resolve()));
  closed.catch(() => {}); // awaited below
  const filters = [seccompFilter(architecture, false), containerFilter(architecture)];
  (child.stdio[3] as Writable)
    .on("error", () => {})
    .end(filters.map((filter) => `${filter.toString("hex")}\n`).join(""));
  const [status, setupErrors] = [text(child.stdio[4] as Readable), text(child.stderr as Readable)];

  let problem: string | undefined;
  let ending: Promise<void> | undefined;
  const stop: Stop = (why) => {
    problem ??= stoppedProblem(why);
    child.kill("SIGKILL");
    ending ??= processes.endOthers().catch(() => {}); // again below, where a rejection counts
  };
  const output = boundedOutput(limits.outputCharacters, stop);
  (child.stdout as Readable).on("data", output.add).on("end", output.end);
  const endLimit = limitTime(program.seconds, unwanted, stop);
  const watch = setInterval(() => {
    if (processes.memoryBytes() > limits.memoryBytes) stop(memoryProblem(limits.memoryBytes));
  }, watchMilliseconds);
  try {
    await closed;
  } finally {
    endLimit();
    clearInterval(watch);
    await ending; // it would also end what cleans the container
    await processes.endOthers();
  }
  const exitCode = await status;
  if (problem !== undefined) return { output: output.text(), problem };
  if (!/^\d+$/.test(exitCode)) {
    const reason = (await setupErrors).trim().split("\n").at(-1);
    return {
      output: output.text(),
      problem: `The program could not start: ${reason || "the sandbox gave no reason"}.`,
    };
  }
  const ended = { output: output.text(), exitCode: Number(exitCode) };
  return exitCode === "0" ? ended : { ...ended, problem: `The program ended with exit code ${exitCode}.` };
}

/** Bytes that can still be written. */
export async function freeBytes(): Promise<number> {
  const { bavail, bsize } = await statfs(containerFolders.scratch);
  return bavail * bsize;
}

const run = promisify(execFile);

/** For `find`, which looks into a folder after it has run the command. */
const unreadableFolders = ["-type", "d", "!", "-perm", "-700", "-exec", "chmod", "u+rwx", "{}", ";"];

/**
 * Removes all that earlier programs left: processes, files, and what the kernel keeps. Rejects if something remains; the
 * container must then not be used again.
 */
export async function cleanContainer(processes: ContainerProcesses): Promise<void> {
  await processes.endOthers();
  const { scratch } = containerFolders;
  await run("find", ["-P", scratch, "-mindepth", "1", ...unreadableFolders]).catch(() => {});
  await run("find", ["-P", scratch, "-mindepth", "1", "-delete"]).catch(() => {});
  const left = await readdir(scratch, { encoding: "buffer" });
  if (left.length > 0) throw new Error(`${left.length} files of a program remain in ${scratch}`);
  for (const kind of ["shm", "sem", "msg"]) {
    const [, ...objects] = (await readFile(`/proc/sysvipc/${kind}`, "utf8").catch(() => "")).trim().split("\n");
    if (objects.length > 0) throw new Error(`a program left ${objects.length} objects in /proc/sysvipc/${kind}`);
  }
}
