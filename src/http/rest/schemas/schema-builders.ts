import type { Schema } from "../../../json-schema.ts";

/*
 * Short forms of JSON Schemas. Each takes the description that people read in the OpenAPI document. The type of the result
 * has the keywords that decide the type of a value, which `Static` infers.
 */

type Properties = Readonly<Record<string, Schema>>;
/** `NoInfer`: what a caller expects does not decide `More`. */
type Of<Type extends string, More> = { type: Type; description: string } & NoInfer<More>;
type Fields<P, Required> = Of<"object", { required?: readonly Required[]; properties: P }>;

/** An object of a response. All fields are required, except for the `optional` ones. */
export function object<const P extends Properties, const Optional extends keyof P = never>(
  description: string,
  properties: P,
  optional: readonly Optional[] = [],
): Fields<P, Exclude<keyof P, Optional>> {
  const isRequired = (name: keyof P): boolean => !optional.some((each) => each === name);
  const required = Object.keys(properties).filter(isRequired) as Exclude<keyof P, Optional>[];
  return { type: "object", description, ...(required.length > 0 && { required }), properties };
}

/** An object of a request: only the named fields are required, and unknown fields are rejected. */
export function body<const P extends Properties, const Required extends keyof P = never>(
  description: string,
  properties: P,
  required: readonly Required[] = [],
  examples: object[] = [],
): Fields<P, Required> & { additionalProperties: false } {
  return {
    type: "object",
    description,
    ...(required.length > 0 && { required }),
    additionalProperties: false,
    properties,
    ...(examples.length > 0 && { examples }),
  };
}

/** Returns the short form of a type. */
const shortForm =
  <const Type extends string>(type: Type) =>
  <const More = unknown>(description: string, more?: More & Schema) =>
    ({ type, description, ...more }) as Of<Type, More>;

export const text = shortForm("string");

export const integer = shortForm("integer");

export const number = shortForm("number");

export const flag = shortForm("boolean");

export const list = <const Items extends Schema, const More = unknown>(
  description: string,
  items: Items,
  more?: More & Schema,
) => ({ type: "array", description, items, ...more }) as Of<"array", { items: Items } & More>;

export const uuid = (description: string) => ({ type: "string", format: "uuid", description }) as const;

/** RFC 3339, in UTC with milliseconds. */
export const time = (description: string) =>
  ({ type: "string", format: "date-time", description, examples: ["2026-11-22T10:15:30.123Z"] }) as const;

/** A SHA-256 in hex. */
export const sha256 = (description: string) => ({ type: "string", pattern: "^[0-9a-f]{64}$", description }) as const;

export const oneOfTexts = <const Value extends string>(description: string, values: readonly Value[]) =>
  ({ type: "string", enum: [...values], description }) as const;

type Nullable<S extends Schema> = Omit<S, "type" | "enum"> & { type: readonly [S["type"], "null"] } & (S extends {
    enum: readonly (infer Value)[];
  }
    ? { enum: readonly (Value | null)[] }
    : unknown);

/** A value that is null when it is not set or not recorded. */
export function nullable<const S extends Schema>({ type, enum: values, ...schema }: S): Nullable<S> {
  const ofValues = Array.isArray(values) && { enum: [...(values as unknown[]), null] };
  return { ...schema, type: [type, "null"], ...ofValues } as unknown as Nullable<S>;
}

/** A reference that is null when there is no such object. */
export const nullableReference = <const S extends Schema>(description: string, $ref: S) =>
  ({ description, anyOf: [$ref, { type: "null" }] }) as const;

/** A page of a list. */
export function page<const Items extends Schema>(
  items: Items,
  next = "Value of `cursor` for the next page. Null on the last page.",
) {
  return object("A page of a list.", {
    data: list("The entries of this page.", items),
    next: nullable(text(next)),
  });
}
