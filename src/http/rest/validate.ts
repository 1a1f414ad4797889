import type { Operation } from "../description.ts";
import { InvalidRequest } from "../errors.ts";
import type { ApiRequest } from "../handler.ts";
import { issue, type ValidationIssue } from "../validation/issue.ts";
import { parseJsonBody } from "../validation/parse-json.ts";
import type { SchemaValidator } from "../../schema-validator.ts";
import { issuesOf } from "../validation/violation-issues.ts";

/** The compiled validators of an API. */
export interface Validators {
  /** By the name of the schema. */
  bodies: Record<string, SchemaValidator>;
  /** `path_NAME` by the name of a path's parameter, `query_NAME` by the name of an operation. */
  parameters: Record<string, SchemaValidator>;
}

/** The parameters of a request. Throws `InvalidRequest` with the issues of path and query. */
export function validParameters(
  { parameters }: Validators,
  { operationId }: Operation,
  { parameters: inPath, query }: Pick<ApiRequest, "parameters" | "query">,
): { path: object; query: object } {
  const checkedPath = Object.entries(inPath).map(([name, value]) =>
    checked(parameters[`path_${name}`], { [name]: value }, "path"),
  );
  const checkedQuery = checked(parameters[`query_${operationId}`], queryObject(query), "query");
  const issues = [...checkedPath, checkedQuery].flatMap((each) => each.issues);
  if (issues.length > 0) throw new InvalidRequest(issues);
  return { path: Object.assign({}, ...checkedPath.map(({ value }) => value)) as object, query: checkedQuery.value };
}

/** Throws `InvalidRequest` for an idempotency key that has no effect: who sends one takes the request for safe to repeat. */
export function requireHonoredKey(
  { method, requestHeaders }: Operation,
  { headers }: Pick<ApiRequest, "headers">,
): void {
  const key = headers["idempotency-key"];
  if (key === undefined || method !== "POST" || (requestHeaders && "Idempotency-Key" in requestHeaders)) return;
  const msg =
    "This operation does not support Idempotency-Key: a repeated request is a second one. Send it without the header";
  throw new InvalidRequest([issue("extra_forbidden", ["header", "Idempotency-Key"], msg, key)]);
}

/**
 * The body of a request; undefined if it was left out and may be. Rejects with `InvalidRequest`. Issues do not repeat what
 * was received: it may contain a secret that was pasted in the wrong place.
 */
export async function validBody(
  { bodies }: Validators,
  { request, requestOptional, exactField }: Operation,
  { headers, parseBody }: Pick<ApiRequest, "headers" | "parseBody">,
): Promise<object | undefined> {
  if (request === undefined) return undefined;
  const { value, issues } = await parseBody(async (raw) => {
    if (raw.length === 0 && requestOptional) return { value: undefined, issues: [] };
    const parsed = await parseJsonBody(
      raw,
      headers["content-type"],
      exactField === undefined ? undefined : [exactField],
    );
    return "issues" in parsed ? { value: undefined, ...parsed } : checked(bodies[request], parsed.value, "body");
  });
  if (issues.length > 0) throw new InvalidRequest(issues.map(withoutInput));
  return value;
}

/** Validates a value, which gets the defaults of what is missing, and its UUIDs in lower case with hyphens. */
function checked<Value>(
  validate: SchemaValidator | undefined,
  value: Value,
  place: "body" | "path" | "query",
): { value: Value & object; issues: ValidationIssue[] } {
  if (!validate) throw new Error(`no validator for a ${place}: run node scripts/install.mjs`);
  const valid = validate(value);
  const issues = valid ? [] : issuesOf(validate.errors, place);
  validate.errors = null; // they reference the whole value
  return { value: value as Value & object, issues };
}

/** A parameter that is given twice is a list, which few parameters accept. Their validators take one value for a list, too. */
function queryObject(query: URLSearchParams): Record<string, string | string[]> {
  return Object.fromEntries(
    [...new Set(query.keys())].map((name) => {
      const values = query.getAll(name);
      return [name, values.length > 1 ? values : (values[0] ?? "")];
    }),
  );
}

function withoutInput({ input: _input, ...others }: ValidationIssue): ValidationIssue {
  return others;
}
