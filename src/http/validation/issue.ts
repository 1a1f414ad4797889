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
