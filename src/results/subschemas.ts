import { isObject } from "../json.ts";
import { pointerPart } from "./json-pointer.ts";

type Schema = Record<string, unknown>;

/** Keywords whose value is a schema, a list of schemas, or schemas by name. */
const single = new Set([
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
const listed = new Set(["allOf", "anyOf", "oneOf", "prefixItems"]);
const named = new Set(["$defs", "definitions", "dependentSchemas", "patternProperties", "properties"]);

/**
 * A copy of a schema in which `change` has replaced the schemas directly within it. `path`: the JSON Pointer from the schema to that
 * one. Values that only look like schemas, such as those of `const` and `default`, stay as they are.
 */
export function mapSubschemas(schema: Schema, change: (within: unknown, path: string) => unknown): Schema {
  const changed = (keyword: string, value: unknown): unknown => {
    if (single.has(keyword)) return change(value, `/${keyword}`);
    if (listed.has(keyword) && Array.isArray(value)) {
      return value.map((each, index) => change(each, `/${keyword}/${index}`));
    }
    if (!named.has(keyword) || !isObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, each]) => [name, change(each, `/${keyword}/${pointerPart(name)}`)]),
    );
  };
  return Object.fromEntries(Object.entries(schema).map(([keyword, value]) => [keyword, changed(keyword, value)]));
}

/** The schemas directly within a schema, by their JSON Pointer from it. */
export function subschemas(schema: Schema): [path: string, within: unknown][] {
  const found: [string, unknown][] = [];
  mapSubschemas(schema, (within, path) => found.push([path, within]));
  return found;
}
