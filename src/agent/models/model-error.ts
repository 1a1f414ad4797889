import { APICallError, JSONParseError, TypeValidationError } from "@ai-sdk/provider";
import type { ModelFailure, ModelRequest } from "../model.ts";
import { withoutContents, withoutSecrets } from "../../net/redact.ts";
import { causes, errorCode, isNetworkError, isUnreadable } from "./connection-errors.ts";
import { Silence, TooLong } from "./http-client.ts";
import { refusal, statusIn } from "./classify-error.ts";
import { serverWords } from "./error-message.ts";

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

/**
 * What went wrong with a model call, for the operator. None of its texts has the credentials, or quotes the
 * conversation, which some servers repeat.
 */
export function modelFailure(cause: unknown, endpoint: Endpoint, request: ModelRequest): ModelFailure {
  const contents = contentsOf(request);
  const clean = (text: string): string =>
    withoutContents(withoutSecrets(text, endpoint.secrets(), "[API key]").slice(0, maxRead), contents);
  const server = `The model server ${address(endpoint.address)}`;
  const silence = causes(cause).find((error) => error instanceof Silence);
  const tooLong = causes(cause).find((error) => error instanceof TooLong);
  const detail = clipped(clean(messageOf(silence ?? tooLong ?? cause)));
  const said = clean(serverWords(cause)?.said ?? "");
  if (APICallError.isInstance(cause) && cause.statusCode !== undefined && cause.statusCode >= 300) {
    const { statusCode: status, responseHeaders = {} } = cause;
    const retryAfter = retryAfterOf(responseHeaders) ?? retryDelayIn(said);
    const failure = refusal({ ...endpoint, status, title: `${server} answered ${status}`, detail, said });
    return { ...failure, ...(retryAfter !== undefined && { retryAfterMs: retryAfter }) };
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
  if (causes(cause).some((error) => /CERT|^UNABLE_TO_|HOSTNAME_MISMATCH/.test(errorCode(error)))) {
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
    const status = statusIn(cause) ?? 500;
    return refusal({ ...endpoint, status, title: `${server} broke off its answer`, detail, said });
  }
  if (detail.includes("requires AWS credentials")) {
    const title = `${server} was not called`;
    return refusal({ ...endpoint, status: 401, title, detail: "There are no AWS credentials.", said });
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

/** `retry-after-ms`, or `retry-after` as seconds or as a date. In milliseconds. */
function retryAfterOf(headers: Record<string, string>): number | undefined {
  const milliseconds = headers["retry-after-ms"];
  if (milliseconds && Number(milliseconds) >= 0) return Number(milliseconds);
  const value = headers["retry-after"]?.trim();
  if (!value) return undefined;
  const wait = /^[\d.]+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isNaN(wait) ? undefined : Math.max(0, Math.round(wait));
}

/** Gemini's: it sends no header. */
function retryDelayIn(said: string): number | undefined {
  const [, seconds] = /"retryDelay":\s*"([\d.]+)s"/.exec(said) ?? [];
  return seconds === undefined ? undefined : Math.round(Number(seconds) * 1000);
}

/** What the request says of what people wrote and of what files hold. */
function contentsOf({ instructions, messages }: ModelRequest): string[] {
  const said = messages.flatMap((message): string[] => {
    if (message.role === "user") return [message.text];
    if (message.role === "tool") return message.results.map(({ text }) => text);
    return [message.answer.text, JSON.stringify(message.answer.toolCalls)];
  });
  return [instructions, ...said];
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
  const words = serverWords(cause)?.words;
  if (words !== undefined) return words;
  if (cause instanceof Error) return cause.message || cause.name;
  return typeof cause === "string" ? cause : (JSON.stringify(cause) ?? "no reason given");
}

/** Characters of a server's words that are looked at. */
const maxRead = 4_000;

function clipped(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > 300 ? `${line.slice(0, 300)}…` : line;
}

/** Without user name, password and query, which may be secrets. */
function address(baseUrl: string): string {
  const url = URL.parse(baseUrl);
  return url ? url.origin + url.pathname : baseUrl;
}
