import { APICallError, InvalidResponseDataError, JSONParseError, TypeValidationError } from "ai";
import type { Failure, ModelOutcome } from "../model.ts";

/** An error that came in the stream of an answer: an Error, or whatever the server sent as one. */
export class ModelStreamError extends Error {
  constructor(cause: unknown) {
    super("error in the model's answer", { cause });
    this.name = "ModelStreamError";
  }
}

interface Endpoint {
  baseUrl: string;
  model: string;
  apiKey: string | undefined;
}

/** What went wrong with a model call, for the operator. The API key is in none of its texts. */
export function modelFailure(error: unknown, endpoint: Endpoint): Extract<ModelOutcome, { failure: Failure }> {
  const cause = error instanceof ModelStreamError ? error.cause : error;
  const { failure, retryAfter } = diagnosed(cause, endpoint);
  const clean = (text: string): string => (endpoint.apiKey ? text.replaceAll(endpoint.apiKey, "[API key]") : text);
  return {
    failure: { ...failure, title: clean(failure.title), remedy: clean(failure.remedy) },
    ...(retryAfter !== undefined && { retryAfter }),
  };
}

function diagnosed(cause: unknown, endpoint: Endpoint): { failure: Failure; retryAfter?: number | undefined } {
  const server = `The model server ${address(endpoint.baseUrl)}`;
  const detail = clipped(messageOf(cause));
  if (APICallError.isInstance(cause) && cause.statusCode !== undefined && cause.statusCode >= 400) {
    const retryAfter = retryAfterOf(cause.responseHeaders ?? {});
    return {
      failure: statusFailure(cause.statusCode, `${server} answered ${cause.statusCode}`, detail, endpoint),
      retryAfter,
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
  if (isUnreadable(cause)) {
    return {
      failure: {
        category: "model_answer",
        title: `${server} sent an answer that can't be read: ${detail}`,
        remedy: "Check that the base URL leads to an OpenAI-compatible chat completions API that can stream.",
        retryable: false,
      },
    };
  }
  if (!(cause instanceof Error)) {
    // The server's own words, in the middle of an answer that began well.
    const status = statusIn(cause);
    const failed = `${server} broke off its answer`;
    return { failure: statusFailure(status ?? 500, failed, detail, endpoint) };
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

function statusFailure(status: number, title: string, detail: string, { model }: Endpoint): Failure {
  const failure = (category: Failure["category"], remedy: string, retryable = false): Failure => ({
    category,
    title: `${title}: ${detail}`,
    remedy,
    retryable,
  });
  switch (status) {
    case 401:
    case 403:
      return failure("model_configuration", "Check the API key that the organization's model configuration names.");
    case 402:
      return failure("model_configuration", "Check the provider account's credit.");
    case 404:
      return failure("model_configuration", `Check the base URL and that the server has the model '${model}'.`);
    case 408:
    case 409:
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

function isUnreadable(cause: unknown): boolean {
  return (
    InvalidResponseDataError.isInstance(cause) ||
    JSONParseError.isInstance(cause) ||
    TypeValidationError.isInstance(cause) ||
    APICallError.isInstance(cause)
  );
}

/** Whether the connection failed or ended too soon. */
function isNetworkError(cause: unknown): boolean {
  for (let error = cause; error instanceof Error; error = error.cause) {
    const { code } = error as { code?: unknown };
    if (typeof code === "string" && /^(UND_ERR_|E[A-Z]+$)/.test(code)) return true;
    if (error instanceof TypeError && /^(terminated|fetch failed)$/.test(error.message)) return true;
    if (APICallError.isInstance(error) && error.isRetryable && error.statusCode === undefined) return true;
    if (InvalidResponseDataError.isInstance(error) && /stream ended/i.test(error.message)) return true;
  }
  return false;
}

/** `retry-after-ms`, or `retry-after` as seconds or as a date. In milliseconds. */
function retryAfterOf(headers: Record<string, string>): number | undefined {
  const milliseconds = headers["retry-after-ms"];
  if (milliseconds !== undefined && Number(milliseconds) >= 0) return Number(milliseconds);
  const value = headers["retry-after"]?.trim();
  if (!value) return undefined;
  const wait = /^[\d.]+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isNaN(wait) ? undefined : Math.max(0, Math.round(wait));
}

function statusIn(cause: unknown): number | undefined {
  const { code, status, error } = (typeof cause === "object" && cause !== null ? cause : {}) as Record<string, unknown>;
  const found = [code, status].map(Number).find((number) => number >= 400 && number < 600);
  return found ?? (error === undefined ? undefined : statusIn(error));
}

function messageOf(cause: unknown): string {
  if (cause instanceof Error) return cause.message || cause.name;
  if (typeof cause === "string") return cause;
  const { message } = (typeof cause === "object" && cause !== null ? cause : {}) as { message?: unknown };
  return typeof message === "string" ? message : (JSON.stringify(cause) ?? "no reason given");
}

function clipped(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > 300 ? `${line.slice(0, 300)}…` : line;
}

/** Without user name, password and query, which may be secrets. */
function address(baseUrl: string): string {
  const url = URL.parse(baseUrl);
  return url ? url.origin + url.pathname : "at a base URL that can't be read";
}
