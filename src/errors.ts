import type { ErrorCode } from "./error-codes.ts";

/** Texts of the contract that several places send. */
export const invalidKey = "Invalid API key";
export const agentNotFound = "Agent template not found";
export const filesTooLarge = "total file size exceeds the allowed limit";
export const historyFailed = "event history lookup failed";

/** A use case rejected the call. `message` is the text that the client or operator reads. */
export class ServiceError extends Error {
  readonly code: ErrorCode;
  /** When the same call can succeed. */
  readonly retryAfterSeconds: number | undefined;

  constructor(
    code: ErrorCode,
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
