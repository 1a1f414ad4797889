import type { Json } from "./json.ts";

/** The part of JSON Schema that the schemas of agent files and of request bodies use. */
export interface FieldSchema {
  type?: string | readonly string[];
  description?: string;
  default?: unknown;
  enum?: readonly unknown[];
  examples?: readonly unknown[];
  required?: readonly string[];
  properties?: Record<string, FieldSchema>;
  additionalProperties?: boolean | FieldSchema;
  items?: FieldSchema;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  maxProperties?: number;
}

/** How a value is entered. */
export type Field = {
  name: string;
  label: string;
  /** Shown below the field. Undefined: its label says what it is. */
  help: string | undefined;
  /** The schema's description. */
  tooltip: string | undefined;
  required: boolean;
  /** Whether an empty field is null in a body. */
  nullable: boolean;
} &
  /** `keepsEmpty`: a cleared text stays as an empty one. An entry of a list or map would disappear while it is typed. */
  (
    | {
        kind: "text";
        maxLength: number | undefined;
        long: boolean;
        secret: boolean;
        keepsEmpty: boolean;
        example: string | undefined;
      }
    | { kind: "number"; whole: boolean; placeholder: string | undefined }
    | { kind: "choice"; options: Json[] }
    | { kind: "flag"; preset: boolean }
    | { kind: "checks"; options: string[]; preset: string[]; least: number }
    | { kind: "texts" }
    | { kind: "json"; list: boolean }
    | { kind: "rules"; options: string[]; most: number | undefined }
    | { kind: "group"; fields: Field[] }
    | { kind: "list"; fields: Field[]; most: number | undefined; entry: Entry }
    /** `single`: entries are not objects; their only field has no name. */
    | { kind: "map"; fields: Field[]; most: number | undefined; entry: Entry; single: boolean }
  );

export type FieldOf<Kind extends Field["kind"]> = Extract<Field, { kind: Kind }>;

/** Where the words of a form differ from those of its schema. Paths consist of field names: `limits.steps`. */
export interface Words {
  /** By the name of a field. */
  labels?: Record<string, string>;
  /** By the path of a field. Empty: its label says it. */
  helps?: Record<string, string>;
  /** Names of groups whose numbers explain themselves. Their descriptions are tooltips. */
  terse?: string[];
  /** Order of the fields in a group, by its name. Fields that are not named follow in the order of the schema. */
  orders?: Record<string, string[]>;
  /** By the name of a list or map. */
  entries?: Record<string, Entry>;
}

/** An entry of a list or map. */
export interface Entry {
  noun: string;
  /** A new one. */
  start: Json;
  /** Names for a new entry of a map: it gets the first one that is free. */
  names: string[];
}

/** Texts from this length are written in a box of several lines. */
const longText = 10_000;

/** The fields of an object schema, in its order. `$schema` is for text editors and left out. */
export function fieldsOf(schema: FieldSchema, words: Words = {}, path: string[] = []): Field[] {
  const order = words.orders?.[path.at(-1) ?? ""] ?? [];
  const rank = (name: string): number => (order.includes(name) ? order.indexOf(name) : order.length);
  return Object.entries(schema.properties ?? {})
    .filter(([name]) => name !== "$schema")
    .toSorted(([one], [other]) => rank(one) - rank(other))
    .map(([name, of]) => fieldOf([...path, name], of, schema.required?.includes(name) ?? false, words));
}

function fieldOf(path: string[], schema: FieldSchema, required: boolean, words: Words): Field {
  const name = path.at(-1) ?? "";
  const { description, default: preset } = schema;
  const types = [schema.type ?? "string"].flat();
  const type = types.find((each) => each !== "null") ?? "string";
  const nullable = types.includes("null");
  const tooltip = description?.replaceAll("`", "");
  const help =
    words.helps?.[path.join(".")] ?? (path.length > 1 && words.terse?.includes(path[0] ?? "") ? "" : tooltip);
  // In a form, the default is what an empty field means.
  const shown = help?.replace("Default: ", "Empty: ").replace("Null: ", "Empty: ") || undefined;
  const common = { name, label: words.labels?.[name] ?? labelOf(name), help: shown, tooltip, required, nullable };
  if (schema.enum) {
    return { ...common, kind: "choice", options: schema.enum.filter((value) => value !== null) as Json[] };
  }
  switch (type) {
    case "integer":
    case "number":
      return { ...common, kind: "number", whole: type === "integer", placeholder: placeholderOf(schema) };
    case "boolean":
      // The schema of agent files has no default here: stored definitions do not repeat it.
      return { ...common, kind: "flag", preset: preset === true || (description?.includes("Default: true.") ?? false) };
    case "array":
      return { ...common, ...arrayField(schema, nullable, words, path) };
    case "object":
      return { ...common, ...objectField(schema, words, path) };
    default: {
      const { maxLength, examples = [] } = schema;
      const example = typeof examples[0] === "string" ? examples[0] : undefined;
      return {
        ...common,
        kind: "text",
        maxLength,
        long: (maxLength ?? 0) >= longText,
        secret: name === "secret",
        keepsEmpty: required,
        example,
      };
    }
  }
}

function arrayField(schema: FieldSchema, nullable: boolean, words: Words, path: string[]) {
  const { items = {}, maxItems, minItems = 0 } = schema;
  if (items.enum) {
    const options = items.enum.map(String);
    const preset = Array.isArray(schema.default) ? schema.default.map(String) : nullable ? options : [];
    return { kind: "checks", options, preset, least: minItems } as const;
  }
  if (items.type !== "object") return { kind: "texts" } as const;
  if (Object.values(items.properties ?? {}).some(hasParts)) return { kind: "json", list: true } as const;
  return { kind: "list", fields: fieldsOf(items, words, path), most: maxItems, entry: entryOf(words, path) } as const;
}

function objectField(schema: FieldSchema, words: Words, path: string[]) {
  const { additionalProperties: of, maxProperties: most } = schema;
  if (typeof of !== "object") {
    if (isFree(schema)) return { kind: "json", list: false } as const;
    return { kind: "group", fields: fieldsOf(schema, words, path).map(removable) } as const;
  }
  if (of.enum) return { kind: "rules", options: of.enum.map(String), most } as const;
  const single = of.type !== "object";
  const fields = single ? [fieldOf([""], of, true, { labels: { "": "Value" } })] : fieldsOf(of, words, path);
  return { kind: "map", fields, most, entry: entryOf(words, path), single } as const;
}

/** A cleared text of a group is removed, so that a cleared group leaves nothing behind. */
function removable(field: Field): Field {
  return field.kind === "text" ? { ...field, keepsEmpty: false } : field;
}

function entryOf({ entries }: Words, path: string[]): Entry {
  return entries?.[path.at(-1) ?? ""] ?? { noun: "entry", start: {}, names: [] };
}

/** Whether the schema says nothing of the fields of an object: it is written as JSON. */
function isFree({ type, properties, additionalProperties }: FieldSchema): boolean {
  return type === "object" && !properties && typeof additionalProperties !== "object";
}

/** Whether the schema is of an object with fields of its own, which an entry of a list has no room for. */
function hasParts(schema: FieldSchema): boolean {
  return isFree(schema) || (schema.type === "object" && schema.properties !== undefined);
}

function placeholderOf({ default: preset }: FieldSchema): string | undefined {
  return typeof preset === "number" ? preset.toLocaleString("en-US") : undefined;
}

/** "inputTokens" and "input_tokens" → "Input tokens". */
function labelOf(name: string): string {
  const spaced = name.replaceAll(/([a-z])([A-Z])/g, (_, one: string, two: string) => `${one} ${two.toLowerCase()}`);
  return spaced.charAt(0).toUpperCase() + spaced.slice(1).replaceAll("_", " ");
}
