// Keywords whose value is a schema, or several of them by name or in a row.
const ofSchema = new Set([
  "additionalItems",
  "additionalProperties",
  "contains",
  "else",
  "if",
  "items",
  "not",
  "propertyNames",
  "then",
  "unevaluatedItems",
  "unevaluatedProperties",
]);
const ofSchemas = new Set(["allOf", "anyOf", "oneOf", "items", "prefixItems"]);
const byName = new Set(["$defs", "definitions", "dependentSchemas", "properties"]);

/**
 * The part of a tool's JSON Schema that may be checked in this process: without regular expressions, of which one is
 * enough to stop the process for hours, and without `$async`, whose answer comes as a promise that nobody waits for. The
 * server checks its input itself.
 */
export function checkable(schema: unknown): unknown {
  if (!isObject(schema)) return schema;
  const entries = Object.entries(schema).flatMap(([keyword, value]): [string, unknown][] => {
    if (keyword === "pattern" || keyword === "patternProperties" || keyword === "$async" || keyword === "format")
      return [];
    // What the patterns let through can't be told from what they don't.
    if (/^(additional|unevaluated)Properties$/.test(keyword) && "patternProperties" in schema) return [];
    if (byName.has(keyword) && isObject(value)) {
      return [[keyword, Object.fromEntries(Object.entries(value).map(([name, each]) => [name, checkable(each)]))]];
    }
    if (ofSchemas.has(keyword) && Array.isArray(value)) return [[keyword, value.map(checkable)]];
    return [[keyword, ofSchema.has(keyword) ? checkable(value) : value]];
  });
  return Object.fromEntries(entries);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
