import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { semaphore } from "../async/semaphore.ts";
import { sandboxLimits } from "./limits.ts";
import type { FromChild, ToChild } from "./child.ts";
import { atomicsWaitPatchUrl } from "./atomics-wait-patch.ts";
import type { Sandbox, SandboxEngine, SandboxRequest, SandboxResult } from "./types.ts";

/** Of the process, in bytes of resident memory: 70 MB of it are Node's own, and Python takes 200 when it starts. */
const memoryLimits: Record<SandboxEngine, number> = {
  javascript: 384 * 1024 * 1024,
  shell: 640 * 1024 * 1024,
  pdf: 512 * 1024 * 1024,
  docx: 512 * 1024 * 1024,
  html: 512 * 1024 * 1024,
};
const watchMilliseconds = 20;
/** An engine keeps the time itself and then still gives what it has; one that can't is ended this much later. */
const graceMilliseconds = 500;
const loadMilliseconds = 20_000;
const idleMilliseconds = 5 * 60_000;

export interface ChildProcessSettings {
  /** The file that a process runs: `child.ts`, or what it was bundled into. */
  program: string;
  /** Folders and files that a process may read besides: those of the packages. Everything else is refused to it. */
  readable: string[];
  /** Processes at a time; more requests wait. */
  maxProcesses: number;
  /** All of their environment. */
  environment?: Record<string, string>;
}

interface Child {
  process: ChildProcess;
  engine: SandboxEngine;
  loaded: Promise<unknown>;
  idle?: NodeJS.Timeout;
  /** Called when it ends while it waits. */
  forget: () => void;
}

/**
 * A sandbox in processes of this machine: without the environment of this one, without rights to start others, with no file to read but
 * its own code and none to write, and ended by force when they overstep. One of each engine waits, for five minutes, for
 * the next request. What a JavaScript program did ends with its machine; all others end with their process.
 */
export function childProcessSandbox(settings: ChildProcessSettings): Sandbox & { close(): void } {
  const waiting = new Map<SandboxEngine, Child>();
  const inTurn = semaphore(settings.maxProcesses);

  function take(engine: SandboxEngine): Child {
    const child = waiting.get(engine) ?? start(settings, engine);
    waiting.delete(engine);
    clearTimeout(child.idle);
    child.process.off("exit", child.forget);
    child.process.ref();
    child.process.channel?.ref();
    return child;
  }

  function keep(child: Child): void {
    const { engine, process } = child;
    if (waiting.has(engine) || process.exitCode !== null || process.killed) {
      end(child);
      return;
    }
    waiting.set(engine, child);
    child.forget = () => void waiting.delete(engine);
    process.once("exit", child.forget);
    child.idle = setTimeout(() => end(child), idleMilliseconds).unref();
    process.unref();
    process.channel?.unref();
  }

  return {
    maxBytes: sandboxLimits.filesBytes,
    run: (request, signal) =>
      inTurn(async () => {
        signal.throwIfAborted();
        let child = take(request.engine);
        // One that waited may have died unnoticed: its host slept in between, as Lambda does.
        const fit = await child.loaded.then(
          () => child.process.exitCode === null,
          () => false,
        );
        if (!fit) child = start(settings, request.engine);
        const { dirty, ...result } = await work(child, request, signal);
        if (dirty) end(child);
        keep(dirty ? start(settings, request.engine) : child);
        return result;
      }),
    close() {
      for (const child of waiting.values()) end(child);
    },
  };
}

function start({ program, readable, environment = {} }: ChildProcessSettings, engine: SandboxEngine): Child {
  const rights = ["--permission", ...[program, ...readable].map((path) => `--allow-fs-read=${path}`)];
  // Python runs in a thread of its process.
  if (engine === "shell") rights.push("--allow-worker", `--import=${atomicsWaitPatchUrl}`);
  const child = spawn(process.execPath, [...rights, "--max-old-space-size=256", "--expose-gc", program], {
    env: environment,
    cwd: tmpdir(),
    stdio: ["ignore", "ignore", "ignore", "ipc"],
    serialization: "advanced",
  });
  const loaded = answerOf(child, loadMilliseconds, `the sandbox's ${engine} engine did not load`);
  loaded.catch(() => child.kill("SIGKILL")); // whoever takes the process hears of it
  tell(child, { load: engine });
  return { process: child, engine, loaded, forget: () => {} };
}

function end(child: Child): void {
  clearTimeout(child.idle);
  child.process.kill("SIGKILL");
}

function tell(child: ChildProcess, message: ToChild): void {
  // A process that is gone answers with its exit; the error says the same.
  child.send(message, () => {});
}

/** The next thing that a process says. Rejects when it ends, or has said nothing for `milliseconds`. */
async function answerOf(child: ChildProcess, milliseconds: number, problem: string): Promise<FromChild> {
  const cut = new AbortController();
  const timer = setTimeout(() => cut.abort(new Error(problem)), milliseconds);
  try {
    return await Promise.race([
      once(child, "message", { signal: cut.signal }).then(([message]) => message as FromChild),
      once(child, "exit", { signal: cut.signal }).then(([code, signal]) => {
        throw new Error(`${problem}: it ended with ${String(signal ?? code)}`);
      }),
    ]);
  } catch (error) {
    throw cut.signal.aborted ? cut.signal.reason : error;
  } finally {
    clearTimeout(timer);
    cut.abort();
  }
}

type Outcome = SandboxResult & { dirty?: true };

/** One request in a process. Whatever ends the process is a `problem` of the result. */
async function work(child: Child, request: SandboxRequest, signal: AbortSignal): Promise<Outcome> {
  const { process: running, engine } = child;
  let because: string | undefined;
  const endBecause = (reason: string) => {
    because ??= reason;
    end(child);
  };
  const onAbort = () => endBecause("The program was stopped.");
  signal.addEventListener("abort", onAbort, { once: true });
  const max = memoryLimits[engine];
  const watch = setInterval(() => {
    if (residentBytes(running.pid) > max)
      endBecause(`The program was ended: it used more than ${max >> 20} MB of memory.`);
  }, watchMilliseconds);
  try {
    await child.loaded;
    tell(running, { request });
    const late = `The program was ended after ${request.seconds} seconds.`;
    const answer = await answerOf(running, request.seconds * 1000 + graceMilliseconds, late);
    if ("result" in answer) return answer.result;
    throw new Error("failed" in answer ? answer.failed : "The sandbox answered out of turn.");
  } catch (error) {
    end(child);
    signal.throwIfAborted();
    const problem = because ?? (error as Error).message;
    return { output: "", problem, written: [], notes: [], dirty: true };
  } finally {
    clearInterval(watch);
    signal.removeEventListener("abort", onAbort);
  }
}

const pageBytes = 4096;
const lastKnown = new Map<number, number>();

/** 0 where it can't be known: there the engines' own limits have to do. */
function residentBytes(pid: number | undefined): number {
  if (pid === undefined) return 0;
  try {
    return Number(readFileSync(`/proc/${pid}/statm`, "utf8").split(" ")[1]) * pageBytes;
  } catch {
    if (process.platform !== "darwin") return 0;
    // Known by the next look: the command takes a few milliseconds.
    execFile("ps", ["-o", "rss=", "-p", String(pid)], (_error, stdout) => {
      lastKnown.clear();
      lastKnown.set(pid, Number(stdout) * 1024);
    });
    return lastKnown.get(pid) ?? 0;
  }
}
