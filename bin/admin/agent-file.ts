import { readFileSync } from "node:fs";
import { keepDaysProblems, parseAgentFile } from "../../src/accounts/agent-definition.ts";
import { headerSecretProblems } from "../../src/accounts/header-secrets.ts";
import { definitionSchemaProblems, withNormalizedSchemas } from "../../src/accounts/result-schema.ts";
import type { AgentDefinition } from "../../src/accounts/types.ts";
import { CliError } from "../cli.ts";
import type { OperatorPlatform } from "./operator-platform.ts";

export const fileOption = "--file <agent.json>";
export const fileDescription = "agent file (format: schemas/agent.schema.json)";

/** Reads the agent file of an agent in an organization. Rejects with a sentence for one that the service cannot use. */
export async function readAgentFile(
  path: string,
  organizationId: string,
  { secretProblem, retentionDays }: Pick<OperatorPlatform, "secretProblem" | "retentionDays">,
): Promise<AgentDefinition> {
  const parsed = parseAgentFile(textOf(path));
  const refused = (problems: string[]): CliError =>
    new CliError(`${path} is not a valid agent file: ${problems.join("; ")} (see schemas/agent.schema.json)`);
  if ("problems" in parsed) throw refused(parsed.problems);
  const definition = withNormalizedSchemas(parsed.definition);
  const problems = await problemsOf(definition, retentionDays);
  if (problems.length > 0) throw refused(problems);
  const [problem] = await headerSecretProblems(definition.mcp ?? [], organizationId, secretProblem);
  if (problem !== undefined) throw new CliError(problem);
  return definition;
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new CliError(`cannot read --file ${path}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** `retentionDays`: of a stack. */
async function problemsOf(definition: AgentDefinition, retentionDays: number | undefined): Promise<string[]> {
  return [...keepDaysProblems(definition, retentionDays), ...(await definitionSchemaProblems(definition))];
}
