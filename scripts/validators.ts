import { _, Ajv, type CodeKeywordDefinition, type KeywordCxt, Name, type Options, str } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import standaloneCode from "ajv/dist/standalone/index.js";
import { uuidPattern } from "../src/http/validation/uuid-errors.ts";

const date = "\\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])";
const time = "([01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(\\.\\d{1,9})?([Zz]|[+-]([01]\\d|2[0-3]):[0-5]\\d)";

/** `canonicalIds`: validators convert UUIDs to lower case with hyphens. */
interface ValidatorOptions extends Options {
  canonicalIds?: boolean;
}

/**
 * The source of a module with one validator per name, without dependencies: ajv is not needed at run time.
 * `schemas`: what references can refer to, by name.
 */
export function validatorsSource(
  validators: Record<string, object>,
  schemas: Record<string, object>,
  { canonicalIds = false, ...options }: ValidatorOptions = {},
): string {
  const compiled = (schema: object): object => forValidation(schema, canonicalIds);
  const ajv = new Ajv2020({
    allErrors: true,
    verbose: true,
    messages: false,
    allowUnionTypes: true,
    discriminator: true,
    inlineRefs: 15, // keywords: larger definitions are functions that all places call. An agent's would be compiled 6 times
    formats: { uuid: uuidPattern, date: new RegExp(`^${date}$`), "date-time": new RegExp(`^${date}[Tt]${time}$`) },
    code: { source: true, esm: true, lines: true },
    ...options,
  });
  ajv.addVocabulary(["components"]);
  ajv.addKeyword(wellFormed);
  ajv.addKeyword(canonical);
  for (const keyword of [minLength, maxLength]) ajv.removeKeyword(String(keyword.keyword)).addKeyword(keyword);
  ajv.addSchema({ $id: "contract", components: { schemas: compiled(schemas) } });
  for (const [name, schema] of Object.entries(validators)) {
    ajv.addSchema({ $id: name, ...inContract(compiled(schema)) });
  }
  const source = standaloneSource(ajv, Object.keys(validators));
  return canonicalIds ? `import { ${canonicalUuid} } from "${canonicalUuidModule}";\n${source}` : source;
}

/**
 * The source of a module with one validator per tool, which explains violations to models. As `validatorsSource`, but with
 * draft 7, which the definitions of tools are written in.
 */
export function inputValidatorsSource(inputs: Record<string, object>): string {
  const ajv = new Ajv({
    allErrors: true,
    strict: true,
    schemas: Object.entries(inputs).map(([name, input]) => Object.assign({ $id: name }, input)),
    code: { source: true, esm: true, lines: true },
  });
  return standaloneSource(ajv, Object.keys(inputs));
}

function standaloneSource(ajv: Ajv, names: string[]): string {
  const code = standaloneCode.default(ajv, Object.fromEntries(names.map((name) => [name, name])));
  if (/\brequire\(/.test(code)) {
    throw new Error(
      "A schema uses a keyword that needs ajv at run time; define that keyword in scripts/validators.ts, or check it in code",
    );
  }
  return code;
}

/** The schemas that these schemas refer to, directly or not, by name. */
export function referredSchemas(all: Record<string, object>, from: object[]): Record<string, object> {
  const found: Record<string, object> = {};
  for (const [, name = ""] of JSON.stringify(from).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
    const schema = all[name];
    if (schema && !(name in found)) Object.assign(found, { [name]: schema }, referredSchemas(all, [schema]));
  }
  return found;
}

function inContract(schema: object): object {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"contract#/')) as object;
}

/** The property that tells the schemas of a union apart. */
const tag = "kind";

/** Whether a value is a `oneOf` of objects that differ in their tag. Documents do not say so: OpenAPI's keyword needs named schemas. */
function isTaggedUnion(value: unknown): boolean {
  type Branch = { properties?: { [tag]?: { enum?: unknown } } };
  return Array.isArray(value) && (value as Branch[]).every(({ properties }) => Array.isArray(properties?.[tag]?.enum));
}

/** The schemas for validation: without descriptions and examples, and with a check that every string is Unicode. */
function forValidation(served: object, canonicalIds: boolean): object {
  return JSON.parse(JSON.stringify(served), (_key, value: unknown) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
    const schema = { ...(value as Record<string, unknown>) };
    // A property can have the name of a keyword; its schema is an object.
    if (typeof schema["description"] === "string") delete schema["description"];
    if (isTaggedUnion(schema["oneOf"])) schema["discriminator"] = { propertyName: tag };
    if (Array.isArray(schema["examples"])) delete schema["examples"];
    const { type, format, maxItems, items } = schema;
    if (canonicalIds && format === "uuid") schema["canonical"] = true;
    if (type === "string" || (Array.isArray(type) && type.includes("string"))) schema["wellFormed"] = true;
    if (maxItems !== undefined) {
      // Items of a list over its limit are not validated: 14 MB can hold millions of items, each with errors.
      delete schema["items"];
      Object.assign(schema, { if: { minItems: Number(maxItems) + 1 }, else: { items } });
    }
    return schema;
  }) as object;
}

// Half a surrogate pair cannot be stored as UTF-8. The check is free for strings that V8 stores with one byte per
// character, such as base64.
const wellFormed: CodeKeywordDefinition = {
  keyword: "wellFormed",
  type: "string",
  schemaType: "boolean",
  before: "maxLength",
  error: { message: "must be valid Unicode" },
  code: (context: KeywordCxt) => context.fail(_`!${context.data}.isWellFormed()`),
};

// The function that converts UUIDs, and where it is for a module in dist/generated.
const [canonicalUuid, canonicalUuidModule] = ["canonicalUuid", "../../src/http/validation/uuid-errors.ts"];
const canonical: CodeKeywordDefinition = {
  keyword: "canonical",
  type: "string",
  schemaType: "boolean",
  code({ gen, data, it: { parentData, parentDataProperty } }: KeywordCxt) {
    gen.assign(_`${parentData}[${parentDataProperty}]`, _`${new Name(canonicalUuid)}(${data})`);
  },
};

// Lengths are in code points, which have one or two UTF-16 units. Code points are only counted if the number of units
// does not decide, so never for a file. ajv's own keywords count them always: 10 ms for ten files of 1 MiB.
const minLength: CodeKeywordDefinition = {
  keyword: "minLength",
  type: "string",
  schemaType: "number",
  error: { message: ({ schema }) => str`must NOT have fewer than ${schema as number} characters` },
  code: (context: KeywordCxt) => {
    const { data, schema } = context;
    context.fail(_`${data}.length < ${2 * Number(schema)} && [...${data}].length < ${schema}`);
  },
};
const maxLength: CodeKeywordDefinition = {
  keyword: "maxLength",
  type: "string",
  schemaType: "number",
  error: { message: ({ schema }) => str`must NOT have more than ${schema as number} characters` },
  code: (context: KeywordCxt) => {
    const { data, schema } = context;
    context.fail(
      _`${data}.length > ${schema} && (${data}.length > ${2 * Number(schema)} || [...${data}].length > ${schema})`,
    );
  },
};
