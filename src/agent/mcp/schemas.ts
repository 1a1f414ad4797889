import { isObject } from "../../json.ts";

// Keywords that cost no more than the input is long.
const plain = new Set([
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
 * The part of a tool's JSON Schema that may be checked in this process; it accepts all that the schema does, and more,
 * which the server checks itself. `pattern` and `$ref` are dropped: a few of them can block the process for hours. `not`
 * goes too, as it may contain them.
 */
export function locallyCheckedSchema(schema: unknown): unknown {
  if (!isObject(schema)) return schema;
  const { properties, items, prefixItems, additionalProperties, allOf, anyOf, oneOf } = schema;
  const every = [...(listed(allOf) ?? []), ...(Array.isArray(oneOf) ? [{ anyOf: listed(oneOf) }] : [])];
  return {
    ...Object.fromEntries(Object.entries(schema).filter(([keyword]) => plain.has(keyword))),
    ...(isObject(properties) && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, each]) => [name, locallyCheckedSchema(each)]),
      ),
    }),
    // What the patterns let through can't be told from what they don't.
    ...(additionalProperties !== undefined &&
      !("patternProperties" in schema) && { additionalProperties: locallyCheckedSchema(additionalProperties) }),
    ...(Array.isArray(prefixItems) && { prefixItems: listed(prefixItems) }),
    ...(items !== undefined && !Array.isArray(items) && { items: locallyCheckedSchema(items) }),
    ...(Array.isArray(anyOf) && { anyOf: listed(anyOf) }),
    ...(every.length > 0 && { allOf: every }),
  };
}

/**
 * A tool's JSON Schema as providers take it. Anthropic and OpenAI refuse a whole request for one tool whose schema says
 * more at its top than what its properties are, which the server still checks; OpenAI also for one without properties,
 * or with a list of which it does not say what is in it.
 */
export function providerSchema(schema: Record<string, unknown>): Record<string, unknown> {
  const { allOf: _, anyOf: __, oneOf: ___, not: ____, enum: _____, ...rest } = schema;
  return { properties: {}, ...(withItems(rest) as object), type: "object" };
}

// What is no schema, whatever it looks like.
const values = new Set(["const", "enum", "default", "examples"]);

function withItems(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withItems);
  if (!isObject(schema)) return schema;
  const entries = Object.entries(schema).map(([name, each]) => [name, values.has(name) ? each : withItems(each)]);
  const isList = [schema["type"]].flat().includes("array") && schema["items"] === undefined;
  return { ...Object.fromEntries(entries), ...(isList && { items: {} }) };
}

function listed(schemas: unknown): unknown[] | undefined {
  return Array.isArray(schemas) ? schemas.map(locallyCheckedSchema) : undefined;
}
