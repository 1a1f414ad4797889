import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));

export interface Ended {
  status: number | null;
  stdout: string;
  stderr: string;
}

/** One call of the command line. */
export function admin(dataDir: string, ...args: string[]): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const command = ["bin/admin.ts", ...args, "--data-dir", dataDir];
    const child = spawn(process.execPath, command, { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
    let [stdout, stderr] = ["", ""];
    child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
    child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
    child.once("error", reject);
    child.once("close", (status) => resolve({ status, stdout, stderr }));
  });
}

/** The JSON that a call prints, which has to succeed without a word on stderr. */
export async function done(dataDir: string, ...args: string[]) {
  const { status, stdout, stderr } = await admin(dataDir, ...args, "--json");
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  return JSON.parse(stdout) as Record<string, unknown> & { id: string };
}

/** The reason for which a call is refused: exit code 1, nothing on stdout, one line on stderr. */
export async function refused(dataDir: string, ...args: string[]): Promise<string> {
  const { status, stdout, stderr } = await admin(dataDir, ...args);
  expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
  expect(stderr).toMatch(/^admin: [^\n]+\n$/);
  return stderr.slice("admin: ".length, -1);
}
