import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../..", import.meta.url));

/** The environment of this process with the Node of `node_modules` first on the PATH. `more` overrides it. */
export function environment(more: Record<string, string> = {}): NodeJS.ProcessEnv {
  return { ...process.env, PATH: `${root}node_modules/.bin:${process.env["PATH"]}`, ...more };
}

export interface Ended {
  /** Null when a signal ended it. */
  status: number | null;
  stdout: string;
  stderr: string;
}

interface RunOptions {
  /** The folder in which the program runs. Default: this project's. */
  cwd?: string;
  env?: NodeJS.ProcessEnv;
  /** Passes its output through instead of collecting it. */
  shown?: boolean;
}

/** The latest output of the programs, in at most 50 chunks. Cleared at the start of each phase. */
export const recentOutput: string[] = [];

const groups = new Set<number>();

export type Process = ReturnType<typeof start>;

/**
 * Starts a program in its own process group, so that `endAll` also ends its children. Programs that a test starts stay
 * in the process group of vitest.
 */
export function start(command: string, args: string[], options: RunOptions = {}) {
  const { cwd = root, env = environment(), shown = false } = options;
  const detached = process.env["VITEST"] === undefined;
  const child = spawn(command, args, {
    cwd,
    env,
    detached,
    stdio: ["ignore", shown ? "inherit" : "pipe", shown ? "inherit" : "pipe"],
  });
  if (detached && child.pid !== undefined) groups.add(child.pid);
  return child;
}

function collect(chunk: string): string {
  recentOutput.push(chunk);
  if (recentOutput.length > 50) recentOutput.shift();
  return chunk;
}

/** Runs a program to its end. Rejects when it cannot be started. */
export function run(command: string, args: string[], options: RunOptions = {}): Promise<Ended> {
  const child = start(command, args, options);
  let [stdout, stderr] = ["", ""];
  child.stdout?.on("data", (chunk: Buffer) => (stdout += collect(chunk.toString())));
  child.stderr?.on("data", (chunk: Buffer) => (stderr += collect(chunk.toString())));
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (status) => resolve({ status, stdout, stderr }));
  });
}

/** Runs a program and resolves with its standard output. Rejects with the end of its output when its status is not 0. */
export async function succeed(command: string, args: string[], options: RunOptions = {}): Promise<string> {
  const { status, stdout, stderr } = await run(command, args, options);
  if (status === 0) return stdout;
  throw new Error(
    `${command} ${args.join(" ")} ended with ${status}:\n${stdout.slice(-4_000)}\n${stderr.slice(-4_000)}`,
  );
}

const graceMilliseconds = 5_000; // between SIGTERM and SIGKILL

/** Ends every process group that was started here. Resolves when no process is left. */
export async function endAll(): Promise<void> {
  const begun = Date.now();
  for (const group of groups) signal(group, "SIGTERM");
  while ([...groups].some((group) => signal(group, 0))) {
    if (Date.now() - begun > graceMilliseconds) for (const group of groups) signal(group, "SIGKILL");
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** False when no process of the group is left. */
function signal(group: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-group, name);
  } catch {
    groups.delete(group);
    return false;
  }
}
