import { isObject } from "../../json.ts";
import { valueAtPointer } from "../../results/json-pointer.ts";
import { mapSubschemas } from "../../results/subschemas.ts";
import { withCompiledPatterns } from "../tools/sent-schema.ts";

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
 * - Anthropic and OpenAI, if it combines schemas at the top level or refers to one. The server still validates those.
 * - OpenAI, if it has no `properties`, an array without `items`, a pattern with lookaround (SmartBear/smartbear-mcp#491), or a
 *   reference to nothing. The server still validates patterns.
 */
export function providerSchema(schema: Record<string, unknown>): Record<string, unknown> {
  const { $ref, ...own } = schema;
  const { allOf: _, anyOf: __, oneOf: ___, not: ____, enum: _____, ...root } = { ...schemaAt(schema, $ref), ...own };
  const { $ref: ______, ...accepted } = accept(root, root) as Record<string, unknown>;
  return { properties: {}, ...accepted, type: "object" };
}

/** The schema without what a provider rejects. `root`: what its references refer to. */
function accept(schema: unknown, root: object): unknown {
  if (Array.isArray(schema)) return schema.map((each) => accept(each, root)); // a tuple of earlier drafts
  if (!isObject(schema)) return schema;
  const { $ref, ...rest } = withCompiledPatterns(mapSubschemas(schema, (within) => accept(within, root)));
  const needsItems = [rest["type"]].flat().includes("array") && rest["items"] === undefined;
  return {
    ...rest,
    ...(needsItems && { items: {} }),
    ...($ref !== undefined && schemaAt(root, $ref) && { $ref }),
  };
}

/** The schema that a reference within `root` means. */
function schemaAt(root: object, reference: unknown): Record<string, unknown> | undefined {
  if (typeof reference !== "string" || !/^#(\/|$)/.test(reference)) return undefined;
  const found = valueAtPointer(root, reference.slice(1));
  return isObject(found) ? found : undefined;
}
