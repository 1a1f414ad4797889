import { isObject } from "../json.ts";
import { valueAtPointer } from "./json-pointer.ts";
import { schemaLimits } from "./schema-limits.ts";
import { mapSubschemas, subschemas } from "./subschemas.ts";

type Schema = Record<string, unknown>;

/** Drafts whose keywords mean the same in 2020-12, but for those of tuples. zod-to-json-schema writes the first one. */
const earlierDraft = /^https?:\/\/json-schema\.org\/(draft-07|draft\/2019-09)\/schema#?$/;
/** Keywords that say nothing about values. */
const annotations = new Set([
  "$comment",
  "$defs",
  "$ref",
  "default",
  "definitions",
  "deprecated",
  "description",
  "examples",
  "readOnly",
  "title",
  "writeOnly",
]);
/** References from the root to another one. More are a circle. */
const maxReferences = 20;

/**
 * A schema as generators write it, in the form that this service and model servers read: draft 2020-12, whose root is an object.
 * One that cannot be read so stays as it is, and `schemaProblems` names it.
 */
export function normalizedSchema(schema: object): Schema {
  if (JSON.stringify(schema).length > schemaLimits.maxBytes) return schema as Schema;
  const { $schema, ...others } = schema as Schema;
  const isEarlier = typeof $schema === "string" && earlierDraft.test($schema);
  if (isEarlier && !meansTheSame(others)) return schema as Schema;
  return withInlineRoot(isEarlier ? fromEarlierDraft(others) : (schema as Schema));
}

/** In earlier drafts, `dependencies` are checks, and keywords beside a `$ref` are not. */
function meansTheSame(schema: Schema): boolean {
  if ("dependencies" in schema || ("$ref" in schema && !isAnnotated(schema))) return false;
  return subschemas(schema).every(([, within]) =>
    [within].flat().every((each) => !isObject(each) || meansTheSame(each)),
  );
}

function isAnnotated(schema: Schema): boolean {
  return Object.keys(schema).every((keyword) => annotations.has(keyword));
}

/** The lists of tuples are `items` there, and what follows them `additionalItems`. */
function fromEarlierDraft({ items, additionalItems, ...others }: Schema): Schema {
  const rest = additionalItems === undefined ? {} : { items: additionalItems };
  const ofList = Array.isArray(items) ? { prefixItems: items, ...rest } : items === undefined ? {} : { items };
  return mapSubschemas({ ...others, ...ofList }, (each) => (isObject(each) ? fromEarlierDraft(each) : each));
}

/** A recursive model of pydantic, its `RootModel`, and a named schema of zod-to-json-schema are a reference to a definition. */
function withInlineRoot(schema: Schema): Schema {
  let root = schema;
  for (let count = 0; "$ref" in root && count < maxReferences; count++) {
    const { $ref, $schema: _, ...beside } = root;
    const found = typeof $ref === "string" && $ref.startsWith("#/") ? valueAtPointer(schema, $ref.slice(1)) : undefined;
    if (!isObject(found) || !isAnnotated(beside)) return schema;
    root = { ...found, ...beside };
  }
  return "$ref" in root ? schema : root;
}
