/**
 * The closed set of reasons a use case refuses for. The HTTP layer maps each code to a status (`api/errors.ts`);
 * `message` is the text a client reads.
 */
export type RunErrorCode =
  | "key_missing"
  | "key_invalid"
  | "template_mismatch"
  | "agent_deleted"
  | "agent_archived"
  | "files_too_large"
  | "file_not_base64"
  | "no_model"
  | "run_not_found"
  | "queue_full"
  | "run_changed"
  | "run_ended"
  | "history_unavailable"
  | "history_failed";

export class RunError extends Error {
  readonly code: RunErrorCode;

  constructor(code: RunErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "RunError";
    this.code = code;
  }
}

/** A store is throttled, timed out or out of reach: the same call may work later. `cause` is the client's own error. */
export class StoreUnavailable extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "StoreUnavailable";
  }
}
