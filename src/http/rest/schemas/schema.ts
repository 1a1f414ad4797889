/*
 * Short forms of JSON Schemas. Each takes the description that people read in the OpenAPI document.
 */

export interface Schema {
  type?: string | string[];
  description?: string;
  [keyword: string]: unknown;
}

/** An object of a response. All fields are required, except for the `optional` ones. */
export function object(description: string, properties: Record<string, Schema>, optional: string[] = []): Schema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: "object", description, ...(required.length > 0 && { required }), properties };
}

/** An object of a request: only the named fields are required, and unknown fields are rejected. */
export function body(
  description: string,
  properties: Record<string, Schema>,
  required: string[] = [],
  examples: object[] = [],
): Schema {
  return {
    type: "object",
    description,
    ...(required.length > 0 && { required }),
    additionalProperties: false,
    properties,
    ...(examples.length > 0 && { examples }),
  };
}

export const text = (description: string, more: Schema = {}): Schema => ({ type: "string", description, ...more });

export const integer = (description: string, more: Schema = {}): Schema => ({ type: "integer", description, ...more });

export const number = (description: string, more: Schema = {}): Schema => ({ type: "number", description, ...more });

export const flag = (description: string, more: Schema = {}): Schema => ({ type: "boolean", description, ...more });

export const list = (description: string, items: Schema, more: Schema = {}): Schema => ({
  type: "array",
  description,
  items,
  ...more,
});

export const uuid = (description: string): Schema => ({ type: "string", format: "uuid", description });

/** RFC 3339, in UTC with milliseconds. */
export const time = (description: string): Schema => ({
  type: "string",
  format: "date-time",
  description,
  examples: ["2026-11-22T10:15:30.123Z"],
});

/** A SHA-256 in hex. */
export const sha256 = (description: string): Schema => ({ type: "string", pattern: "^[0-9a-f]{64}$", description });

export const oneOfTexts = (description: string, values: readonly string[]): Schema => ({
  type: "string",
  enum: [...values],
  description,
});

/** A value that is null when it is not set or not recorded. */
export function nullable({ type, enum: values, ...schema }: Schema): Schema {
  return {
    ...schema,
    type: [type as string, "null"],
    ...(values !== undefined && { enum: [...(values as unknown[]), null] }),
  };
}

/** A reference that is null when there is no such object. */
export const nullableReference = (description: string, $ref: Schema): Schema => ({
  description,
  anyOf: [$ref, { type: "null" }],
});

/** A page of a list. */
export function page(items: Schema, next = "Value of `cursor` for the next page. Null on the last page."): Schema {
  return object("A page of a list.", {
    data: list("The entries of this page.", items),
    next: nullable(text(next)),
  });
}
