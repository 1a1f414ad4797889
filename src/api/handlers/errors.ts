import { redactWholeTokens } from "../../accounts/token.ts";
import { invalidKey, ServiceError, type ServiceErrorCode, StoreUnavailable } from "../../errors.ts";
import { log } from "../../log.ts";
import type { Issues, ValidationIssue } from "../validation/issue.ts";
import { type ApiResponse, jsonResponse } from "./handler.ts";

/** The HTTP status of every error code (specification section 7.2). The codes of operators never reach HTTP today. */
const statusOf: Record<ServiceErrorCode, number> = {
  key_missing: 401,
  key_invalid: 401,
  key_expired: 401,
  template_mismatch: 403,
  agent_deleted: 404,
  run_not_found: 404,
  agent_archived: 409,
  files_too_large: 413,
  file_not_base64: 422,
  no_model: 422,
  too_many_requests: 429,
  too_many_runs: 429,
  dollars_spent: 429,
  storage_quota_exceeded: 429,
  history_failed: 502,
  history_unavailable: 503,
  // Operators only:
  organization_not_found: 404,
  agent_not_found: 404,
  version_not_found: 404,
  key_not_found: 404,
  operator_not_found: 404,
  webhook_not_found: 404,
  delivery_not_found: 404,
  step_not_found: 404,
  file_not_found: 404,
  file_not_kept: 404,
  files_unknown: 404,
  key_ambiguous: 409,
  operator_ambiguous: 409,
  last_operator: 409,
  modified: 412,
  modified_concurrently: 409,
  queue_full: 409,
  transcript_full: 409,
  run_ended: 409,
  delete_not_allowed: 403,
  invalid_argument: 422,
  // Clients of the extension API only:
  upload_too_large: 413,
  too_many_uploads: 429,
  upload_not_found: 422,
  upload_incomplete: 422,
  upload_mismatch: 422,
  idempotency_key_reused: 422,
  webhook_not_configured: 422,
};

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
  statusOf: (code: ServiceErrorCode) => number;
  /** The body. `detail`: a sentence, or the violations of a schema. */
  body: (detail: string | ValidationIssue[], code: string) => object;
}

/** The format of v1, which knows no expiry: an expired key is an invalid one. */
const publicFormat: ErrorFormat = {
  statusOf: (code) => statusOf[code],
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
  const headers = {
    ...(status === 401 && { "www-authenticate": "Bearer" }),
    ...(retryAfterSeconds !== undefined && { "retry-after": String(retryAfterSeconds) }),
  };
  return { status, detail, code, headers };
}
