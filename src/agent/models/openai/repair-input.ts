import { findExcessiveDepth, inexactNumber, isObject, isRawNumber, parseExact } from "../../../json.ts";

/**
 * The arguments of a call with what models write almost right. The value itself: there is nothing to repair.
 *
 * - null for an optional property whose schema forbids it is left out (nearai/ironclaw#4642, ZenRows/zenrows-mcp#23)
 * - a text that is JSON is that JSON where the schema accepts it, and no text: "2" for an integer
 * - 2.0 for an integer is 2, which is all that some servers accept
 */
export function repairedInput(value: unknown, schema: unknown): unknown {
  if (!isObject(schema)) return value;
  if (typeof value === "string") return fromText(value, schema);
  if (isRawNumber(value)) return wholeNumber(value.rawJSON, typesOf(schema)) ?? value;
  if (Array.isArray(value)) {
    const items = value.map((each) => repairedInput(each, schema["items"]));
    return items.every((each, index) => each === value[index]) ? value : items;
  }
  return isObject(value) ? repairedObject(value, schema) : value;
}

function repairedObject(value: Record<string, unknown>, { properties, required }: Record<string, unknown>): unknown {
  if (!isObject(properties)) return value;
  const needed = new Set<unknown>(Array.isArray(required) ? required : []);
  const schemaOf = (name: string): unknown => (Object.hasOwn(properties, name) ? properties[name] : undefined);
  const given = Object.entries(value);
  const kept = given.filter(([name, each]) => each !== null || needed.has(name) || !forbidsNull(schemaOf(name)));
  const entries = kept.map(([name, each]) => [name, repairedInput(each, schemaOf(name))] as const);
  const isSame = entries.length === given.length && entries.every(([name, each]) => each === value[name]);
  return isSame ? value : Object.fromEntries(entries);
}

function fromText(text: string, schema: Record<string, unknown>): unknown {
  const types = typesOf(schema);
  if (!types || types.has("string") || findExcessiveDepth(text) !== undefined) return text;
  try {
    const value = parseExact(text);
    return typeNames(value).some((name) => types.has(name)) ? repairedInput(value, schema) : text;
  } catch {
    return text;
  }
}

/** Undefined: an integer is not what is expected, or the number is none. */
function wholeNumber(text: string, types: Set<unknown> | undefined): number | undefined {
  const value = Number(text);
  const isWhole = Number.isSafeInteger(value) && inexactNumber(text) === undefined;
  return isWhole && types?.has("integer") && !types.has("number") ? value : undefined;
}

function forbidsNull(schema: unknown): boolean {
  const types = isObject(schema) && schema["nullable"] !== true ? typesOf(schema) : undefined;
  return types !== undefined && !types.has("null");
}

/** The JSON types that a schema accepts. Undefined: it does not say, or not here. */
function typesOf({ type, enum: values, anyOf, oneOf }: Record<string, unknown>): Set<unknown> | undefined {
  if (type !== undefined) return new Set([type].flat());
  if (Array.isArray(values)) return new Set(values.flatMap(typeNames));
  const branches = Array.isArray(anyOf) ? anyOf : oneOf;
  if (!Array.isArray(branches)) return undefined;
  const types = branches.map((branch) => (isObject(branch) ? typesOf(branch) : undefined));
  const known = types.filter((each) => each !== undefined);
  return known.length < types.length ? undefined : new Set(known.flatMap((each) => Array.from(each)));
}

/** The names that a schema may have for the type of a value. */
function typeNames(value: unknown): string[] {
  if (value === null) return ["null"];
  if (Array.isArray(value)) return ["array"];
  if (typeof value === "number" || isRawNumber(value)) {
    return /^-?\d+(\.0+)?$/.test(JSON.stringify(value)) ? ["number", "integer"] : ["number"];
  }
  return [typeof value];
}
