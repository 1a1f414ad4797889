/** A JSON Schema. */
export interface Schema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly [keyword: string]: unknown;
}

/**
 * The type of the values of a schema. `All`: the schemas that a `$ref` can name. A field with a `default` is there: a request
 * gets it from the validators. Where the keywords decide nothing, the type is `unknown`.
 */
export type Static<S, All> = S extends { $ref: `#/components/schemas/${infer Name extends keyof All & string}` }
  ? Static<All[Name], All>
  : S extends { const: infer Value }
    ? Value
    : S extends { enum: readonly (infer Value)[] }
      ? Value
      : S extends { anyOf: readonly (infer One)[] } | { oneOf: readonly (infer One)[] }
        ? Static<One, All>
        : S extends { type: infer Types }
          ? OfType<Types extends readonly (infer Type)[] ? Type : Types, S, All>
          : unknown;

/** `Type`: one or several of JSON Schema's types. */
type OfType<Type, S, All> = Type extends keyof Simple
  ? Simple[Type]
  : Type extends "array"
    ? (S extends { items: infer Items } ? Static<Items, All> : unknown)[]
    : Type extends "object"
      ? ObjectOf<S, All>
      : unknown;

interface Simple {
  string: string;
  integer: number;
  number: number;
  boolean: boolean;
  null: null;
}

type ObjectOf<S, All> = S extends { properties: infer P }
  ? { -readonly [Name in keyof P as Name extends Present<S, P> ? Name : never]: Static<P[Name], All> } & {
      -readonly [Name in keyof P as Name extends Present<S, P> ? never : Name]?: Static<P[Name], All>;
    } extends infer Both
    ? { [Name in keyof Both]: Both[Name] } // one object type, as editors show it
    : never
  : Record<string, S extends { additionalProperties: infer Values extends object } ? Static<Values, All> : unknown>;

/** The names of the fields that are always there. */
type Present<S, P> =
  | (S extends { required?: readonly (infer Name)[] } ? Name : never)
  | { [Name in keyof P]: P[Name] extends { default: unknown } ? Name : never }[keyof P];

/** The types of the values of several schemas, which can refer to each other by name. */
export type SchemaTypes<All> = { -readonly [Name in keyof All]: Static<All[Name], All> };
