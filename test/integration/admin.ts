import { expect } from "vitest";
import { type Ended, runScript } from "./script.ts";

/** One call of the command line. */
export function admin(dataDir: string, ...args: string[]): Promise<Ended> {
  return runScript("bin/admin.ts", [...args, "--data-dir", dataDir]);
}

/** The JSON that a call prints, which has to succeed without a word on stderr. */
export async function done(dataDir: string, ...args: string[]) {
  const { code, stdout, stderr } = await admin(dataDir, ...args, "--json");
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return JSON.parse(stdout) as Record<string, unknown> & Record<"id" | "hash" | "api_key", string>;
}

/** The reason for which a call is refused: exit code 1, nothing on stdout, one line on stderr. */
export async function refused(dataDir: string, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await admin(dataDir, ...args);
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toMatch(/^admin: [^\n]+\n$/);
  return stderr.slice("admin: ".length, -1);
}
