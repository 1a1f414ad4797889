import { spawn } from "node:child_process";
import { StringDecoder } from "node:string_decoder";
import { CliError } from "../../cli.ts";

interface CommandOptions {
  /** Gets each line that the command prints. */
  report?: (line: string) => void;
  cwd?: string;
  /** Further environment variables. */
  env?: Record<string, string>;
}

/** Lines of a failed command's output that the error shows. */
const shownLines = 5;
/** Characters of output that are kept. */
const maxCharacters = 1_000_000;

/** Runs a command. Resolves with what it printed. Rejects with a CliError that has the last lines of it. */
export async function runCommand(
  [command = "", ...args]: string[],
  { report, cwd, env }: CommandOptions = {},
): Promise<string> {
  const child = spawn(command, args, { cwd, env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  let errors = "";
  for (const stream of [child.stdout, child.stderr]) {
    const decoder = new StringDecoder("utf8");
    let line = "";
    stream.on("data", (bytes: Buffer) => {
      const text = decoder.write(bytes);
      if (stream === child.stdout) output = (output + text).slice(-maxCharacters);
      else errors = (errors + text).slice(-maxCharacters);
      const lines = (line + text).split(/[\r\n]+/);
      line = lines.pop() ?? "";
      for (const each of lines) if (each.trim() !== "") report?.(each);
    });
  }
  const failure = await new Promise<string | undefined>((resolve) => {
    child.once("error", ({ message }) => resolve(message));
    child.once("close", (code, signal) =>
      resolve(code === 0 ? undefined : `it ended with ${signal ?? `exit code ${code}`}`),
    );
  });
  if (failure === undefined) return output;
  const last = `${errors}\n${output}`
    .trim()
    .split(/\s*[\r\n]+\s*/)
    .slice(-shownLines)
    .join(" | ");
  throw new CliError(`${command} ${args[0] ?? ""}: ${failure}${last === "" ? "" : `: ${last}`}`);
}

/** Whether a command can be run. */
export async function commandWorks(command: string[]): Promise<boolean> {
  return runCommand(command).then(
    () => true,
    () => false,
  );
}
