import { existsSync } from "node:fs";
import { join } from "node:path";
import { Refusal } from "../lambdas/runs/errors.ts";
import { openLocalStores } from "../lambdas/stores/local/index.ts";
import { agentCommands } from "./admin/agents.ts";
import { Problem } from "./admin/command.ts";
import { keyCommands } from "./admin/keys.ts";
import { organizationCommands } from "./admin/organizations.ts";
import { help, type Invocation, parseCommand } from "./admin/parse.ts";
import { runCommands } from "./admin/runs.ts";

const commands = [...organizationCommands, ...agentCommands, ...keyCommands, ...runCommands];

try {
  const invocation = parseCommand(process.argv.slice(2), commands);
  console.log("help" in invocation ? help(commands) : await output(invocation));
} catch (error) {
  console.error(`admin: ${reason(error)}`);
  process.exitCode = 1;
}

async function output({ command, given, dataDir, json }: Exclude<Invocation, { help: true }>): Promise<string> {
  const stores = openStores(dataDir, command.founds === true);
  try {
    const result = await command.run(stores, given);
    return json ? JSON.stringify(result.json) : result.text;
  } finally {
    stores.close();
  }
}

function openStores(dataDir: string, founds: boolean): ReturnType<typeof openLocalStores> {
  // A mistyped folder would otherwise be made, and look like a service without data.
  if (!founds && !existsSync(join(dataDir, "runs.sqlite"))) {
    throw new Problem(
      `there is no service data in ${dataDir}; give its folder with --data-dir, or begin with npm start`,
    );
  }
  try {
    return openLocalStores({ dataDir });
  } catch (error) {
    throw new Problem(`the data folder ${dataDir} can't be used: ${reason(error)}; give another with --data-dir`);
  }
}

/** One line, whatever went wrong. A refusal's message says all; anything else keeps its kind. */
function reason(error: unknown): string {
  const text = error instanceof Problem || error instanceof Refusal ? error.message : String(error);
  return text.replace(/\s+/g, " ");
}
