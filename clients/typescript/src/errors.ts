import { AgentRunsError, APIError, type ErrorResponse } from "./api-error.ts";
import {
  AuthenticationError,
  InvalidRequest,
  PayloadTooLarge,
  RateLimited,
  ServiceUnavailable,
} from "./generated/error-classes.ts";
import { errorClasses } from "./generated/error-codes.ts";
import type { Run } from "./run.ts";

export * from "./api-error.ts";
export * from "./generated/error-classes.ts";

/** The client does not accept an argument. The message says what it received, and what it accepts. */
export class InvalidArgument extends AgentRunsError {}

/** No answer, or not the whole answer, arrived: the connection failed, or the request timed out. */
export class ConnectionFailed extends AgentRunsError {}

/** Something answered that is not the service: another content type, a redirect, or JSON of another shape. */
export class UnexpectedResponse extends AgentRunsError {}

/** The server has no extension API, `/ext/v1`. */
export class NotSupported extends AgentRunsError {}

/** The deadline passed. The run continues: wait again with `runs.wait(error.runId)`. No `runId`: no run was created. */
export class WaitTimeout extends AgentRunsError {}

/**
 * No answer to a create arrived, so the run may exist or not. Repeat the create with `idempotencyKey`, which returns the
 * run if it exists.
 */
export class CreateOutcomeUnknown extends AgentRunsError {
  readonly idempotencyKey: string;

  constructor(message: string, { idempotencyKey, ...options }: ErrorOptions & { idempotencyKey: string }) {
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

/** The error of a response that is not a success. */
export function errorOf(call: string, response: ErrorResponse): APIError {
  return new (errorClasses.get(response.code) ?? classOfStatus(response.status))(call, response);
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
