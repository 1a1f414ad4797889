import {
  ConditionalCheckFailedException,
  TransactionCanceledException,
  TransactionConflictException,
} from "@aws-sdk/client-dynamodb";
import { StoreUnavailable } from "../../../errors.ts";

// Names of throttling and time-out errors with a 4xx status.
const transientNames = new Set([
  "ExecutionLimitExceeded",
  "ProvisionedThroughputExceededException",
  "RequestLimitExceeded",
  "RequestTimeout",
  "RequestTimeoutException",
  "SlowDown",
  "ThrottlingException",
  "Throttling",
  "TimeoutError",
  "TooManyRequestsException",
  "TransactionConflictException",
  "TransactionInProgressException",
]);
const networkCodes = new Set([
  "EAI_AGAIN",
  "ECONNABORTED",
  "ECONNREFUSED",
  "ECONNRESET",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "EPIPE",
  "ERR_STREAM_PREMATURE_CLOSE",
  "ETIMEDOUT",
]);
const transientReasons = new Set(["ProvisionedThroughputExceeded", "ThrottlingError", "TransactionConflict"]);

/** Whether a write failed by contention or throttling only, so that it can be sent again. */
export function isTransientCancellation(error: unknown): boolean {
  if (error instanceof TransactionConflictException) return true;
  const codes = cancellationCodes(error).filter((code) => code !== "None");
  return codes.length > 0 && codes.every((code) => transientReasons.has(code));
}

/** Whether another transaction on one of its items kept a write from being applied, and nothing else did. */
export function isConflict(error: unknown): boolean {
  const codes = cancellationCodes(error).filter((code) => code !== "None");
  return codes.length > 0 && codes.every((code) => code === "TransactionConflict");
}

/** Whether a condition of the write was false, so that nothing was applied. */
export function isConditionFailure(error: unknown): boolean {
  return (
    error instanceof ConditionalCheckFailedException || cancellationCodes(error).includes("ConditionalCheckFailed")
  );
}

/** Wraps a store: its methods reject with `StoreUnavailable` after throttling, a time-out, a 5xx or a network error. */
export function withMappedErrors<Store extends object>(service: string, store: Store): Store {
  const mapped = Object.entries(store).map(([name, method]: [string, (...args: unknown[]) => Promise<unknown>]) => {
    const call = async (...args: unknown[]): Promise<unknown> => {
      try {
        return await method(...args);
      } catch (error) {
        throw isTransient(error)
          ? new StoreUnavailable(`${service} did not answer (${describe(error)}); try again later`, { cause: error })
          : error;
      }
    };
    return [name, call];
  });
  return Object.fromEntries(mapped) as Store;
}

function isTransient(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, $metadata, $retryable } = error as {
    code?: unknown;
    $metadata?: { httpStatusCode?: number };
    $retryable?: unknown;
  };
  const status = $metadata?.httpStatusCode ?? 0;
  return (
    transientNames.has(error.name) ||
    networkCodes.has(String(code)) ||
    $retryable !== undefined ||
    status === 429 ||
    status >= 500 ||
    isTransientCancellation(error)
  );
}

function cancellationCodes(error: unknown): string[] {
  if (!(error instanceof TransactionCanceledException)) return [];
  return (error.CancellationReasons ?? []).map((reason) => reason.Code ?? "None");
}

function describe(error: unknown): string {
  const codes = cancellationCodes(error);
  if (codes.length > 0) return `TransactionCanceledException: ${codes.join(", ")}`;
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}
