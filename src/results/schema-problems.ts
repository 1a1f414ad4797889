import { isObject } from "../json.ts";
import { type CompilePattern, patternCompiler } from "./linear-pattern.ts";
import { schemaLimits } from "./schema-limits.ts";

/** Keywords that make a schema depend on others, or on where it is. */
const unsupported = ["$id", "$anchor", "$dynamicRef", "$dynamicAnchor", "$recursiveRef", "$vocabulary"];
/** Keywords whose value is a schema, a list of schemas, or schemas by name. */
const [single, listed, named] = [
  [
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
  ],
  ["allOf", "anyOf", "oneOf", "prefixItems"],
  ["$defs", "definitions", "dependentSchemas", "patternProperties", "properties"],
];
/** Problems that are named. One mistake can cause hundreds. */
const maxProblems = 10;

/**
 * Why a schema cannot describe the result of an agent: clauses that name the place as a JSON Pointer. Empty: it can. Nothing is
 * compiled, so a check takes milliseconds, whatever the schema is.
 */
export async function schemaProblems(schema: object): Promise<string[]> {
  const bytes = Buffer.byteLength(JSON.stringify(schema));
  const { maxBytes } = schemaLimits;
  if (bytes > maxBytes) return [`it has ${bytes} bytes of UTF-8 as JSON; at most ${maxBytes} are accepted`];
  const { formProblems } = await import("./form-problems.ts"); // loads ajv, which takes 80 ms
  const form = formProblems(schema);
  if (form.length > 0) return form.slice(0, maxProblems);
  const own = rootProblems(schema as Record<string, unknown>);
  const walk = { root: schema, compilePattern: await patternCompiler() };
  return [...own, ...subschemaProblems(walk, schema, "", 1)].slice(0, maxProblems);
}

/** Model servers accept only objects as results. */
function rootProblems({ type }: Record<string, unknown>): string[] {
  if (type === "object") return [];
  const received = type === undefined ? "no type" : JSON.stringify(type);
  return [`/type: expected "object", received ${received}; put a list or a single value into a property`];
}

interface Walk {
  root: object;
  compilePattern: CompilePattern;
}

function subschemaProblems(walk: Walk, schema: unknown, place: string, depth: number): string[] {
  if (!isObject(schema)) return [];
  const { maxDepth } = schemaLimits;
  if (depth > maxDepth) return [`${place}: it is nested more than ${maxDepth} schemas deep; use $ref for deeper ones`];
  const children: [string, unknown][] = [
    ...single.flatMap((keyword) => (keyword in schema ? [[`/${keyword}`, schema[keyword]] as [string, unknown]] : [])),
    ...[...listed, ...named].flatMap((keyword) =>
      Object.entries(schema[keyword] ?? {}).map(
        ([name, one]) => [`/${keyword}/${escaped(name)}`, one] as [string, unknown],
      ),
    ),
  ];
  return [
    ...unsupported.flatMap((keyword) =>
      keyword in schema ? `${place}/${keyword}: it is not supported; remove it` : [],
    ),
    ...referenceProblems(walk.root, schema["$ref"], place),
    ...patternProblems(walk.compilePattern, schema, place),
    ...children.flatMap(([path, child]) => subschemaProblems(walk, child, place + path, depth + 1)),
  ];
}

function referenceProblems(root: object, $ref: unknown, place: string): string[] {
  if (typeof $ref !== "string") return [];
  const found = $ref === "#" ? root : $ref.startsWith("#/") ? resolved(root, $ref.slice(2).split("/")) : undefined;
  if (isObject(found) || typeof found === "boolean") return [];
  const accepted = "expected a schema within this one, such as #/$defs/NAME";
  return [`${place}/$ref: ${accepted}, received ${JSON.stringify($ref.slice(0, 200))}`];
}

function resolved(root: object, path: string[]): unknown {
  return path.reduce<unknown>((value, part) => {
    const name = unescaped(part);
    return typeof value === "object" && value !== null && Object.hasOwn(value, name)
      ? (value as Record<string, unknown>)[name]
      : undefined;
  }, root);
}

function patternProblems(compilePattern: CompilePattern, schema: Record<string, unknown>, place: string): string[] {
  const { pattern, patternProperties = {} } = schema;
  const patterns: [string, string][] = [
    ...(typeof pattern === "string" ? [[`${place}/pattern`, pattern] as [string, string]] : []),
    ...Object.keys(patternProperties as object).map(
      (each) => [`${place}/patternProperties/${escaped(each)}`, each] as [string, string],
    ),
  ];
  return patterns.flatMap(([path, each]) => {
    try {
      compilePattern(each);
      return [];
    } catch (error) {
      const reason = (error as Error).message.replace(/\.$/, "");
      return `${path}: expected a regular expression of RE2, which has no lookahead, lookbehind and backreferences: ${reason}`;
    }
  });
}

/** A name as a part of a JSON Pointer. */
function escaped(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}

function unescaped(part: string): string {
  let text = part;
  try {
    text = decodeURIComponent(part);
  } catch {
    // A percent sign that is no escape stands for itself.
  }
  return text.replaceAll("~1", "/").replaceAll("~0", "~");
}
