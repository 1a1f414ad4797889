import { redactWholeTokens } from "../accounts/token.ts";
import { type ErrorCode, type ErrorEntry, errorsOf } from "../error-codes.ts";
import { invalidKey, ServiceError, StoreUnavailable } from "../errors.ts";
import { log } from "../log.ts";
import type { Issues, ValidationIssue } from "./validation/issue.ts";
import { type ApiResponse, jsonResponse } from "./handler.ts";

/** An error of HTTP itself, outside of the contract: the host could not receive the request. */
export class HttpError extends Error {
  readonly status: number;
  readonly headers: Record<string, string>;
  /** For APIs whose errors have one. */
  readonly code: string;

  constructor(status: number, message: string, { headers = {}, code, ...options }: HttpErrorOptions) {
    super(message, options);
    this.name = "HttpError";
    this.status = status;
    this.headers = headers;
    this.code = code;
  }
}

interface HttpErrorOptions extends ErrorOptions {
  headers?: Record<string, string>;
  code: string;
}

/** How an API reports errors. */
export interface ErrorFormat {
  /** The HTTP status. Undefined: the API has no such error, so the call failed unexpectedly. */
  statusOf: (code: ErrorCode) => number | undefined;
  /** The body. `detail`: a sentence, or the violations of a schema. */
  body: (detail: string | ValidationIssue[], code: string) => object;
}

/** The errors of v1 (specification section 7.2). */
const publicErrors: Partial<Record<ErrorCode, ErrorEntry>> = errorsOf("v1");

/** The format of v1, which knows no expiry: an expired key is an invalid one. */
const publicFormat: ErrorFormat = {
  statusOf: (code) => publicErrors[code]?.status,
  body: (detail, code) => ({ detail: code === "key_expired" ? invalidKey : detail }),
};

/** A request that violates the schema: 422 with one item per violation. */
export class InvalidRequest extends Error {
  readonly issues: ValidationIssue[];

  constructor(issues: ValidationIssue[]) {
    super(`${issues.length} schema violations`);
    this.name = "InvalidRequest";
    this.issues = issues;
  }
}

/** The validated value. Throws `InvalidRequest` if there are issues. */
export function validOrThrow<Value>(checked: { value: Value } | Issues): Value {
  if ("issues" in checked) throw new InvalidRequest(checked.issues);
  return checked.value;
}

/**
 * The response to a request that failed. Logs errors of the service; unexpected errors show clients no detail. It repeats
 * no API key and no operator token: the request may have one in the wrong place.
 */
export function toResponse(error: unknown, requestId: string, format = publicFormat): ApiResponse {
  const response = errorResponse(error, requestId, format);
  return { ...response, body: redactWholeTokens(String(response.body)) };
}

function errorResponse(error: unknown, requestId: string, format: ErrorFormat): ApiResponse {
  if (error instanceof InvalidRequest) return jsonResponse(422, format.body(error.issues, "invalid_request"));
  const known = describe(error, format);
  if (!known || known.status >= 500) log("error", known?.detail ?? "unexpected error", { requestId, error });
  if (!known) return jsonResponse(500, format.body("Internal Server Error", "internal_error"));
  return jsonResponse(known.status, format.body(known.detail, known.code), known.headers);
}

interface KnownError {
  status: number;
  detail: string;
  code: string;
  headers: Record<string, string>;
}

const storageFull: KnownError = {
  status: 503,
  detail: "Not enough disk space to store the request; nothing was stored; retry later",
  code: "storage_full",
  headers: { "retry-after": "5" },
};

function describe(error: unknown, format: ErrorFormat): KnownError | undefined {
  if (error instanceof HttpError) {
    const { status, message: detail, code, headers } = error;
    return { status, detail, code, headers };
  }
  if (error instanceof StoreUnavailable && error.full) return storageFull;
  if (!(error instanceof ServiceError)) return undefined;
  const { code, message: detail, retryAfterSeconds } = error;
  const status = format.statusOf(code);
  if (status === undefined) return undefined;
  const headers = {
    ...(status === 401 && { "www-authenticate": "Bearer" }),
    ...(retryAfterSeconds !== undefined && { "retry-after": String(retryAfterSeconds) }),
  };
  return { status, detail, code, headers };
}
