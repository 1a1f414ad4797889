import { type CreateBody, PublicAgentFileInput, PublicCreateAgentRequest } from "../contract.ts";
import { validateCreateRequest } from "../generated/validators.js";
import type { SchemaViolation } from "./schema-violation.ts";
import { canonicalUuid, uuidPattern, describeUuidError } from "./uuid-errors.ts";

/** One schema violation, as pydantic words it. `loc` begins with `body` or `path`; `input` is the JSON received there. */
export interface ValidationIssue {
  type: string;
  loc: (string | number)[];
  msg: string;
  input?: unknown;
  ctx?: Record<string, string | number>;
}

type Loc = ValidationIssue["loc"];
export type Issues = { issues: ValidationIssue[] };

const fieldOrder = [PublicCreateAgentRequest, PublicAgentFileInput].flatMap(({ properties }) =>
  Object.keys(properties),
);

/** Characters of JSON in the longest `input` that an issue echoes. */
export const maxEchoLength = 1_000;

/** An issue. `input` is omitted if its JSON is longer than `maxEchoLength`. */
export function issue(
  type: string,
  loc: Loc,
  msg: string,
  input: unknown,
  ctx?: ValidationIssue["ctx"],
): ValidationIssue {
  return {
    type,
    loc,
    msg,
    ...(jsonLength(input, maxEchoLength) <= maxEchoLength ? { input } : {}),
    ...(ctx ? { ctx } : {}),
  };
}

/** The issue of a value that should be an object. */
export function notAnObject(loc: Loc, input: unknown, ctx?: ValidationIssue["ctx"]): ValidationIssue {
  const msg = "Input should be a valid dictionary or object to extract fields from";
  return issue("model_attributes_type", loc, msg, input, ctx);
}

/** Validates a parsed body against `PublicCreateAgentRequest`. Returns all issues, in the order of the fields. */
export function validateCreate(body: unknown): { value: CreateBody } | Issues {
  if (!validateCreateRequest(body)) {
    const issues = (validateCreateRequest.errors ?? []).flatMap(issueOf).sort(inFieldOrder);
    validateCreateRequest.errors = null; // they reference the whole body
    return { issues: onePerPlace(issues) };
  }
  const { name, template_id, input_text, files } = body as CreateBody;
  const value: CreateBody = { name, template_id: canonicalUuid(template_id) };
  if (input_text !== undefined) value.input_text = input_text;
  if (files !== undefined) value.files = files;
  return { value };
}

/** Validates the percent-decoded `agent_id` of a path. Returns it in lower case with hyphens. */
export function validateRunId(raw: string): { value: string } | Issues {
  if (uuidPattern.test(raw)) return { value: canonicalUuid(raw) };
  const loc = ["path", "agent_id"];
  return { issues: [raw.isWellFormed() ? uuidIssue(loc, raw) : notUnicode(loc, raw)] };
}

/** Translates a violation that ajv found. */
function issueOf(violation: SchemaViolation): ValidationIssue | [] {
  const { keyword, instancePath, params, schema, parentSchema, data } = violation;
  const loc = ["body", ...instancePath.split("/").slice(1).map(segment)];
  switch (keyword) {
    case "required":
      return issue("missing", [...loc, String(params["missingProperty"])], "Field required", data);
    case "type":
      return typeIssue(loc, parentSchema, data);
    case "wellFormed":
      return notUnicode(loc, data);
    case "minLength": {
      const msg = `String should have at least ${characters(schema)}`;
      return issue("string_too_short", loc, msg, data, { min_length: Number(schema) });
    }
    case "maxLength": {
      const msg = `String should have at most ${characters(schema)}`;
      return issue("string_too_long", loc, msg, data, { max_length: Number(schema) });
    }
    case "format":
      return uuidIssue(loc, String(data));
    case "maxItems": {
      const length = (data as unknown[]).length;
      const msg = `List should have at most ${Number(schema)} items after validation, not ${length}`;
      const ctx = { field_type: "List", max_length: Number(schema), actual_length: length };
      return issue("too_long", loc, msg, data, ctx);
    }
    case "if": // its `else` reports the issues
      return [];
    default:
      throw new Error(`issueOf has no case for the schema keyword ${keyword}; add one`);
  }
}

function typeIssue(loc: Loc, { type, format }: SchemaViolation["parentSchema"], data: unknown): ValidationIssue {
  if (type === "object") return notAnObject(loc, data);
  if (type === "array") return issue("list_type", loc, "Input should be a valid list", data);
  if (format === "uuid") return issue("uuid_type", loc, "UUID input should be a string, bytes or UUID object", data);
  return issue("string_type", loc, "Input should be a valid string", data);
}

function uuidIssue(loc: Loc, text: string): ValidationIssue {
  const error = describeUuidError(text);
  return issue("uuid_parsing", loc, `Input should be a valid UUID, ${error}`, text, { error });
}

function notUnicode(loc: Loc, data: unknown): ValidationIssue {
  const msg = "Input should be a valid string, unable to parse raw data as a unicode string";
  return issue("string_unicode", loc, msg, data);
}

const segment = (text: string): string | number => (/^\d+$/.test(text) ? Number(text) : text);
const characters = (count: unknown): string => `${String(count)} character${count === 1 ? "" : "s"}`;
const rank = (part: string | number): number => (typeof part === "number" ? part : fieldOrder.indexOf(part));

function inFieldOrder(a: ValidationIssue, b: ValidationIssue): number {
  const at = a.loc.findIndex((part, index) => part !== b.loc[index]);
  return at < 0 ? 0 : rank(a.loc[at] ?? -1) - rank(b.loc[at] ?? -1);
}

/** Keeps the first issue of each field: a string that is not Unicode has no length or format. */
function onePerPlace(issues: ValidationIssue[]): ValidationIssue[] {
  return issues.filter(({ loc }, index) => loc.join("/") !== issues[index - 1]?.loc.join("/"));
}

/** Characters of a value's JSON, or some number over `limit` once that is certain. A 14 MB value costs microseconds. */
function jsonLength(value: unknown, limit: number): number {
  if (typeof value === "string") {
    // A character is at most two UTF-16 units.
    return value.length > 2 * limit ? value.length : [...JSON.stringify(value)].length;
  }
  if (typeof value !== "object" || value === null) return String(value).length;
  let length = 1; // the opening bracket; each entry adds a comma or the closing bracket
  if (Array.isArray(value)) {
    for (const item of value as unknown[]) {
      if (length > limit) return length;
      length += jsonLength(item, limit - length) + 1;
    }
  } else {
    for (const key in value) {
      if (length > limit) return length;
      length += jsonLength(key, limit - length) + 1;
      length += jsonLength((value as Record<string, unknown>)[key], limit - length) + 1;
    }
  }
  return Math.max(length, 2);
}
