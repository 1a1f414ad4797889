import { readFileSync } from "node:fs";
import { parseAgentFile } from "../../src/accounts/agents/agent-definition.ts";
import type { AgentDefinition } from "../../src/accounts/account-types.ts";
import { CliError } from "../cli.ts";

export const fileOption = "--file <agent.json>";
export const fileDescription = "agent file (format: schemas/agent.schema.json)";

/** Reads an agent file. Throws with a sentence for one that does not fit its schema. */
export function readAgentFile(path: string): AgentDefinition {
  const parsed = parseAgentFile(textOf(path));
  if (!("problems" in parsed)) return parsed.definition;
  throw new CliError(
    `${path} is not a valid agent file: ${parsed.problems.join("; ")} (see schemas/agent.schema.json)`,
  );
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new CliError(`cannot read --file ${path}: ${error instanceof Error ? error.message : String(error)}`);
  }
}
