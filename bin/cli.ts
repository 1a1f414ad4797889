import { createInterface } from "node:readline";
import { isatty } from "node:tty";
import { type Argument, type Command, CommanderError, Help, Option } from "commander";
import packageFile from "../package.json" with { type: "json" };
import { redactTokens } from "../src/accounts/token.ts";
import { ServiceError } from "../src/errors.ts";
import { printableLine } from "./printable.ts";

/** Where a program prints. Each text is printed with a line break after it. */
export interface Io {
  out(text: string): void;
  err(text: string): void;
}

/** Where a program prints files, too. */
export interface FileIo extends Io {
  /** Prints bytes to standard output as they are. Resolves when they are written. */
  write(bytes: Uint8Array): Promise<void>;
  /** Whether standard output is a terminal. */
  isTerminal: boolean;
  /** Whether standard error is one. */
  errIsTerminal: boolean;
  /** Asks the person at the terminal. Absent: standard input or standard error is not a terminal. */
  ask?(question: string): Promise<string>;
  /** Replaces the status line on standard error. Empty: removes it. Absent: standard error is not a terminal. */
  show?(line: string): void;
}

export const consoleIo: FileIo = {
  out: (text) => console.log(text),
  err: (text) => console.error(text),
  write: (bytes) =>
    new Promise((resolve, reject) => process.stdout.write(bytes, (error) => (error ? reject(error) : resolve()))),
  isTerminal: isatty(1),
  errIsTerminal: isatty(2),
  ...(isatty(0) && isatty(2) && { ask }),
  ...(isatty(2) && { show }),
};

async function ask(question: string): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await new Promise((resolve) => {
      terminal.once("close", () => resolve("")); // end of input, or Ctrl-C
      terminal.question(question, resolve);
    });
  } finally {
    terminal.close();
  }
}

function show(line: string): void {
  const width = process.stderr.columns;
  process.stderr.write(`\r\u001b[K${line.slice(0, Math.max(0, width - 1))}`); // a wrapped line cannot be replaced
}

/** An error for the person at the terminal. The message is one line: what was wrong, what was received, what to do. */
export class CliError extends Error {
  /** Undefined: that of the program's errors. */
  readonly exitCode: number | undefined;

  constructor(message: string, exitCode?: number) {
    super(message);
    this.exitCode = exitCode;
  }
}

/**
 * Parses `argv`, runs the command and resolves with the exit code. An error is one line on stderr, after `name`.
 * `explain` writes the line for errors that are not `CliError`. All programs have `--version`, and `help` as another way to write
 * `--help`.
 */
export async function runProgram(
  program: Command,
  argv: string[],
  io: Io,
  { name, exitCode = 1, explain = describeError }: { name: string; exitCode?: number; explain?: typeof describeError },
): Promise<number> {
  configure(program, io);
  try {
    if (asksForVersion(program, argv)) io.out(packageFile.version);
    else await program.parseAsync(withoutHelpCommand(program, argv), { from: "user" });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode; // after --help
    io.err(printableLine(`${name}: ${error instanceof CliError ? error.message : explain(error)}`));
    return (error instanceof CliError ? error.exitCode : undefined) ?? exitCode;
  }
}

const versionOption = new Option("-v, --version", "print the version");

/** Not an option of commander, which would take it from commands that have a `--version` of their own. */
function asksForVersion({ commands }: Command, argv: string[]): boolean {
  const places = commands.length === 0 ? argv : argv.slice(0, 1);
  return places.some((argument) => argument === versionOption.short || argument === versionOption.long);
}

/** `help run start` as `run start --help`. Commander's own command `help` takes one name only. */
function withoutHelpCommand(program: Command, argv: string[]): string[] {
  const [first, ...names] = argv;
  if (first !== "help") return argv;
  let command = program;
  for (const name of names.filter((each) => !each.startsWith("-"))) {
    const child = command.commands.find((each) => each.name() === name);
    if (!child) {
      const path = pathOf(command) || "this program";
      const known = command.commands.length === 0 ? `${path} has no commands; see --help` : commandsOf(command);
      throw new CliError(`help: unknown command ${JSON.stringify(redactTokens(name))}; ${known}`);
    }
    command = child;
  }
  return [...pathOf(command).split(" ").filter(Boolean), "--help"];
}

/** The command and its required arguments and options, such as `org create --name NAME`. `all`: the optional ones too. */
export function synopsis(command: Command, all = true): string {
  const options = command.options.flatMap((option) => {
    const flag = option.flags.replaceAll(/[<>]/g, "");
    if (option.mandatory) return [flag];
    return all ? [`[${flag}]`] : [];
  });
  return [pathOf(command), ...command.registeredArguments.map(argumentOf), ...options].join(" ");
}

function argumentOf(argument: Argument): string {
  return argument.required ? argument.name() : `[${argument.name()}]`;
}

function describeError(error: unknown): string {
  return error instanceof ServiceError ? error.message : String(error);
}

/** Sends help to `io`, and turns commander's errors into one line with what is accepted. */
function configure(command: Command, io: Io): void {
  command
    .helpCommand(false)
    .helpOption("-h, --help", "print help")
    .configureHelp({
      showGlobalOptions: true,
      subcommandTerm: (leaf) => synopsis(leaf, false),
      visibleOptions: (shown) => [
        ...Help.prototype.visibleOptions.call(new Help(), shown),
        ...(shown.parent ? [] : [versionOption]),
      ],
      // Only here, because commander also takes its suggestions from `visibleCommands`.
      formatHelp: (shown, help) => {
        help.visibleCommands = (parent) => parent.commands.flatMap(leaves);
        return Help.prototype.formatHelp.call(help, shown, help);
      },
    })
    .configureOutput({ writeOut: (text) => io.out(text.trimEnd()), writeErr: () => {}, outputError: () => {} })
    .exitOverride((error) => {
      throw error.exitCode === 0 ? error : new CliError(usageError(command, error));
    });
  for (const child of command.commands) configure(child, io);
}

function leaves(command: Command): Command[] {
  return command.commands.length === 0 ? [command] : command.commands.flatMap(leaves);
}

/** No value of an option or surplus argument is repeated: it may be a secret. */
function usageError(command: Command, { code, message }: CommanderError): string {
  const path = pathOf(command);
  const [, flag = ""] = /'(--?[^'\s=]*)/.exec(message) ?? [];
  const [, similar] = /\(Did you mean ([^)]*)\?\)/.exec(message) ?? [];
  const suggestion = similar === undefined ? "" : ` (did you mean ${similar}?)`;
  const see = " (see --help)";
  const accepted = `${path ? `${path} takes` : "accepted are"} ${optionsOf(command)}`;
  switch (code) {
    case "commander.help":
      return `${path && `${path}: `}a command is missing; ${commandsOf(command)}${see}`;
    case "commander.unknownCommand":
      return `unknown command ${JSON.stringify(redactTokens(command.args[0] ?? ""))}; ${commandsOf(command)}${suggestion || see}`;
    case "commander.unknownOption":
      return `unknown option ${flag}; ${accepted}${suggestion || see}`;
    case "commander.missingMandatoryOptionValue": {
      // Commander reports the missing option first, although a mistyped one is the likely cause.
      const [unknown] = command.args.flatMap((arg) => /^--[^\s=]+/.exec(arg) ?? []);
      if (unknown !== undefined) return `unknown option ${unknown}; ${accepted}${see}`;
      return `${flag} is missing${path && `: ${synopsis(command)}`}${see}`;
    }
    case "commander.optionMissingArgument":
      return `${flag} has no value${path && `: ${synopsis(command)}`}${see}`;
    case "commander.missingArgument":
      return `${command.registeredArguments[0]?.name()} is missing: ${synopsis(command)}`;
    case "commander.excessArguments": {
      const names = command.registeredArguments.map((argument) => argument.name());
      const takes = names.length === 0 ? "no arguments" : `one argument, ${names.join(", ")}`;
      return `${path && `${path} `}takes ${takes}; received ${command.args.length}${path && `: ${synopsis(command)}`}`;
    }
    default:
      return message;
  }
}

function commandsOf(command: Command): string {
  const names = command.commands.map((child) => child.name()).join(", ");
  return command.parent ? `${pathOf(command)} takes ${names}` : `commands are ${names}`;
}

function optionsOf(command: Command): string {
  const all = [command, ...ancestors(command)].flatMap(({ options }) => options);
  return all.map(({ long }) => long).join(", ");
}

/** Names of a command and its parents, without the program's. */
function pathOf(command: Command): string {
  return [command, ...ancestors(command)]
    .slice(0, -1)
    .map((each) => each.name())
    .toReversed()
    .join(" ");
}

function ancestors({ parent }: Command): Command[] {
  return parent ? [parent, ...ancestors(parent)] : [];
}
