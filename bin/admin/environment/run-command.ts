import { spawn } from "node:child_process";
import { StringDecoder } from "node:string_decoder";
import { CliError } from "../../cli.ts";
import { interrupted } from "../interruption.ts";
import type { BuildLog } from "./build-log.ts";

interface CommandOptions {
  /** Gets the output. An error then names the log's step. */
  log?: BuildLog;
  /** Gets each line that the command prints. */
  report?: (line: string) => void;
  /** Further environment variables. */
  env?: Record<string, string>;
  /** Ends the command and its processes when it aborts. */
  signal?: AbortSignal;
}

/** Lines of a failed command's output that an error without a log shows. */
const shownLines = 5;
/** Characters of standard output and of errors that are kept. */
const maxCharacters = 1_000_000;
/** Milliseconds that a command has to clean up after an interruption. mmdebstrap removes a gigabyte. */
const graceMilliseconds = 20_000;

/** Runs a command. Resolves with what it printed. Rejects with a CliError that has the lines that say why. */
export async function runCommand(
  [command = "", ...args]: string[],
  { log, report, env, signal }: CommandOptions = {},
): Promise<string> {
  if (signal?.aborted) throw interruption();
  // In a process group of its own: Ctrl-C in a terminal must not reach a part of it before `signal` ends all of it.
  const child = spawn(command, args, {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
    detached: signal !== undefined,
  });
  using _ending = endOnAbort(child, signal);
  let output = "";
  let errors = "";
  for (const stream of [child.stdout, child.stderr]) {
    const decoder = new StringDecoder("utf8");
    let line = "";
    const add = (each: string): void => {
      if (each.trim() === "") return;
      report?.(each);
      log?.add(each);
    };
    stream.on("data", (bytes: Buffer) => {
      const text = decoder.write(bytes);
      if (stream === child.stdout) output = (output + text).slice(-maxCharacters);
      else errors = (errors + text).slice(-maxCharacters);
      const lines = (line + text).split(/[\r\n]+/);
      line = lines.pop() ?? "";
      for (const each of lines) add(each);
    });
    stream.once("end", () => add(line));
  }
  const failure = await new Promise<string | undefined>((resolve) => {
    child.once("error", ({ message }) => resolve(`did not start: ${message}`));
    child.once("close", (code, ended) =>
      resolve(code === 0 ? undefined : `ended with ${ended ?? `exit code ${code}`}`),
    );
  });
  if (signal?.aborted) throw interruption();
  if (failure === undefined) return output;
  const words = [command, ...args];
  const options = words.findIndex((word) => word.startsWith("--"));
  const name = words.slice(0, options < 0 ? 2 : options).join(" ");
  const { step = "", lines } = log?.failure() ?? { lines: lastLines(errors.trim() === "" ? output : errors) };
  const where = step === "" ? "" : `the step "${step}" failed: `;
  throw new CliError([`${where}${name} ${failure}`, lines.join(" | ")].filter(Boolean).join(": "));
}

function lastLines(text: string): string[] {
  return text
    .trim()
    .split(/\s*[\r\n]+\s*/)
    .slice(-shownLines);
}

function interruption(): CliError {
  return new CliError("interrupted; nothing was installed", interrupted);
}

function endOnAbort({ pid }: { pid?: number | undefined }, signal: AbortSignal | undefined): Disposable {
  let timer: NodeJS.Timeout | undefined;
  const end = (): void => {
    send(pid, "SIGTERM");
    timer = setTimeout(() => send(pid, "SIGKILL"), graceMilliseconds);
  };
  signal?.addEventListener("abort", end, { once: true });
  return {
    [Symbol.dispose]() {
      signal?.removeEventListener("abort", end);
      clearTimeout(timer);
    },
  };
}

/** Sends a signal to a group of processes, if it still exists. */
function send(group: number | undefined, name: NodeJS.Signals): void {
  try {
    if (group !== undefined) process.kill(-group, name);
  } catch {
    // it has ended
  }
}

/** Whether a command can be run. */
export async function commandWorks(command: string[]): Promise<boolean> {
  return runCommand(command).then(
    () => true,
    () => false,
  );
}
