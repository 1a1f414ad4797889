import { issue, notAnObject, type ValidationIssue } from "./issue.ts";
import type { SchemaViolation } from "../../schema-validator.ts";
import { describeUuidError } from "./uuid-errors.ts";

type Loc = ValidationIssue["loc"];

/** Where a value came from: the first part of `loc`. */
export type Place = "body" | "path" | "query";

/**
 * The issues of the violations that a validator found.
 * - One per field: a string that is not Unicode has no length or format.
 * - In the order of `fieldOrder`. Fields that it does not name come first.
 */
export function issuesOf(
  violations: SchemaViolation[] | null | undefined,
  place: Place,
  fieldOrder: string[] = [],
): ValidationIssue[] {
  const rank = (part: string | number): number => (typeof part === "number" ? part : fieldOrder.indexOf(part));
  const issues = (violations ?? []).flatMap((violation) => issueOf(violation, place));
  return onePerField(issues.sort((a, b) => compare(a.loc, b.loc, rank)));
}

function compare(a: Loc, b: Loc, rank: (part: string | number) => number): number {
  const at = a.findIndex((part, index) => part !== b[index]);
  return at < 0 ? 0 : rank(a[at] ?? -1) - rank(b[at] ?? -1);
}

function onePerField(issues: ValidationIssue[]): ValidationIssue[] {
  return issues.filter(({ loc }, index) => loc.join("/") !== issues[index - 1]?.loc.join("/"));
}

/** Translates a violation that ajv found. */
function issueOf(violation: SchemaViolation, place: Place): ValidationIssue | [] {
  const { keyword, instancePath, params, schema, parentSchema, data, propertyName } = violation;
  const loc = [
    place,
    ...instancePath.split("/").slice(1).map(segment),
    ...(propertyName === undefined ? [] : [propertyName]),
  ];
  const limit = Number(schema);
  switch (keyword) {
    case "required":
      return issue("missing", [...loc, String(params["missingProperty"])], "Field required", data);
    case "additionalProperties": {
      const name = String(params["additionalProperty"]);
      const extra = (data as Record<string, unknown>)[name];
      return issue("extra_forbidden", [...loc, name], "Extra inputs are not permitted", extra);
    }
    case "type":
      return typeIssue(loc, place, parentSchema, data);
    case "wellFormed":
      return notUnicode(loc, data);
    case "minLength": {
      const msg = `String should have at least ${characters(limit)}`;
      return issue("string_too_short", loc, msg, data, { min_length: limit });
    }
    case "maxLength": {
      const msg = `String should have at most ${characters(limit)}`;
      return issue("string_too_long", loc, msg, data, { max_length: limit });
    }
    case "pattern": {
      const pattern = String(schema);
      return issue("string_pattern_mismatch", loc, `String should match pattern '${pattern}'`, data, { pattern });
    }
    case "format":
      return formatIssue(loc, schema, data);
    case "enum": {
      const expected = listed(schema as unknown[]);
      return issue("literal_error", loc, `Input should be ${expected}`, data, { expected });
    }
    case "minimum":
      return issue("greater_than_equal", loc, `Input should be greater than or equal to ${limit}`, data, { ge: limit });
    case "exclusiveMinimum":
      return issue("greater_than", loc, `Input should be greater than ${limit}`, data, { gt: limit });
    case "maximum":
      return issue("less_than_equal", loc, `Input should be less than or equal to ${limit}`, data, { le: limit });
    case "minItems":
      return tooShort(loc, "List", limit, (data as unknown[]).length, data);
    case "minProperties":
      return tooShort(loc, "Dictionary", limit, Object.keys(data as object).length, data);
    case "maxItems":
      return tooLong(loc, "List", limit, (data as unknown[]).length, data);
    case "maxProperties":
      return tooLong(loc, "Dictionary", limit, Object.keys(data as object).length, data);
    case "uniqueItems":
      return issue("list_not_unique", loc, "List should not have the same item twice", data);
    case "discriminator":
      return tagIssue(loc, params, parentSchema, data);
    case "if": // its `else` reports the issues
    case "anyOf": // the schemas in it report the issues
    case "propertyNames": // the keywords in it report the issues
      return [];
    default:
      throw new Error(`issueOf has no case for the schema keyword ${keyword}; add one`);
  }
}

function typeIssue(
  loc: Loc,
  place: Place,
  { type, format }: SchemaViolation["parentSchema"],
  data: unknown,
): ValidationIssue {
  const [name] = Array.isArray(type) ? (type as unknown[]) : [type];
  if (name === "object") return notAnObject(loc, data);
  if (name === "array") return issue("list_type", loc, "Input should be a valid list", data);
  if (name === "boolean") return issue("bool_type", loc, "Input should be a valid boolean", data);
  if (name === "number") return issue("float_type", loc, "Input should be a valid number", data);
  if (name === "integer" && place === "body") return issue("int_type", loc, "Input should be a valid integer", data);
  if (name === "integer") {
    const msg = "Input should be a valid integer, unable to parse string as an integer";
    return issue("int_parsing", loc, msg, data);
  }
  if (format === "uuid") return issue("uuid_type", loc, "UUID input should be a string, bytes or UUID object", data);
  return issue("string_type", loc, "Input should be a valid string", data);
}

/** The field that says which of several schemas applies is missing, or has an unknown value. */
function tagIssue(
  loc: Loc,
  { tag, tagValue }: SchemaViolation["params"],
  { oneOf }: SchemaViolation["parentSchema"],
  data: unknown,
): ValidationIssue {
  const discriminator = `'${String(tag)}'`;
  if (typeof tagValue !== "string") {
    const msg = `Unable to extract tag using discriminator ${discriminator}`;
    return issue("union_tag_not_found", loc, msg, data, { discriminator });
  }
  const schemas = oneOf as { properties: Record<string, { enum: string[] }> }[];
  const tags = schemas.flatMap(({ properties }) => properties[String(tag)]?.enum ?? []);
  const expected_tags = tags.map((each) => `'${each}'`).join(", ");
  const msg = `Input tag found using ${discriminator} does not match any of the expected tags: ${expected_tags}`;
  return issue("union_tag_invalid", loc, msg, data, { discriminator, expected_tags });
}

function tooShort(
  loc: Loc,
  kind: "List" | "Dictionary",
  limit: number,
  length: number,
  data: unknown,
): ValidationIssue {
  const msg = `${kind} should have at least ${limit} item${limit === 1 ? "" : "s"} after validation, not ${length}`;
  return issue("too_short", loc, msg, data, { field_type: kind, min_length: limit, actual_length: length });
}

function tooLong(loc: Loc, kind: "List" | "Dictionary", limit: number, length: number, data: unknown): ValidationIssue {
  const msg = `${kind} should have at most ${limit} items after validation, not ${length}`;
  return issue("too_long", loc, msg, data, { field_type: kind, max_length: limit, actual_length: length });
}

function formatIssue(loc: Loc, format: unknown, data: unknown): ValidationIssue {
  if (format === "uuid") return uuidIssue(loc, String(data));
  if (format === "date") {
    return issue("date_parsing", loc, "Input should be a valid date in the format YYYY-MM-DD", data);
  }
  const msg = "Input should be a valid datetime of RFC 3339, such as 2026-11-22T10:15:30Z";
  return issue("datetime_parsing", loc, msg, data);
}

export function uuidIssue(loc: Loc, text: string): ValidationIssue {
  const error = describeUuidError(text);
  return issue("uuid_parsing", loc, `Input should be a valid UUID, ${error}`, text, { error });
}

export function notUnicode(loc: Loc, data: unknown): ValidationIssue {
  const msg = "Input should be a valid string, unable to parse raw data as a unicode string";
  return issue("string_unicode", loc, msg, data);
}

/** `'a', 'b' or 'c'`. Null is accepted for texts that can be left out, and not named. */
function listed(values: unknown[]): string {
  const names = values
    .filter((value) => value !== null)
    .map((value) => (typeof value === "string" ? `'${value}'` : JSON.stringify(value)));
  return names.length > 1 ? `${names.slice(0, -1).join(", ")} or ${names.at(-1)}` : String(names[0]);
}

/** A part of a JSON pointer (RFC 6901). */
function segment(text: string): string | number {
  return /^\d+$/.test(text) ? Number(text) : text.replaceAll("~1", "/").replaceAll("~0", "~");
}

const characters = (count: number): string => `${count} character${count === 1 ? "" : "s"}`;
