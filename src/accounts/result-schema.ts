import { ServiceError } from "../errors.ts";
import { schemaProblems } from "../results/schema-problems.ts";
import type { AgentDefinition } from "./types.ts";

/** Why the schema of a definition cannot be used. One sentence per problem. */
export async function resultSchemaProblems({ result }: Pick<AgentDefinition, "result">): Promise<string[]> {
  const problems = result?.schema ? await schemaProblems(result.schema) : [];
  return problems.map((problem) => `result.schema: ${problem}`);
}

/** Rejects a run's own schema that cannot be used. */
export async function requireUsableSchema(schema: object): Promise<void> {
  const problems = await schemaProblems(schema);
  if (problems.length === 0) return;
  throw new ServiceError("invalid_argument", problems.map((problem) => `result_schema: ${problem}`).join("; "));
}
