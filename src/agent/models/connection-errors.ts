import {
  APICallError,
  EmptyResponseBodyError,
  InvalidResponseDataError,
  JSONParseError,
  TypeValidationError,
} from "@ai-sdk/provider";
import { isObject } from "../../json.ts";
import { OtherContent, Silence } from "./http-client.ts";

/** The server ended its answer before it was complete. `reason`: its own word for it. */
export class BrokenOff extends Error {
  constructor(reason?: string) {
    super(reason === undefined ? "the stream ended before the answer did" : `the answer ended with '${reason}'`);
    this.name = "BrokenOff";
  }
}

/** Whether the connection failed or ended too soon. */
export function isNetworkError(cause: unknown): boolean {
  return causes(cause).some((error) => {
    if (/^(UND_ERR_|E[A-Z]+$)/.test(errorCode(error))) return true;
    if (error instanceof TypeError && /^(terminated|fetch failed)$/.test(error.message)) return true;
    if (APICallError.isInstance(error) && error.isRetryable && error.statusCode === undefined) return true;
    return error instanceof BrokenOff || error instanceof Silence || isCut(error);
  });
}

/** Whether a stream ended too soon, or came damaged, as each provider's reader of it says so. */
function isCut(error: Error): boolean {
  if (InvalidResponseDataError.isInstance(error)) return error.message.includes("stream ended");
  return eventStreamError.test(error.message);
}

// Of the reader of AWS event streams, whose errors have no name of their own.
const eventStreamError = /event-stream frame|event stream message|message length|(prelude|message) checksum/;

/** Whether what came is no answer of the provider's API. */
export function isUnreadable(cause: unknown): boolean {
  return (
    cause instanceof OtherContent ||
    InvalidResponseDataError.isInstance(cause) ||
    EmptyResponseBodyError.isInstance(cause) ||
    JSONParseError.isInstance(cause) ||
    TypeValidationError.isInstance(cause) ||
    errorCode(cause).startsWith("HPE_") || // what answers does not speak HTTP
    cause instanceof RangeError || // nested so deep that the library's own recursion fails
    APICallError.isInstance(cause)
  );
}

/** What Node calls an error; "" where it has no name for it. */
export function errorCode(error: unknown): string {
  const { code } = (isObject(error) ? error : {}) as { code?: unknown };
  return typeof code === "string" ? code : "";
}

/** An error, what caused it, what caused that. */
export function causes(error: unknown): Error[] {
  return error instanceof Error ? [error, ...causes(error.cause)] : [];
}
