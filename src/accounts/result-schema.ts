import { schemaProblems } from "../results/schema-problems.ts";
import type { AgentDefinition } from "./types.ts";

/** The schema of the results of an agent's turns, as turns take it. Empty: their output is any text. */
export function resultSchemaOf({ result }: Pick<AgentDefinition, "result">): { resultSchema?: object } {
  return result?.schema ? { resultSchema: result.schema } : {};
}

/** Why the schema of a definition cannot be used. One sentence per problem. */
export async function resultSchemaProblems({ result }: Pick<AgentDefinition, "result">): Promise<string[]> {
  const problems = result?.schema ? await schemaProblems(result.schema) : [];
  return problems.map((problem) => `result.schema: ${problem}`);
}
