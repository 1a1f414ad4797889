import { InvalidArgument } from "./errors.ts";

/** A schema with a JSON Schema of its own, such as that of zod 4.2 and later: https://standardschema.dev/json-schema */
export interface StandardJsonSchema {
  readonly "~standard": {
    readonly vendor: string;
    readonly types?: { readonly input: unknown } | undefined;
    readonly jsonSchema?: { readonly input: (options: { readonly target: "draft-2020-12" }) => object };
  };
}

/** The schema of a result: a `StandardJsonSchema`, one of TypeBox, or a JSON Schema. Its values are objects. */
export type ResultSchema = object;

/** The type of the results of a schema. `unknown`: nothing is known of it. */
export type ResultOf<Schema> = Schema extends { readonly "~standard": { readonly types?: infer Types } }
  ? NonNullable<Types> extends { readonly input: infer Value }
    ? Value
    : unknown
  : Schema extends { static: infer Value }
    ? Value
    : OfJsonSchema<Schema>;

/** The values of a JSON Schema, as far as its keywords say: of TypeBox 1, and of schemas that are `as const`. */
type OfJsonSchema<Schema> = Schema extends { const: infer Value }
  ? Value
  : Schema extends { enum: readonly (infer Value)[] }
    ? Value
    : Schema extends { anyOf: readonly (infer One)[] }
      ? OfJsonSchema<One>
      : Schema extends { type: "string" }
        ? string
        : Schema extends { type: "integer" | "number" }
          ? number
          : Schema extends { type: "boolean" }
            ? boolean
            : Schema extends { type: "null" }
              ? null
              : Schema extends { type: "array" }
                ? (Schema extends { items: infer Items } ? OfJsonSchema<Items> : unknown)[]
                : Schema extends { type: "object"; properties: infer Properties }
                  ? OfProperties<Properties, Schema extends { required: readonly (infer Name)[] } ? Name : never>
                  : unknown;

type OfProperties<Properties, Required> = {
  -readonly [Name in keyof Properties as Name extends Required ? Name : never]: OfJsonSchema<Properties[Name]>;
} & {
  -readonly [Name in keyof Properties as Name extends Required ? never : Name]?: OfJsonSchema<Properties[Name]>;
};

/** The JSON Schema of a schema. Throws `InvalidArgument` if it has none. */
export function jsonSchemaOf(schema: ResultSchema): object {
  if (!("~standard" in schema)) return schema;
  const { vendor, jsonSchema } = schema["~standard"] as StandardJsonSchema["~standard"];
  if (jsonSchema) return jsonSchema.input({ target: "draft-2020-12" });
  const accepted = "accepted: zod 4.2 or later, another library with Standard JSON Schema, TypeBox, or a JSON Schema";
  throw new InvalidArgument(`result is a schema of ${vendor} without a JSON Schema; ${accepted}`);
}
