import { isObject } from "../../json.ts";
import { mapSubschemas } from "../../results/subschemas.ts";

// Keywords whose check takes time linear in the size of the input.
const safeKeywords = new Set([
  "type",
  "enum",
  "const",
  "required",
  "dependentRequired",
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "multipleOf",
  "minLength",
  "maxLength",
  "minItems",
  "maxItems",
  "minProperties",
  "maxProperties",
]);

/**
 * The part of a tool's JSON Schema that is safe to validate in this process. A hostile server's `pattern` or `$ref` can
 * block the process for hours, so they are removed. `not` is removed because it may contain them. The result accepts
 * every input that the schema accepts; the server validates the rest.
 */
export function locallyCheckedSchema(schema: unknown): unknown {
  if (!isObject(schema)) return schema;
  const { properties, items, prefixItems, additionalProperties, allOf, anyOf, oneOf } = schema;
  const every = [...(safeSchemas(allOf) ?? []), ...(Array.isArray(oneOf) ? [{ anyOf: safeSchemas(oneOf) }] : [])];
  return {
    ...Object.fromEntries(Object.entries(schema).filter(([keyword]) => safeKeywords.has(keyword))),
    ...(isObject(properties) && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, each]) => [name, locallyCheckedSchema(each)]),
      ),
    }),
    // Without the patterns, it is not known which properties are additional.
    ...(additionalProperties !== undefined &&
      !("patternProperties" in schema) && { additionalProperties: locallyCheckedSchema(additionalProperties) }),
    ...(Array.isArray(prefixItems) && { prefixItems: safeSchemas(prefixItems) }),
    ...(items !== undefined && !Array.isArray(items) && { items: locallyCheckedSchema(items) }),
    ...(Array.isArray(anyOf) && { anyOf: safeSchemas(anyOf) }),
    ...(every.length > 0 && { allOf: every }),
  };
}

function safeSchemas(schemas: unknown): unknown[] | undefined {
  return Array.isArray(schemas) ? schemas.map(locallyCheckedSchema) : undefined;
}

/**
 * A tool's JSON Schema in the form that all providers accept. They reject a whole request for one such schema:
 * - Anthropic and OpenAI, if it combines schemas at the top level. The server still validates those.
 * - OpenAI, if it has no `properties`, or an array without `items`.
 */
export function providerSchema(schema: Record<string, unknown>): Record<string, unknown> {
  const { allOf: _, anyOf: __, oneOf: ___, not: ____, enum: _____, ...rest } = schema;
  return { properties: {}, ...(withItems(rest) as object), type: "object" };
}

function withItems(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withItems); // a tuple of earlier drafts
  if (!isObject(schema)) return schema;
  const needsItems = [schema["type"]].flat().includes("array") && schema["items"] === undefined;
  return { ...mapSubschemas(schema, withItems), ...(needsItems && { items: {} }) };
}
