import { ServiceError } from "../errors.ts";
import { schemaProblems } from "../results/schema-problems.ts";
import type { AgentDefinition } from "./types.ts";

/** Why the schemas of a definition cannot be used. One sentence per problem. */
export async function definitionSchemaProblems({
  result,
  clientTools = [],
}: Pick<AgentDefinition, "result" | "clientTools">): Promise<string[]> {
  const schemas: [place: string, schema: object][] = [
    ...(result?.schema ? [["result.schema", result.schema] as [string, object]] : []),
    ...clientTools.map(({ name, input }): [string, object] => [`clientTools ${name}.input`, input]),
  ];
  const problems: string[] = [];
  for (const [place, schema] of schemas) {
    for (const problem of await schemaProblems(schema)) problems.push(`${place}: ${problem}`);
  }
  return problems;
}

/** Rejects a run's own schema that cannot be used. */
export async function requireUsableSchema(schema: object): Promise<void> {
  const problems = await schemaProblems(schema);
  if (problems.length === 0) return;
  throw new ServiceError("invalid_argument", problems.map((problem) => `result_schema: ${problem}`).join("; "));
}
