import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

/** `floor`: bench/floor.ts. `service`: `npm start`'s server. */
export type Kind = "floor" | "service";

/** A server in a child process. */
export interface Server {
  kind: Kind;
  pid: number;
  port: number;
  apiKey: string;
  templateId: string;
  dataDir: string;
  /** Signs in to the console. Empty for the floor. */
  consoleUrl: string;
  /** `performance.now()` before the process was started. */
  spawnedAt: number;
  /** Stops the server. Resolves when the process has exited. */
  end(): Promise<void>;
}

// The service creates its own starter agent, or uses the seeded one.
export const floorAgentId = "00000000-0000-4000-8000-000000000001";

/** All directories created so far, for removal at exit. */
export const dataDirs: string[] = [];

/** A new directory on the project's disk. In a memory file system fsync would be free. */
export function newDataDir(): string {
  const parent = join(root, "node_modules", ".cache");
  mkdirSync(parent, { recursive: true });
  const dataDir = mkdtempSync(join(parent, "bench-"));
  dataDirs.push(dataDir);
  return dataDir;
}

export interface StartOptions {
  /** Starts the service through npm, as users do. */
  npmStart?: boolean;
  /** Options of the service. */
  more?: string[];
  /** The checkout whose service is started, with its dependencies. Default: this one. */
  folder?: string;
}

function commandOf(kind: Kind, dataDir: string, { npmStart, more = [], folder = root }: StartOptions): string[] {
  if (kind === "floor") return [process.execPath, "bench/floor.ts", dataDir, floorAgentId];
  const options = ["--json", "--port", "0", "--data-dir", dataDir, ...more];
  return npmStart ? ["npm", "start", "--silent", "--", ...options] : [nodeOf(folder), "bin/local.ts", ...options];
}

/** The Node.js that a checkout installs. */
function nodeOf(folder: string): string {
  const installed = join(folder, "node_modules", ".bin", "node");
  return existsSync(installed) ? installed : process.execPath;
}

/** Resolves when the server has printed its line of JSON. Rejects with its stderr if it exits before. */
export async function startServer(kind: Kind, dataDir: string, options: StartOptions = {}): Promise<Server> {
  const { npmStart = false, folder = root } = options;
  const [command = "", ...args] = commandOf(kind, dataDir, options);
  const spawnedAt = performance.now();
  const child = spawn(command, args, { cwd: folder, stdio: ["ignore", "pipe", "pipe"], detached: npmStart });
  const endAtExit = () => stop(child, npmStart);
  process.once("exit", endAtExit);
  let errors = "";
  child.stderr.on("data", (chunk: Buffer) => (errors += chunk.toString()));
  const exited = new Promise<string>((resolve) => {
    child.once("exit", (code, signal) => resolve(`${command} ${args.join(" ")} ended with ${code ?? signal}`));
  });
  const line = await Promise.race([
    new Promise<string>((resolve) => createInterface(child.stdout).once("line", resolve)),
    exited.then((how) => Promise.reject(new Error(`${how}: ${errors.trim() || "nothing on stderr"}`))),
  ]);
  const { base_url, api_key, template_id, console_url } = JSON.parse(line) as Record<string, string>;
  return {
    kind,
    pid: child.pid ?? 0,
    port: Number(new URL(base_url ?? "").port),
    apiKey: api_key ?? "",
    templateId: template_id ?? "",
    dataDir,
    consoleUrl: console_url ?? "",
    spawnedAt,
    async end() {
      process.off("exit", endAtExit);
      stop(child, npmStart);
      await exited;
    },
  };
}

/** Not every npm version forwards signals, so its process group is signaled. */
function stop(child: ChildProcess, group: boolean): void {
  if (group && child.pid !== undefined) process.kill(-child.pid, "SIGTERM");
  else child.kill("SIGTERM");
}

/** Resident memory of a process in MB, current or peak. Undefined on systems without /proc. */
export function memoryOf(pid: number, field: "VmRSS" | "VmHWM"): number | undefined {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    return Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(status)?.[1]) / 1_024;
  } catch {
    return undefined;
  }
}

/**
 * Processor time of a process with all its threads, in milliseconds. Other load on the machine changes it much less than it
 * changes the time on the clock. Undefined on systems without /proc.
 */
export function processorTimeOf(pid: number): number | undefined {
  try {
    const tasks = `/proc/${pid}/task`;
    const times = readdirSync(tasks).map((task) => readFileSync(`${tasks}/${task}/schedstat`, "utf8").split(" ", 1)[0]);
    return times.reduce((sum, nanoseconds) => sum + Number(nanoseconds), 0) / 1e6;
  } catch {
    return undefined;
  }
}

/** Resets VmHWM to the current resident memory (proc(5), clear_refs). */
export function resetPeak(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/clear_refs`, "5");
  } catch {
    // Without /proc, the peak includes the process's start.
  }
}
