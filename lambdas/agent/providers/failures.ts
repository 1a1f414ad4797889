import {
  APICallError,
  EmptyResponseBodyError,
  InvalidResponseDataError,
  JSONParseError,
  TypeValidationError,
} from "@ai-sdk/provider";
import { isObject } from "../json.ts";
import type { Failure, ModelFailure } from "../model.ts";
import { withoutSecrets } from "../secrets.ts";
import { OtherContent, Silence, TooLong } from "./model-fetch.ts";

/** The server ended its answer before it was complete. */
export class BrokenOff extends Error {
  constructor() {
    super("the stream ended before the answer did");
    this.name = "BrokenOff";
  }
}

/** What is said of a model server when a call fails. */
export interface Endpoint {
  provider: string;
  /** Its base URL, or its name. */
  address: string;
  model: string;
  /** The API that it speaks, as in "Check that the base URL leads to …". */
  wire: string;
  /** What to look at when it refuses the credentials, as in "Check …". */
  credentials: string;
  /** Credentials that the server was sent, and may repeat. */
  secrets: () => string[];
}

/** What went wrong with a model call, for the operator. The credentials are in none of its texts. */
export function modelFailure(cause: unknown, endpoint: Endpoint): ModelFailure {
  const server = `The model server ${address(endpoint.address)}`;
  const silence = causes(cause).find((error) => error instanceof Silence);
  const tooLong = causes(cause).find((error) => error instanceof TooLong);
  const detail = clipped(withoutSecrets(messageOf(silence ?? tooLong ?? cause), endpoint.secrets(), "[API key]"));
  if (APICallError.isInstance(cause) && cause.statusCode !== undefined && cause.statusCode >= 300) {
    const retryAfter = retryAfterOf(cause.responseHeaders ?? {});
    const failure = statusFailure(cause.statusCode, `${server} answered ${cause.statusCode}`, detail, endpoint);
    return { failure, ...(retryAfter !== undefined && { retryAfter }) };
  }
  if (tooLong) {
    return {
      failure: {
        category: "model_answer",
        title: `${server} sent an answer without end: ${detail}`,
        remedy: "Use another model, or have the model server limit the length of an answer.",
        retryable: false,
      },
    };
  }
  // Before the type checks below: what was cut off can't be told from what was wrong in any other way.
  if (isNetworkError(cause)) {
    return {
      failure: {
        category: "model_unavailable",
        title: `${server} could not be reached, or the connection broke: ${detail}`,
        remedy: "Check that the server runs and that the base URL of the organization's model is right.",
        retryable: true,
      },
    };
  }
  if (causes(cause).some((error) => /CERT|^UNABLE_TO_|HOSTNAME_MISMATCH/.test(codeOf(error)))) {
    return {
      failure: {
        category: "model_configuration",
        title: `The certificate of ${server.replace(/^The /, "the ")} is not accepted: ${detail}`,
        remedy:
          "Check the base URL and the server's certificate. That of an authority of your own: name its file in " +
          "NODE_EXTRA_CA_CERTS where the service runs.",
        retryable: false,
      },
    };
  }
  if (isUnreadable(cause)) {
    return {
      failure: {
        category: "model_answer",
        title: `${server} sent an answer that can't be read: ${detail}`,
        remedy: `Check that the base URL leads to ${endpoint.wire} that can stream.`,
        retryable: false,
      },
    };
  }
  if (!(cause instanceof Error)) {
    // The server's own words in place of the rest of an answer that began well.
    return { failure: statusFailure(statusIn(cause) ?? 500, `${server} broke off its answer`, detail, endpoint) };
  }
  if (detail.includes("requires AWS credentials")) {
    return { failure: statusFailure(401, `${server} was not called`, "There are no AWS credentials.", endpoint) };
  }
  return {
    failure: {
      category: "internal",
      title: `The model call failed: ${detail}`,
      remedy:
        "Check the organization's model configuration (base URL, model, API key) for characters that don't belong.",
      retryable: false,
    },
  };
}

/** The HTTP status that a server's error in the middle of a stream names, in one of the ways that servers do. */
function statusIn(error: unknown): number | undefined {
  return [recordOf(recordOf(error)["error"]), recordOf(error)]
    .flatMap(({ statusCode, status_code, status, code }) => [statusCode, status_code, status, code])
    .map(Number)
    .find((status) => Number.isInteger(status) && status >= 400 && status <= 599);
}

function recordOf(value: unknown): Record<string, unknown> {
  return isObject(value) ? value : {};
}

function statusFailure(status: number, title: string, detail: string, { model, credentials }: Endpoint): Failure {
  const failure = (category: Failure["category"], remedy: string, retryable = false): Failure => ({
    category,
    title: `${title}: ${detail}`,
    remedy,
    retryable,
  });
  if (status < 400) return failure("model_configuration", "Give the address that it leads to as the base URL.");
  switch (status) {
    case 401:
    case 403:
      return failure("model_configuration", `Check ${credentials}.`);
    case 402:
      return failure("model_configuration", "Check the provider account's credit.");
    case 404:
      return failure("model_configuration", `Check the base URL and that the server has the model '${model}'.`);
    case 408:
    case 409:
    case 424: // Bedrock: the model itself failed
      return failure("model_unavailable", "It is tried again by itself.", true);
    case 429:
      return failure("model_unavailable", "It is tried again by itself; raise the provider's rate limits.", true);
    default:
      if (status >= 500) {
        return failure("model_unavailable", "It is tried again by itself; see the provider's status page.", true);
      }
      return failure("model_refused", `Check that '${model}' supports tools, and that the input fits its context.`);
  }
}

/** Whether a stream ended too soon, or came damaged, as each provider's reader of it says so. */
function isCut(error: Error): boolean {
  if (InvalidResponseDataError.isInstance(error)) return error.message.includes("stream ended");
  return eventStreamError.test(error.message);
}

// Of the reader of AWS event streams, whose errors have no name of their own.
const eventStreamError = /event-stream frame|event stream message|message length|(prelude|message) checksum/;

function isUnreadable(cause: unknown): boolean {
  return (
    cause instanceof OtherContent ||
    InvalidResponseDataError.isInstance(cause) ||
    EmptyResponseBodyError.isInstance(cause) ||
    JSONParseError.isInstance(cause) ||
    TypeValidationError.isInstance(cause) ||
    codeOf(cause).startsWith("HPE_") || // what answers does not speak HTTP
    cause instanceof RangeError || // nested so deep that the library's own recursion fails
    APICallError.isInstance(cause)
  );
}

/** Whether the connection failed or ended too soon. */
function isNetworkError(cause: unknown): boolean {
  return causes(cause).some((error) => {
    if (/^(UND_ERR_|E[A-Z]+$)/.test(codeOf(error))) return true;
    if (error instanceof TypeError && /^(terminated|fetch failed)$/.test(error.message)) return true;
    if (APICallError.isInstance(error) && error.isRetryable && error.statusCode === undefined) return true;
    return error instanceof BrokenOff || error instanceof Silence || isCut(error);
  });
}

/** What Node calls an error; "" where it has no name for it. */
function codeOf(error: unknown): string {
  const { code } = recordOf(error);
  return typeof code === "string" ? code : "";
}

/** An error, what caused it, what caused that. */
function causes(error: unknown): Error[] {
  return error instanceof Error ? [error, ...causes(error.cause)] : [];
}

/** `retry-after-ms`, or `retry-after` as seconds or as a date. In milliseconds. */
function retryAfterOf(headers: Record<string, string>): number | undefined {
  const milliseconds = headers["retry-after-ms"];
  if (milliseconds && Number(milliseconds) >= 0) return Number(milliseconds);
  const value = headers["retry-after"]?.trim();
  if (!value) return undefined;
  const wait = /^[\d.]+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isNaN(wait) ? undefined : Math.max(0, Math.round(wait));
}

function messageOf(cause: unknown): string {
  // Their own messages quote what they could not read, which is the model's answer: it belongs in no log.
  const unread = causes(cause).find(
    (error) => JSONParseError.isInstance(error) || TypeValidationError.isInstance(error),
  );
  if (unread) {
    return JSONParseError.isInstance(unread)
      ? "a part of it is no JSON"
      : "a part of it has another form than the API's";
  }
  if (cause instanceof Error) return cause.message || cause.name;
  if (typeof cause === "string") return cause;
  const { error, message = recordOf(error)["message"] } = recordOf(cause);
  return typeof message === "string" ? message : (JSON.stringify(cause) ?? "no reason given");
}

function clipped(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > 300 ? `${line.slice(0, 300)}…` : line;
}

/** Without user name, password and query, which may be secrets. */
function address(baseUrl: string): string {
  const url = URL.parse(baseUrl);
  return url ? url.origin + url.pathname : baseUrl;
}
