import type { ErrorObject } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";

const draft = "https://json-schema.org/draft/2020-12/schema";

// Made once: it compiles the schema of schemas, which takes 15 ms.
const ajv = new Ajv2020({ strict: false, logger: false });

/** Why a schema is no JSON Schema: clauses about values of keywords, with the place as a JSON Pointer. */
export function formProblems(schema: object): string[] {
  const { $schema = draft } = schema as { $schema?: unknown };
  if ($schema !== draft) {
    const others = "draft-07 is accepted without dependencies, and without checks beside a $ref";
    return [`/$schema: expected ${draft}, received ${JSON.stringify($schema)?.slice(0, 200)}; ${others}`];
  }
  if (ajv.validateSchema(schema)) return [];
  // The first error of a place says most: those after it are of the alternatives.
  const byPlace = new Map<string, string>();
  for (const error of ajv.errors ?? []) {
    if (!byPlace.has(error.instancePath)) byPlace.set(error.instancePath, clauseOf(error));
  }
  return [...byPlace].map(([place, clause]) => `${place || "/"}: ${clause}`);
}

function clauseOf({ message = "is not valid", params }: ErrorObject): string {
  const { allowedValues } = params as { allowedValues?: unknown };
  return Array.isArray(allowedValues) ? `${message}: ${allowedValues.join(", ")}` : message;
}
