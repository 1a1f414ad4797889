/**
 * The closed set of reasons for which a use case rejects a call. `src/api/handlers/errors.ts` maps each code to an HTTP
 * status. `message` is the text that the client or operator reads.
 */
export type ServiceErrorCode =
  | "key_missing"
  | "key_invalid"
  | "key_expired"
  | "template_mismatch"
  | "agent_deleted"
  | "agent_archived"
  | "files_too_large"
  | "file_not_base64"
  | "upload_too_large"
  | "too_many_uploads"
  | "upload_not_found"
  | "upload_incomplete"
  | "upload_mismatch"
  | "idempotency_key_reused"
  | "webhook_not_configured"
  | "no_model"
  | "run_not_found"
  | "queue_full"
  | "transcript_full"
  | "too_many_requests"
  | "too_many_runs"
  | "dollars_spent"
  | "storage_quota_exceeded"
  | "run_ended"
  | "delete_not_allowed"
  | "step_not_found"
  | "file_not_found"
  | "file_not_kept"
  | "files_unknown"
  | "history_unavailable"
  | "history_failed"
  | "organization_not_found"
  | "agent_not_found"
  | "version_not_found"
  | "key_not_found"
  | "key_ambiguous"
  | "operator_not_found"
  | "operator_ambiguous"
  | "last_operator"
  | "webhook_not_found"
  | "delivery_not_found"
  | "invalid_argument"
  | "modified"
  | "modified_concurrently";

/** Texts of the contract that several places send. */
export const invalidKey = "Invalid API key";
export const agentNotFound = "Agent template not found";
export const filesTooLarge = "total file size exceeds the allowed limit";
export const historyFailed = "event history lookup failed";

/** A use case rejected the call. */
export class ServiceError extends Error {
  readonly code: ServiceErrorCode;
  /** When the same call can succeed. */
  readonly retryAfterSeconds: number | undefined;

  constructor(
    code: ServiceErrorCode,
    message: string,
    { retryAfterSeconds, ...options }: ErrorOptions & { retryAfterSeconds?: number } = {},
  ) {
    super(message, options);
    this.name = "ServiceError";
    this.code = code;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** A store is throttled, timed out or unreachable. The same call may succeed later. `cause`: the client's error. */
export class StoreUnavailable extends Error {
  /** Whether the failed call certainly changed nothing. Otherwise, a write may have been applied. */
  readonly unchanged: boolean;
  /** Whether the disk is full, or a quota of the operating system used up. */
  readonly full: boolean;

  constructor(message: string, { unchanged = false, full = false, ...options }: StoreUnavailableOptions = {}) {
    super(message, options);
    this.name = "StoreUnavailable";
    this.unchanged = unchanged;
    this.full = full;
  }
}

interface StoreUnavailableOptions extends ErrorOptions {
  unchanged?: boolean;
  full?: boolean;
}
