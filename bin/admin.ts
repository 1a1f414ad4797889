import { ServiceError } from "../src/errors.ts";
import { agentCommands } from "./admin/agents.ts";
import { type Output, Problem } from "./admin/command.ts";
import { openHome } from "./admin/connect.ts";
import { keyCommands } from "./admin/keys.ts";
import { organizationCommands } from "./admin/organizations.ts";
import { help, type Invocation, parseCommand } from "./admin/parse.ts";
import { runCommands } from "./admin/runs.ts";

const commands = [...organizationCommands, ...agentCommands, ...keyCommands, ...runCommands];

try {
  const invocation = parseCommand(process.argv.slice(2), commands);
  if ("help" in invocation) console.log(help(commands));
  else await carryOut(invocation);
} catch (error) {
  console.error(`admin: ${reason(error)}`);
  process.exitCode = 1;
}

async function carryOut({ command, given, place, json }: Exclude<Invocation, { help: true }>): Promise<void> {
  const home = await openHome(place, command.needsNoData !== true);
  const print = (output: Output): void => console.log(json ? JSON.stringify(output.json) : output.text);
  try {
    const result = await command.run(home, given);
    if (Symbol.asyncIterator in result) for await (const output of result) print(output);
    else print(result);
  } finally {
    home.close();
  }
}

/** One line, whatever went wrong. A refusal's message says all; anything else keeps its kind. */
function reason(error: unknown): string {
  const text = error instanceof Problem || error instanceof ServiceError ? error.message : String(error);
  return text.replace(/\s+/g, " ");
}
