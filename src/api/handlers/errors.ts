import { ServiceError, type ServiceErrorCode } from "../../errors.ts";
import { log } from "../../log.ts";
import type { Issues, ValidationIssue } from "../validation/issues.ts";
import { type ApiResponse, jsonResponse } from "./handler.ts";

/** The HTTP status of every error code (specification section 7.2). The codes of operators never reach HTTP today. */
const statusOf: Record<ServiceErrorCode, number> = {
  key_missing: 401,
  key_invalid: 401,
  template_mismatch: 403,
  agent_deleted: 404,
  run_not_found: 404,
  agent_archived: 409,
  files_too_large: 413,
  file_not_base64: 422,
  no_model: 422,
  too_many_runs: 429,
  dollars_spent: 429,
  history_failed: 502,
  history_unavailable: 503,
  // Operators only:
  organization_not_found: 404,
  agent_not_found: 404,
  version_not_found: 404,
  key_not_found: 404,
  operator_not_found: 404,
  step_not_found: 404,
  file_not_found: 404,
  file_not_kept: 404,
  files_unknown: 404,
  key_ambiguous: 409,
  operator_ambiguous: 409,
  modified_concurrently: 409,
  queue_full: 409,
  run_ended: 409,
  invalid_argument: 422,
};

/** An error of HTTP itself, outside of the contract: the host could not receive the request. */
export class HttpError extends Error {
  readonly status: number;
  readonly headers: Record<string, string>;

  constructor(status: number, message: string, { headers = {}, ...options }: HttpErrorOptions = {}) {
    super(message, options);
    this.name = "HttpError";
    this.status = status;
    this.headers = headers;
  }
}

interface HttpErrorOptions extends ErrorOptions {
  headers?: Record<string, string>;
}

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

/** The response to a request that failed. Logs errors of the service; unexpected errors show clients no detail. */
export function toResponse(error: unknown, requestId: string): ApiResponse {
  if (error instanceof InvalidRequest) return jsonResponse(422, { detail: error.issues });
  const known = describe(error);
  if (!known || known.status >= 500) log("error", known?.detail ?? "unexpected error", { requestId, error });
  if (!known) return jsonResponse(500, { detail: "Internal Server Error" });
  return jsonResponse(known.status, { detail: known.detail }, known.headers);
}

function describe(error: unknown): { status: number; detail: string; headers: Record<string, string> } | undefined {
  if (error instanceof HttpError) return { status: error.status, detail: error.message, headers: error.headers };
  if (!(error instanceof ServiceError)) return undefined;
  const status = statusOf[error.code];
  const { retryAfterSeconds } = error;
  const headers = {
    ...(status === 401 && { "www-authenticate": "Bearer" }),
    ...(retryAfterSeconds !== undefined && { "retry-after": String(retryAfterSeconds) }),
  };
  return { status, detail: error.message, headers };
}
