import { errorClasses } from "./generated/error-classes.ts";
import type { Run } from "./run.ts";

/** The base class of all errors of this client. */
export class AgentRunsError extends Error {
  /** The run that the failed call was about, if it exists. It continues. */
  runId?: string;

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** No answer, or not the whole answer, arrived: the connection failed, or the request timed out. */
export class ConnectionFailed extends AgentRunsError {}

/** Something answered that is not the service: another content type, a redirect, or JSON of another shape. */
export class UnexpectedResponse extends AgentRunsError {}

/** The server has only the API v1, which cannot do this. */
export class NotSupported extends AgentRunsError {}

/** The deadline passed. The run continues: wait again with `runs.wait(error.runId)`. No `runId`: no run was created. */
export class WaitTimeout extends AgentRunsError {}

/**
 * No answer to a create arrived, so the run may exist or not. Repeat the create with `idempotencyKey`, which returns the
 * run if it exists. `undefined`: the server has only the API v1. Look for the run before you create it again.
 */
export class CreateOutcomeUnknown extends AgentRunsError {
  readonly idempotencyKey: string | undefined;

  constructor(message: string, { idempotencyKey, ...options }: ErrorOptions & { idempotencyKey: string | undefined }) {
    super(message, options);
    this.idempotencyKey = idempotencyKey;
  }
}

/** The run did not finish, and the call had `raiseOnFailure`. `run` says why. */
export class RunFailed extends AgentRunsError {
  readonly run: Run;

  constructor(run: Run) {
    const { failure } = run;
    super(failure ? `${failure.title}. ${failure.remedy}` : `run ${run.id} is ${run.status}`);
    this.run = run;
    this.runId = run.id;
  }
}

/** The headers of a webhook do not prove that the service sent this payload. */
export class WebhookVerificationError extends AgentRunsError {}

/** One violation of the request's schema. */
export interface Issue {
  type: string;
  /** The place, such as `["body", "name"]`. */
  loc: (string | number)[];
  msg: string;
}

/** What an error response says. */
export interface ErrorResponse {
  /** HTTP status. */
  status: number;
  /** The reason, for people. */
  detail: string;
  /** The reason, for programs. `undefined`: the API v1 or a proxy answered. */
  code: string | undefined;
  /** The server's id of the request, for its log. */
  requestId: string | undefined;
  /** Seconds of the header `Retry-After`. */
  retryAfter: number | undefined;
  /** With status 422: the violations of the schema. */
  issues: Issue[];
}

/** The server rejected the request. */
export class APIError extends AgentRunsError {
  readonly status: number;
  readonly detail: string;
  readonly code: string | undefined;
  readonly requestId: string | undefined;
  readonly retryAfter: number | undefined;
  readonly issues: Issue[];

  /** `call`: method and path. */
  constructor(call: string, { status, detail, code, requestId, retryAfter, issues }: ErrorResponse) {
    super(`${call}: ${status} ${detail}`);
    this.status = status;
    this.detail = detail;
    this.code = code;
    this.requestId = requestId;
    this.retryAfter = retryAfter;
    this.issues = issues;
  }
}

/** The API key is missing, unknown or disabled. */
export class AuthenticationError extends APIError {}
/** `templateId` is not the agent of the API key. */
export class TemplateMismatch extends APIError {}
/** The agent of the API key was deleted. */
export class AgentNotFound extends APIError {}
/** The agent is archived and accepts no new runs. */
export class AgentArchived extends APIError {}
/** The agent of the API key has no such run. */
export class RunNotFound extends APIError {}
/** The run has no such file, or its content at this step is not kept. */
export class FileNotFound extends APIError {}
/** A file, or all together, are larger than the service accepts. */
export class PayloadTooLarge extends APIError {}
/** A value is missing or wrong. `issues` lists the violations of the schema; it is empty for other reasons. */
export class InvalidRequest extends APIError {}
/** The organization has no usable model. */
export class ModelNotConfigured extends APIError {}
/** The agent has no webhook, so a run cannot have a webhook URL. */
export class WebhookNotConfigured extends APIError {}
/** An upload is unknown, expired or incomplete. */
export class UploadFailed extends APIError {}
/** The idempotency key belongs to a create with other values. */
export class IdempotencyKeyReused extends APIError {}
/** Too many requests or runs, or the dollars of the day are spent. `retryAfter`: seconds to wait, if the server said it. */
export class RateLimited extends APIError {}
/** The run was stopped or deleted and accepts no input. */
export class RunEnded extends APIError {}
/** The run already has 20 inputs that wait. */
export class QueueFull extends APIError {}
/** The service failed (status 500 and above). */
export class ServiceUnavailable extends APIError {}

type ErrorCode = keyof typeof errorClasses;

const classes: Record<(typeof errorClasses)[ErrorCode], typeof APIError> = {
  AgentArchived,
  AgentNotFound,
  APIError,
  AuthenticationError,
  FileNotFound,
  IdempotencyKeyReused,
  InvalidRequest,
  ModelNotConfigured,
  PayloadTooLarge,
  QueueFull,
  RateLimited,
  RunEnded,
  RunNotFound,
  ServiceUnavailable,
  TemplateMismatch,
  UploadFailed,
  WebhookNotConfigured,
};

/** Codes of the reasons that the API v1 gives as text only (its specification, section 7.2). */
const codesOfDetails: Record<string, string> = {
  "API key is not valid for the requested template": "template_mismatch",
  "Agent template not found": "agent_deleted",
  "Agent not found": "run_not_found",
};

/** The error of a response that is not a success. `isJson`: the service sent it, not a proxy. */
export function errorOf(call: string, response: ErrorResponse, isJson: boolean): APIError {
  const code = response.code ?? (isJson ? codeInV1(response) : undefined);
  return new (isKnown(code) ? classes[errorClasses[code]] : classOfStatus(response.status))(call, response);
}

function isKnown(code: string | undefined): code is ErrorCode {
  return code !== undefined && Object.hasOwn(errorClasses, code);
}

function codeInV1({ status, detail, issues }: ErrorResponse): string | undefined {
  if (status === 409) return "agent_archived";
  if (status === 422)
    return issues.length > 0 || detail.endsWith("is not valid base64") ? "invalid_request" : "no_model";
  return codesOfDetails[detail];
}

/** For a code that a later release of the service added, and for answers without a code. */
function classOfStatus(status: number): typeof APIError {
  if (status === 401) return AuthenticationError;
  if (status === 413) return PayloadTooLarge;
  if (status === 422) return InvalidRequest;
  if (status === 429) return RateLimited;
  return status >= 500 ? ServiceUnavailable : APIError;
}

/** Whether the same request can succeed later: no answer, or status 408, 429 or from 500. */
export function isTransient(error: unknown): error is ConnectionFailed | APIError {
  return (
    error instanceof ConnectionFailed ||
    (error instanceof APIError && (error.status >= 500 || [408, 429].includes(error.status)))
  );
}
