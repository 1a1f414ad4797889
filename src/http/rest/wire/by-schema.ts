import type { Schema, Static } from "../../../json-schema.ts";
import { timeOf } from "./time.ts";

type Camel<Name> = Name extends `${infer First}_${infer Rest}` ? `${First}${Capitalize<Camel<Rest>>}` : Name;

/** What the code has of a value of a schema: names as `aB`, times in milliseconds, and undefined in place of null. */
type Source<S, All> = S extends { $ref: `#/components/schemas/${infer Name extends keyof All & string}` }
  ? Source<All[Name], All>
  : S extends { anyOf: readonly [infer One, { type: "null" }] }
    ? Source<One, All> | undefined
    : S extends { format: "date-time" }
      ? number | Absent<S>
      : S extends { items: infer Items }
        ? readonly Source<Items, All>[] | Absent<S>
        : S extends { properties: infer P }
          ? Fields<P, Required<S>, All> | Absent<S>
          : Exclude<Static<S, All>, null> | Absent<S>;

type Absent<S> = S extends { type: readonly unknown[] } ? undefined : never;

type Required<S> = S extends { required: readonly (infer Name)[] } ? Camel<Name> : never;

/** `Names`: those that are not optional, unless they can be null. */
type Fields<P, Names, All> = { [Name in keyof P as Camel<Name>]: Source<P[Name], All> } extends infer Given
  ? { [Name in keyof Given as Name extends Always<Given, Names> ? Name : never]: Given[Name] } & {
      [Name in keyof Given as Name extends Always<Given, Names> ? never : Name]?: Given[Name] | undefined;
    }
  : never;

type Always<Given, Names> = {
  [Name in keyof Given & Names]: undefined extends Given[Name] ? never : Name;
}[keyof Given & Names];

type Convert = (value: unknown) => unknown;

/**
 * Gives values the form of the contract, by its schemas: `aB` becomes `a_b`, milliseconds a time, absent null. Fields have the order of
 * the schema. Each schema is compiled at its first use. For answers whose fields differ from those of the code in nothing else.
 */
export function wireBySchema<const All extends Readonly<Record<string, Schema>>>(schemas: All) {
  const compiled = new Map<string, Convert>();
  return <Name extends keyof All & string>(name: Name, value: Source<All[Name], All>): Static<All[Name], All> => {
    let convert = compiled.get(name);
    if (!convert) compiled.set(name, (convert = converterOf(schemas[name], schemas) ?? ((same) => same)));
    return convert(value) as Static<All[Name], All>;
  };
}

/** Undefined: the value is sent as it is. */
function converterOf(schema: Schema | undefined, all: Readonly<Record<string, Schema>>): Convert | undefined {
  const { $ref, anyOf, format, items, properties, required } = (schema ?? {}) as Partial<{
    $ref: string;
    anyOf: Schema[];
    format: string;
    items: Schema;
    properties: Record<string, Schema>;
    required: string[];
  }>;
  if ($ref) return converterOf(all[$ref.slice($ref.lastIndexOf("/") + 1)], all);
  if (anyOf) return anyOf.length === 2 && anyOf[1]?.type === "null" ? converterOf(anyOf[0], all) : undefined;
  if (format === "date-time") return (value) => timeOf(value as number);
  if (items) {
    const convert = converterOf(items, all);
    return convert && ((value) => (value as unknown[]).map(convert));
  }
  // An object of settings, none of which is required, is sent in its own order. Of others, nothing but their fields is sent.
  return properties && required ? objectConverter(properties, all) : undefined;
}

function objectConverter(properties: Record<string, Schema>, all: Readonly<Record<string, Schema>>): Convert {
  const fields = Object.entries(properties).map(([name, schema]) => ({
    name,
    key: name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase()),
    isNullable: isNullable(schema),
    convert: converterOf(schema, all),
  }));
  return (value) => {
    const given = value as Record<string, unknown>;
    const wire: Record<string, unknown> = {};
    for (const { name, key, isNullable: nullable, convert } of fields) {
      const field = given[key];
      if (field === undefined || field === null) {
        if (nullable) wire[name] = null;
      } else wire[name] = convert ? convert(field) : field;
    }
    return wire;
  };
}

function isNullable({ type, anyOf }: Schema): boolean {
  return Array.isArray(anyOf) ? (anyOf as Schema[]).some((one) => one.type === "null") : Array.isArray(type);
}
