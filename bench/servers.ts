import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("..", import.meta.url));

/** The two servers that are compared; `kind` names the columns. */
export type Kind = "floor" | "service";

/** A server as a child process of its own. */
export interface Server {
  kind: Kind;
  pid: number;
  port: number;
  apiKey: string;
  templateId: string;
  dataDir: string;
  /** `performance.now()` right before the process was started. */
  spawnedAt: number;
  /** Resolves when the process is gone. */
  end(): Promise<void>;
}

// Only the floor is told its agent's id; the service makes its own, or finds what was seeded.
export const floorAgentId = "00000000-0000-4000-8000-000000000001";

/** Every folder that was made, for whoever cleans up. */
export const dataDirs: string[] = [];

/** A fresh folder on the disk that holds the project: a folder in memory would make every fsync free. */
export function newDataDir(): string {
  const parent = join(root, "node_modules", ".cache");
  mkdirSync(parent, { recursive: true });
  const dataDir = mkdtempSync(join(parent, "bench-"));
  dataDirs.push(dataDir);
  return dataDir;
}

/** The command that starts a server. `npmStart`: the service as people start it, through npm. */
function commandOf(kind: Kind, dataDir: string, npmStart = false): string[] {
  if (kind === "floor") return [process.execPath, "bench/floor.ts", dataDir, floorAgentId];
  const options = ["--json", "--port", "0", "--data-dir", dataDir];
  return npmStart ? ["npm", "start", "--silent", "--", ...options] : [process.execPath, "bin/local.ts", ...options];
}

/** Starts a server and resolves when it has printed its line. Rejects with its stderr when it ends before that. */
export async function startServer(kind: Kind, dataDir: string, npmStart = false): Promise<Server> {
  const [command = "", ...args] = commandOf(kind, dataDir, npmStart);
  const spawnedAt = performance.now();
  const child = spawn(command, args, { cwd: root, stdio: ["ignore", "pipe", "pipe"], detached: npmStart });
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
  const { base_url, api_key, template_id } = JSON.parse(line) as Record<string, string>;
  return {
    kind,
    pid: child.pid ?? 0,
    port: Number(new URL(base_url ?? "").port),
    apiKey: api_key ?? "",
    templateId: template_id ?? "",
    dataDir,
    spawnedAt,
    async end() {
      process.off("exit", endAtExit);
      stop(child, npmStart);
      await exited;
    },
  };
}

/** npm does not hand signals on in every version, so what it started is ended as a group. */
function stop(child: ChildProcess, group: boolean): void {
  if (group && child.pid !== undefined) process.kill(-child.pid, "SIGTERM");
  else child.kill("SIGTERM");
}

/** Resident memory of a process in MB, now or at its highest; undefined where the system has no /proc. */
export function memoryOf(pid: number, field: "VmRSS" | "VmHWM"): number | undefined {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    return Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(status)?.[1]) / 1_024;
  } catch {
    return undefined;
  }
}

/** Makes VmHWM start again from what is resident now (proc(5), clear_refs). */
export function resetPeak(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/clear_refs`, "5");
  } catch {
    // Without it the peak counts from the process's start.
  }
}
