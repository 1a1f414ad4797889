import { ServiceError } from "../errors.ts";
import { normalizedSchema } from "../results/normalized-schema.ts";
import { schemaProblems } from "../results/schema-problems.ts";
import type { AgentDefinition } from "./account-types.ts";

/** A definition with its schemas in the form that this service and model servers read. */
export function withNormalizedSchemas(definition: AgentDefinition): AgentDefinition {
  const { result, clientTools } = definition;
  return {
    ...definition,
    ...(result?.schema && { result: { ...result, schema: normalizedSchema(result.schema) } }),
    ...(clientTools && {
      clientTools: clientTools.map(({ name, description, input }) => {
        return { name, description, input: normalizedSchema(input) };
      }),
    }),
  };
}

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

/** A run's own schema in this form, with its check. */
export function ownSchema(given: object): { schema: object; check: (schema: object) => Promise<void> } {
  return { schema: normalizedSchema(given), check: requireUsableSchema };
}

/** Rejects a run's own schema that cannot be used. */
async function requireUsableSchema(schema: object): Promise<void> {
  const problems = await schemaProblems(schema);
  if (problems.length === 0) return;
  throw new ServiceError("invalid_argument", problems.map((problem) => `result_schema: ${problem}`).join("; "));
}
