import { parseArgs } from "node:util";
import { type Command, type Given, Problem } from "./command.ts";
import type { Place } from "./connect.ts";

/** One call of the operator's command line. */
export type Invocation = { help: true } | { command: Command; given: Given; place: Place; json: boolean };

const everywhere = {
  "data-dir": { type: "string" },
  stack: { type: "string" },
  json: { type: "boolean", default: false },
  help: { type: "boolean", short: "h", default: false },
} as const;

/** Finds the command and checks what it was given. Throws a `Problem` for whatever does not fit. */
export function parseCommand(args: string[], commands: Command[]): Invocation {
  // Which options a command takes is known once its noun and verb are.
  const { positionals, values: loose } = parseArgs({
    args,
    strict: false,
    allowPositionals: true,
    options: everywhere,
  });
  if (loose.help) return { help: true };
  const words = positionals.slice(0, 2).join(" ");
  const command = commands.find(({ noun, verb }) => `${noun} ${verb}` === words);
  if (!command) throw new Problem(unknownCommand(positionals, commands));

  const taken = Object.entries(command.options ?? {});
  const options = Object.fromEntries(
    taken.map(([name, { value }]) => [name, { type: value === undefined ? "boolean" : "string" } as const]),
  );
  const { values, positionals: all } = strictly(() =>
    parseArgs({ args, allowPositionals: true, options: { ...options, ...everywhere } }),
  );
  const { stack, "data-dir": dataDir } = values;
  if (stack !== undefined && dataDir !== undefined) {
    throw new Problem("--stack and --data-dir were both given; a service is either a stack on AWS or a folder here");
  }
  const operands = all.slice(2);
  const wanted = command.operand === undefined ? 0 : 1;
  if (operands.length !== wanted) {
    const received = operands.length === 0 ? "none" : JSON.stringify(operands.join(" "));
    const accepts = command.operand === undefined ? "nothing after it but options" : `one ${command.operand}`;
    throw new Problem(`${words} takes ${accepts}, and was given ${received}: ${synopsis(command)}`);
  }
  const given: Given = { operand: operands[0] ?? "", options: {}, flags: new Set() };
  for (const [name, { required }] of taken) {
    const value: unknown = Object.entries(values).find(([key]) => key === name)?.[1];
    if (typeof value === "string") given.options[name] = value;
    else if (value === true) given.flags.add(name);
    else if (required) throw new Problem(`--${name} is missing: ${synopsis(command)}`);
  }
  const place = stack === undefined ? { dataDir: dataDir ?? ".data" } : { stack };
  return { command, given, place, json: values.json };
}

/** All commands, for `--help`. */
export function help(commands: Command[]): string {
  const lines = commands.map((command) => `  ${synopsis(command)}\n      ${command.summary}`);
  return `Operates an Agent Run Service, also while it is running.

  npm run -s admin -- NOUN VERB [options]

${lines.join("\n")}

Everywhere:
  --data-dir D   folder of the data of a service on this machine (.data)
  --stack NAME   stack of a service on AWS instead, with your AWS credentials and region (AgentRunService-prod)
  --json         JSON on stdout, for programs
  --help         print this

Exit code 0 when it is done; 1 with one line on stderr when something was refused.`;
}

function synopsis({ noun, verb, operand, options = {} }: Command): string {
  const shown = Object.entries(options).map(([name, { value, required }]) => {
    const option = value === undefined ? `--${name}` : `--${name} ${value}`;
    return required ? option : `[${option}]`;
  });
  return [noun, verb, ...(operand === undefined ? [] : [operand]), ...shown].join(" ");
}

function unknownCommand([noun, verb]: string[], commands: Command[]): string {
  const nouns = [...new Set(commands.map((command) => command.noun))];
  if (noun === undefined) return `a command is missing: ${nouns.join(", ")}; --help lists them all`;
  const verbs = commands.filter((command) => command.noun === noun).map((command) => command.verb);
  if (verbs.length === 0) return `there is no ${JSON.stringify(noun)}; there are ${nouns.join(", ")} (see --help)`;
  const received = verb === undefined ? "no verb" : JSON.stringify(verb);
  return `${noun} takes ${verbs.join(", ")}, and was given ${received} (see --help)`;
}

function strictly<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw new Problem(`${error instanceof Error ? error.message : String(error)} (see --help)`);
  }
}
