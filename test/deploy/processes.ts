import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../..", import.meta.url));

/** This process's environment with the Node of `node_modules` first on the PATH, and `more` over it. */
export function environment(more: Record<string, string> = {}): NodeJS.ProcessEnv {
  return { ...process.env, PATH: `${root}node_modules/.bin:${process.env["PATH"]}`, ...more };
}

export interface Ended {
  /** Null: ended by a signal. */
  status: number | null;
  stdout: string;
  stderr: string;
}

interface RunOptions {
  env?: NodeJS.ProcessEnv;
  /** Its output goes to this process's own instead of into the result. */
  shown?: boolean;
}

const groups = new Set<number>();

/**
 * Starts a program in a process group of its own, so that `endAll` ends whatever it starts, too. What a test starts
 * stays in the group of vitest, which is such a program itself.
 */
export function start(command: string, args: string[], { env = environment(), shown = false }: RunOptions = {}) {
  const own = process.env["VITEST"] === undefined;
  const child = spawn(command, args, {
    cwd: root,
    env,
    detached: own,
    stdio: ["ignore", shown ? "inherit" : "pipe", shown ? "inherit" : "pipe"],
  });
  if (own && child.pid !== undefined) groups.add(child.pid);
  return child;
}

/** Runs a program to its end. Rejects when it can't be started. */
export function run(command: string, args: string[], options: RunOptions = {}): Promise<Ended> {
  const child = start(command, args, options);
  let [stdout, stderr] = ["", ""];
  child.stdout?.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr?.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (status) => resolve({ status, stdout, stderr }));
  });
}

/** Runs a program that has to succeed, and resolves with what it printed. */
export async function succeed(command: string, args: string[], options: RunOptions = {}): Promise<string> {
  const { status, stdout, stderr } = await run(command, args, options);
  if (status === 0) return stdout;
  throw new Error(
    `${command} ${args.join(" ")} ended with ${status}:\n${stdout.slice(-4_000)}\n${stderr.slice(-4_000)}`,
  );
}

const patience = 5_000; // ms between asking a group to end and ending it

/** Ends every program that was started here with all that it started itself; resolves when none of them is left. */
export async function endAll(): Promise<void> {
  const begun = Date.now();
  for (const group of groups) signal(group, "SIGTERM");
  while ([...groups].some((group) => signal(group, 0))) {
    if (Date.now() - begun > patience) for (const group of groups) signal(group, "SIGKILL");
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** False when nothing of the group is left. */
function signal(group: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-group, name);
  } catch {
    groups.delete(group);
    return false;
  }
}
