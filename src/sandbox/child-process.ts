import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { NoPlace, scheduler } from "../async/scheduler.ts";
import { sandboxLimits } from "./program-limits.ts";
import { endsWithParent } from "./parent-death.ts";
import { lowerPriority } from "./priority.ts";
import type { FromChild, ToChild } from "./child.ts";
import { parseChildMessage } from "./child-messages.ts";
import type { EngineResult } from "./engine.ts";
import { schedulerOwners, placesFor } from "./places.ts";
import type {
  LoadedEngine,
  ProgramOwner,
  Sandbox,
  SandboxEngine,
  SandboxRequest,
  SandboxResult,
} from "./sandbox-types.ts";

/** Resident memory of a process in bytes. Node.js takes 70 MB of it. Python has 512 MB, and files in memory. */
const memoryLimits: Record<LoadedEngine, number> = {
  javascript: 512 * 1024 * 1024,
  python: 896 * 1024 * 1024,
  document: 512 * 1024 * 1024,
};
const watchMilliseconds = 20;
/** Engines stop at the time limit and return what they have. A process that does not is killed this much later. */
const graceMilliseconds = 1_500;
const loadMilliseconds = 20_000;
const idleMilliseconds = 5 * 60_000;

export interface ChildProcessSettings {
  /** The file that a process runs: `child.ts`, or its bundle. */
  program: string;
  /** Other folders and files that a process may read: those of the packages. It cannot read anything else. */
  readable: string[];
  /** Processes that run programs at the same time, and as many that read documents. More requests wait. */
  maxProcesses: number;
  /** The whole environment of the processes, with the time zone UTC. */
  environment?: Record<string, string>;
}

interface Child {
  process: ChildProcess;
  engine: LoadedEngine;
  loaded: Promise<unknown>;
  idle?: NodeJS.Timeout;
  /** Called when the process ends while it is idle. */
  onIdleExit: () => void;
}

/** A sandbox whose places are shared. Its own `run` is for work that belongs to nobody. */
export interface SharedSandbox extends Sandbox {
  of(owner: ProgramOwner): Sandbox;
  close(): void;
}

/**
 * A sandbox in child processes of this one. See `scheduler` for the order of waiting requests.
 * - A process has its own environment, can read only its code, and cannot write files or start processes.
 * - A process that exceeds its time or memory is killed.
 * - One idle process per engine is kept for five minutes.
 * - A JavaScript program gets a new virtual machine, every other program a new process.
 */
export function childProcessSandbox(settings: ChildProcessSettings): SharedSandbox {
  const { take, keep, close } = idleChildren(settings);
  const programs = scheduler(placesFor("programs", settings.maxProcesses));
  const documents = scheduler(placesFor("documents", settings.maxProcesses));

  async function runHere(request: SandboxRequest, signal: AbortSignal): Promise<SandboxResult> {
    const engine = engineOf(request.engine);
    let child = take(engine);
    // An idle process can die unnoticed while Lambda freezes the host.
    const isAlive = await child.loaded.then(
      () => child.process.exitCode === null,
      () => false,
    );
    if (!isAlive) child = start(settings, engine);
    const { dirty, ...result } = await runRequest(child, request, signal);
    if (dirty) end(child);
    keep(dirty ? start(settings, engine) : child);
    return result;
  }

  async function run(request: SandboxRequest, signal: AbortSignal, owner?: ProgramOwner): Promise<SandboxResult> {
    const places = engineOf(request.engine) === "document" ? documents : programs;
    try {
      return await places.run(schedulerOwners(owner), () => runHere(request, signal), signal);
    } catch (error) {
      if (error instanceof NoPlace) return { output: "", problem: error.message, written: [], notes: [] };
      throw error;
    }
  }

  const { filesBytes: maxBytes } = sandboxLimits;
  return {
    maxBytes,
    run: (request, signal) => run(request, signal),
    of: (owner) => ({ maxBytes, run: (request, signal) => run(request, signal, owner) }),
    close,
  };
}

/** The processes that wait for their next program: at most one per engine. */
function idleChildren(settings: ChildProcessSettings) {
  const idle = new Map<LoadedEngine, Child>();

  function take(engine: LoadedEngine): Child {
    const child = idle.get(engine) ?? start(settings, engine);
    idle.delete(engine);
    clearTimeout(child.idle);
    child.process.off("exit", child.onIdleExit);
    child.process.ref();
    child.process.channel?.ref();
    return child;
  }

  function keep(child: Child): void {
    const { engine, process } = child;
    if (idle.has(engine) || process.exitCode !== null || process.killed) {
      end(child);
      return;
    }
    idle.set(engine, child);
    child.onIdleExit = () => void idle.delete(engine);
    process.once("exit", child.onIdleExit);
    child.idle = setTimeout(() => end(child), idleMilliseconds).unref();
    process.unref();
    process.channel?.unref();
  }

  function close(): void {
    for (const child of idle.values()) end(child);
  }

  return { take, keep, close };
}

function start({ program, readable, environment = {} }: ChildProcessSettings, engine: LoadedEngine): Child {
  const permissions = ["--permission", ...[program, ...readable].map((path) => `--allow-fs-read=${path}`)];
  const node = [process.execPath, ...permissions, "--max-old-space-size=256", "--expose-gc", program];
  const [command = process.execPath, ...args] = [...endsWithParent(), ...node];
  const child = spawn(command, args, {
    env: { TZ: "UTC", ...environment }, // Python takes local times from Node.js
    cwd: tmpdir(),
    stdio: ["ignore", "ignore", "ignore", "ipc"],
    serialization: "advanced",
  });
  lowerPriority(child);
  const loaded = load(child, engine);
  loaded.catch(() => child.kill("SIGKILL")); // the request that takes the process handles the rejection
  return { process: child, engine, loaded, onIdleExit: () => {} };
}

function load(child: ChildProcess, engine: LoadedEngine | "result"): Promise<FromChild> {
  const loaded = nextMessage(child, loadMilliseconds, `The ${engine} engine of the sandbox did not load.`);
  send(child, { load: engine });
  return loaded;
}

/** Documents and results share a process, so that at most one for them waits. */
function engineOf(engine: SandboxEngine): LoadedEngine {
  return engine === "javascript" || engine === "python" ? engine : "document";
}

function end(child: Child): void {
  clearTimeout(child.idle);
  child.process.kill("SIGKILL");
}

function send(child: ChildProcess, message: ToChild): void {
  // No error handling: if the process is gone, its exit is handled.
  child.send(message, () => {});
}

/** Rejects when the process ends, or with `timeoutProblem` when it sends nothing for `milliseconds`. */
async function nextMessage(child: ChildProcess, milliseconds: number, timeoutProblem: string): Promise<FromChild> {
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(new Error(timeoutProblem)), milliseconds);
  try {
    return await Promise.race([
      once(child, "message", { signal: timeout.signal }).then(([message]) => parseChildMessage(message)),
      once(child, "exit", { signal: timeout.signal }).then(([code, signal]) => {
        // Node.js aborts when its heap is full.
        if (signal === "SIGABRT") throw new Error("The program was stopped: it used more memory than the sandbox has.");
        throw new Error(`The sandbox process ended with ${String(signal ?? code)}.`);
      }),
    ]);
  } catch (error) {
    throw timeout.signal.aborted ? timeout.signal.reason : error;
  } finally {
    clearTimeout(timer);
    timeout.abort();
  }
}

/** Runs one request in a process. If the process ends, the result has a `problem`. */
async function runRequest(child: Child, request: SandboxRequest, signal: AbortSignal): Promise<EngineResult> {
  const { process: running, engine } = child;
  let killReason: string | undefined;
  const kill = (reason: string) => {
    killReason ??= reason;
    end(child);
  };
  const onAbort = () => kill("The program was stopped.");
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort(); // while the engine was loading
  const max = memoryLimits[engine];
  const watch = setInterval(() => {
    if (residentBytes(running.pid) > max) kill(`The program was stopped: it used more than ${max >> 20} MB of memory.`);
  }, watchMilliseconds);
  try {
    await child.loaded;
    if (request.engine === "result") await load(running, "result"); // a busy machine takes seconds
    send(running, { request });
    const timeoutProblem = `The program was stopped after ${request.seconds} seconds.`;
    const message = await nextMessage(running, request.seconds * 1000 + graceMilliseconds, timeoutProblem);
    if ("result" in message) return message.result;
    throw new Error("failed" in message ? message.failed : "The sandbox sent an unexpected message.");
  } catch (error) {
    end(child);
    signal.throwIfAborted();
    const problem = killReason ?? (error as Error).message;
    return { output: "", problem, written: [], notes: [], dirty: true };
  } finally {
    clearInterval(watch);
    signal.removeEventListener("abort", onAbort);
  }
}

const pageBytes = 4096;
/** By process id, for macOS. */
const lastMeasured = new Map<number, number>();

/** 0 where it is not known, such as on Windows. There, only the engines' own limits apply. */
function residentBytes(pid: number | undefined): number {
  if (pid === undefined) return 0;
  try {
    return Number(readFileSync(`/proc/${pid}/statm`, "utf8").split(" ")[1]) * pageBytes;
  } catch {
    if (process.platform !== "darwin") return 0;
    // The command takes a few milliseconds, so its result is used by the next call.
    execFile("ps", ["-o", "rss=", "-p", String(pid)], (_error, stdout) => {
      lastMeasured.clear();
      lastMeasured.set(pid, Number(stdout) * 1024);
    });
    return lastMeasured.get(pid) ?? 0;
  }
}
