import { isObject } from "../json.ts";

type Keywords = Record<string, unknown>;

/**
 * Schemas in the forms that generators of clients compile. They mean the same: openapi-generator writes an object as a default
 * into Go code as it is, and openapi-python-client leaves models out with an `enum` of values that are no texts or integers.
 */
export function forGenerators(schemas: object): object {
  return JSON.parse(JSON.stringify(schemas), (_key, value: unknown) => {
    // A property can have the name of a keyword; its schema is an object.
    return isObject(value) ? withTypedEnum(withoutObjectDefault(value)) : value;
  }) as object;
}

/** The fields of such an object have their own defaults. */
function withoutObjectDefault(schema: Keywords): Keywords {
  const { default: value, ...others } = schema;
  const isDefault = schema["type"] === "object" && isObject(value) && Object.keys(value).length === 0;
  return isDefault ? others : schema;
}

function withTypedEnum(schema: Keywords): Keywords {
  const { enum: values, ...others } = schema;
  if (!Array.isArray(values) || "type" in schema) return schema;
  const types = [...Map.groupBy(values as unknown[], (value) => typeof value)];
  const [first, ...further] = types.map(([type, each]): Keywords => {
    if (type === "boolean") return each.length === 2 ? { type } : { type, const: each[0] };
    return { type: type === "number" ? "integer" : type, enum: each };
  });
  return further.length === 0 ? { ...first, ...others } : { anyOf: [first, ...further], ...others };
}
