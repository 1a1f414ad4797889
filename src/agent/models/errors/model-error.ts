import {
  APICallError,
  EmptyResponseBodyError,
  InvalidResponseDataError,
  JSONParseError,
  TypeValidationError,
} from "@ai-sdk/provider";
import type { Failure, ModelFailure, ModelRequest } from "../../model.ts";
import { isObject } from "../../../json.ts";
import { redactQuotations, redactSecrets } from "../../../net/redact.ts";
import { publicBaseUrl } from "../../public-url.ts";
import { diagnose } from "./error-table.ts";
import { IdleTimeout, UnexpectedContentType } from "./http-client.ts";
import { readProviderError } from "./provider-error.ts";
import { ResponseTooLarge, UndecodableBody } from "./response-body.ts";
import { askedWait } from "./retry-hint.ts";
import { refusedTools } from "../openai/refused-tools.ts";

/** The model server of a provider, as failures describe it. */
export interface ModelEndpoint {
  provider: string;
  /** Base URL, or the provider's name. */
  address: string;
  model: string;
  /** The API, as in "Check that the base URL leads to …". */
  api: string;
  /** What to check when the server rejects the credentials, as in "Check …". */
  credentials: string;
  /** Credentials that the server received and may repeat. */
  secrets: () => string[];
}

/** The server ended its response before it was complete. `reason`: the server's own stop reason. */
export class IncompleteResponse extends Error {
  constructor(reason?: string) {
    super(reason === undefined ? "the stream ended before the response" : `the response ended with '${reason}'`);
    this.name = "IncompleteResponse";
  }
}

/** The server answered with success and sent nothing. */
export class EmptyResponse extends Error {
  constructor() {
    super("the stream ended before the response");
    this.name = "EmptyResponse";
  }
}

interface CauseRule {
  matches: (cause: unknown) => boolean;
  category: Failure["category"];
  /** `server`: such as "model server https://…". */
  title: (server: string) => string;
  remedy: (endpoint: ModelEndpoint) => string;
  retryable?: true;
}

/** Failures without an error response of the provider. The first match applies. */
const causeRules: CauseRule[] = [
  {
    matches: (cause) => causes(cause).some((error) => error instanceof ResponseTooLarge),
    category: "model_answer",
    title: (server) => `The ${server} sent a response that is too large`,
    remedy: () => "Use another model, or limit the response length on the model server.",
  },
  {
    matches: (cause) => causes(cause).some((error) => error instanceof IdleTimeout),
    category: "model_unavailable",
    title: (server) => `The ${server} stopped responding`,
    remedy: () =>
      "Check that the server is running. If it is silent while the model thinks or writes a file, set idle_seconds of " +
      "the organization's model (admin org set-model --idle-seconds).",
    retryable: true,
  },
  {
    matches: (cause) => cause instanceof EmptyResponse,
    category: "model_unavailable",
    title: (server) => `The ${server} answered with nothing`,
    remedy: () => "Check the log of the model server, and of a gateway before it.",
    retryable: true,
  },
  {
    matches: (cause) => causes(cause).some((error) => error instanceof UndecodableBody),
    category: "model_answer",
    title: (server) => `The ${server} sent a response that cannot be decoded`,
    remedy: () => "Turn off compression on the model server, or on the gateway before it.",
  },
  {
    // Before `isUnreadable`: an interrupted stream also fails to parse.
    matches: (cause) => causes(cause).some(isConnectionError),
    category: "model_unavailable",
    title: (server) => `The ${server} could not be reached, or the connection was lost`,
    remedy: () => "Check that the server is running and that the base URL of the organization's model is correct.",
    retryable: true,
  },
  {
    matches: (cause) => causes(cause).some((error) => /CERT|^UNABLE_TO_|HOSTNAME_MISMATCH/.test(errorCode(error))),
    category: "model_configuration",
    title: (server) => `The certificate of the ${server} is not accepted`,
    remedy: () =>
      "Check the base URL and the server's certificate. For a private certificate authority, set " +
      "NODE_EXTRA_CA_CERTS to its certificate file where the service runs.",
  },
  {
    matches: isUnreadable,
    category: "model_answer",
    title: (server) => `The ${server} sent a response that cannot be read`,
    remedy: ({ api }) => `Check that the base URL leads to ${api} that supports streaming.`,
  },
  {
    matches: isMissingCredentials,
    category: "model_configuration",
    title: (server) => `The ${server} was not called`,
    remedy: ({ credentials }) => `Check ${credentials}.`,
  },
];

/**
 * Converts an error of a model call to a failure for the operator. Its texts contain neither credentials nor parts of
 * the conversation, which some servers repeat.
 */
export function modelFailure(cause: unknown, endpoint: ModelEndpoint, request: ModelRequest): ModelFailure {
  const contents = requestTexts(request);
  const redact = (text: string): string =>
    redactQuotations(redactSecrets(text, endpoint.secrets(), "[API key]").slice(0, maxInspected), contents);
  const server = `model server ${publicBaseUrl(endpoint.address)}`;
  const detail = toOneLine(redact(describeCause(cause)));
  const error = errorResponse(cause);
  if (error) {
    const text = redact(error.text);
    const failure = diagnose({ status: error.status, text }, `The ${server} ${error.event}: ${detail}`, endpoint);
    const wait = askedWait({ ...error, text });
    const refused = failure.failure.category === "model_refused" ? refusedTools(error.text, request.tools) : [];
    return {
      ...failure,
      ...(wait !== undefined && { retryAfterMs: wait }),
      ...(refused.length > 0 && !failure.contextOverflow && { refusedTools: refused }),
    };
  }
  const rule = causeRules.find(({ matches }) => matches(cause));
  if (rule) {
    const { category, title, remedy, retryable = false } = rule;
    return { failure: { category, title: `${title(server)}: ${detail}`, remedy: remedy(endpoint), retryable } };
  }
  return {
    failure: {
      category: "internal",
      title: `The model call failed: ${detail}`,
      remedy: "Check the organization's model configuration (base URL, model, API key) for invalid characters.",
      retryable: false,
    },
  };
}

/** The error that the provider answered with, or that it sent in the stream in place of the rest of a response. */
function errorResponse(cause: unknown) {
  const error = readProviderError(cause);
  if (!APICallError.isInstance(cause)) {
    if (cause instanceof Error) return undefined;
    return { status: error?.status ?? 500, text: error?.text ?? "", headers: {}, event: "stopped its response" };
  }
  const { statusCode: status, responseHeaders: headers = {} } = cause;
  if (!error || status === undefined || status < 300) return undefined;
  return { status, text: error.text, headers, event: `answered ${status}` };
}

function isConnectionError(error: Error): boolean {
  if (error instanceof IncompleteResponse || error instanceof IdleTimeout) return true;
  if (/^(UND_ERR_|E[A-Z]+$|Z_BUF_ERROR$)/.test(errorCode(error))) return true; // such as ECONNRESET, or cut gzip
  if (error instanceof TypeError && /^(terminated|fetch failed)$/.test(error.message)) return true;
  if (APICallError.isInstance(error) && error.isRetryable && error.statusCode === undefined) return true;
  if (InvalidResponseDataError.isInstance(error)) return error.message.includes("stream ended");
  // The AWS event stream reader throws plain errors.
  return /event-stream frame|event stream message|message length|(prelude|message) checksum/.test(error.message);
}

/** Whether the response does not follow the provider's API. */
function isUnreadable(cause: unknown): boolean {
  return (
    cause instanceof UnexpectedContentType ||
    InvalidResponseDataError.isInstance(cause) ||
    EmptyResponseBodyError.isInstance(cause) ||
    JSONParseError.isInstance(cause) ||
    TypeValidationError.isInstance(cause) ||
    errorCode(cause).startsWith("HPE_") || // the server does not speak HTTP
    cause instanceof RangeError || // nested too deep for the AI SDK's recursion
    APICallError.isInstance(cause)
  );
}

/** AI SDK: "AWS SigV4 authentication requires AWS credentials. Please provide either: …" */
function isMissingCredentials(cause: unknown): boolean {
  return cause instanceof Error && cause.message.includes("requires AWS credentials");
}

/** The texts of a request that must not appear in a failure. */
function requestTexts({ instructions, messages }: ModelRequest): string[] {
  const texts = messages.flatMap((message): string[] => {
    if (message.role === "user") return [message.text];
    if (message.role === "tool") return message.results.map(({ text }) => text);
    return [message.answer.text, JSON.stringify(message.answer.toolCalls)];
  });
  return [instructions, ...texts];
}

function describeCause(cause: unknown): string {
  if (isMissingCredentials(cause)) return "There are no AWS credentials.";
  for (const error of causes(cause)) {
    if (error instanceof IdleTimeout || error instanceof ResponseTooLarge) return error.message;
    // The messages of these errors quote the model's response, which must not be logged.
    if (JSONParseError.isInstance(error)) return "part of the response is not valid JSON";
    if (TypeValidationError.isInstance(error)) return "part of the response does not have the format of the API";
  }
  const message = readProviderError(cause)?.message;
  if (message !== undefined) return message;
  if (cause instanceof Error) return cause.message || cause.name;
  return typeof cause === "string" ? cause : (JSON.stringify(cause) ?? "no reason given");
}

/** The code that Node gives an error; "" without one. */
function errorCode(error: unknown): string {
  const { code } = (isObject(error) ? error : {}) as { code?: unknown };
  return typeof code === "string" ? code : "";
}

/** An error and the chain of its causes. */
function causes(error: unknown): Error[] {
  return error instanceof Error ? [error, ...causes(error.cause)] : [];
}

/** Characters of a provider's message that are inspected. */
const maxInspected = 4_000;

function toOneLine(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > 300 ? `${line.slice(0, 300)}…` : line;
}
