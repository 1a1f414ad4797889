import { expect } from "vitest";
import { main } from "../../bin/admin/main.ts";
import type { FileIo } from "../../bin/cli.ts";
import type { ProcessResult } from "./script.ts";

/** Runs a command line program in this process, as `runScript` does in another one. `answer`: of the person at the terminal. */
export async function inProcess(
  program: (argv: string[], io: FileIo) => Promise<number>,
  args: string[],
  isTerminal = false,
  answer?: string,
): Promise<ProcessResult> {
  const printed = { stdout: "", stderr: "" };
  const code = await program(args, {
    out: (text) => void (printed.stdout += `${text}\n`),
    err: (text) => void (printed.stderr += `${text}\n`),
    write: async (bytes) => void (printed.stdout += Buffer.from(bytes).toString()),
    isTerminal,
    errIsTerminal: isTerminal,
    ...(answer !== undefined && {
      ask: async (question) => {
        printed.stderr += question;
        return answer;
      },
    }),
  });
  return { code, ...printed };
}

/** Runs an admin command. */
export function admin(dataDir: string, ...args: string[]): Promise<ProcessResult> {
  return inProcess(main, [...args, "--data-dir", dataDir]);
}

/** Runs an admin command that must succeed without a warning. Resolves with its JSON. */
export async function done(dataDir: string, ...args: string[]) {
  const { code, stdout, stderr } = await admin(dataDir, ...args, "--json");
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return JSON.parse(stdout) as Record<string, unknown> & Record<"id" | "key", string>;
}

/** The entries of a list that an admin command prints. */
export async function listed<Entry = Record<string, unknown>>(dataDir: string, ...args: string[]): Promise<Entry[]> {
  return (await done(dataDir, ...args))["data"] as Entry[];
}

/** The text of a run's file, as `run file` prints it. */
export async function fileText(dataDir: string, runId: string, name: string, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await admin(dataDir, "run", "file", runId, name, ...args);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return stdout;
}

/** Names of a run's files. */
export async function fileNames(dataDir: string, runId: string): Promise<string[]> {
  return (await listed<{ name: string }>(dataDir, "run", "show", runId, "--files")).map(({ name }) => name);
}

/** Runs an admin command that must fail: exit code 1, nothing on stdout, one line on stderr. Resolves with the error. */
export async function rejected(dataDir: string, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await admin(dataDir, ...args);
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toMatch(/^admin: [^\n]+\n$/);
  return stderr.slice("admin: ".length, -1);
}
