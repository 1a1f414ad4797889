import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { bundleUploadServer } from "../../../lib/bundling.ts";
import { type UploadHosting, memoryEnvironment } from "../../../lib/front-door/hosting.ts";

/** The bundle of the upload server in a child process, with the memory settings of its hosting. */
export interface Bundle {
  port: number;
  child: ChildProcess;
  /** The lines of its log so far. */
  lines: Record<string, unknown>[];
  /** Resident memory in MB: current (`VmRSS`) or peak (`VmHWM`, on Linux). */
  memory(field?: "VmRSS" | "VmHWM"): number;
  /** Sends SIGTERM. Resolves with the exit code or signal. */
  end(): Promise<number | string | null>;
  /** Resolves with the exit code or signal. */
  exited: Promise<number | string | null>;
}

/** `environment`: without the memory settings. Rejects with the log if the server does not start. */
export async function startBundle(hosting: UploadHosting, environment: Record<string, string>): Promise<Bundle> {
  const folder = mkdtempSync(join(tmpdir(), "upload-server-"));
  bundleUploadServer(folder);
  const child = spawn(process.execPath, [join(folder, "index.js")], {
    env: { AWS_LAMBDA_HTTP_ENDPOINT: "127.0.0.1:0", ...memoryEnvironment(hosting), ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const exited = new Promise<number | string | null>((resolve) => {
    child.once("close", (code, signal) => resolve(code ?? signal));
  });
  void exited.then(() => rmSync(folder, { recursive: true, force: true }));
  const lines: Record<string, unknown>[] = [];
  const port = await new Promise<number>((resolve, reject) => {
    createInterface(child.stdout).on("line", (text) => lines.push(JSON.parse(text) as Record<string, unknown>));
    createInterface(child.stderr).on("line", (text) => {
      const line = text.startsWith("{") ? (JSON.parse(text) as Record<string, unknown>) : { text };
      lines.push(line);
      if (line["message"] === "listening") resolve((line["address"] as { port: number }).port);
    });
    void exited.then((code) => reject(new Error(`ended with ${code}: ${JSON.stringify(lines)}`)));
  });
  return {
    port,
    child,
    lines,
    exited,
    memory: (field = "VmRSS") => megabytes(child.pid ?? 0, field),
    end() {
      child.kill("SIGTERM");
      return exited;
    },
  };
}

/** `resourceUsage` of the child does not help: on Linux its maximum starts with that of the parent process. */
function megabytes(pid: number, field: string): number {
  const kilobytes = existsSync("/proc/self/status")
    ? new RegExp(`^${field}:\\s+(\\d+)`, "m").exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]
    : execFileSync("ps", ["-o", "rss=", "-p", String(pid)]).toString();
  return Math.round(Number(kilobytes) / 1024);
}
