import { APICallError } from "@ai-sdk/provider";
import { isObject } from "../../../json.ts";

/** An error response of a provider, or an error in its stream. */
export interface ProviderError {
  /** HTTP status, or the status that an error in a stream means. */
  status: number | undefined;
  /** The message for people; undefined when the provider sent none. */
  message: string | undefined;
  /** The message and its codes, such as `"code":"insufficient_quota"`. The patterns of the error table match it. */
  text: string;
}

/** Reads an error that the provider sent; undefined for other errors. Parts of the request that it repeats are left out. */
export function readProviderError(error: unknown): ProviderError | undefined {
  if (APICallError.isInstance(error)) {
    const body = parseBody(error.responseBody ?? "");
    const message = messageIn(body) ?? (error.message || undefined);
    return { status: error.statusCode, message, text: join([message, ...codesIn(body)], "\n") ?? "" };
  }
  if (!isObject(error) || error instanceof Error) return undefined;
  const message = messageIn(error);
  return { status: statusIn(error), message, text: join([message, ...codesIn(error)], "\n") ?? "" };
}

/** JSON, or a line of text. HTML pages are ignored. */
function parseBody(body: string): unknown {
  const text = body.trim();
  try {
    return JSON.parse(text);
  } catch {
    return text.startsWith("<") ? undefined : text;
  }
}

const maxDepth = 6;
const codeFields = ["code", "type", "status", "retryDelay"];
/** Fields with the message, most specific first: `error` beside `message` repeats the HTTP status in words. */
const messageFields = ["message", "Message", "detail", "error", "msg", "error_description", "errors", "title"];

function codesIn(value: unknown, depth = 0): string[] {
  if (depth === maxDepth) return [];
  if (Array.isArray(value)) return value.flatMap((each) => codesIn(each, depth + 1));
  if (!isObject(value)) return [];
  const codes = codeFields.filter((name) => /^(string|number)$/.test(typeof value[name]));
  return [
    ...codes.map((name) => `"${name}":"${String(value[name])}"`),
    ...[value["error"], value["details"], value["innererror"]].flatMap((each) => codesIn(each, depth + 1)),
  ];
}

function messageIn(value: unknown, depth = 0): string | undefined {
  if (typeof value === "string") return value.trim() || undefined;
  if (depth === maxDepth) return undefined;
  if (Array.isArray(value)) {
    const each = value.map((one) => messageIn(one, depth + 1));
    return join(each, "; ");
  }
  if (!isObject(value)) return undefined;
  const { loc, metadata } = value;
  const message = messageFields.map((name) => messageIn(value[name], depth + 1)).find((each) => each !== undefined);
  // FastAPI names the place in the request (`loc`); OpenRouter quotes the provider behind it (`metadata.raw`).
  const place = Array.isArray(loc) ? loc.join(".") : undefined;
  const raw =
    isObject(metadata) && typeof metadata["raw"] === "string" ? messageIn(parseBody(metadata["raw"])) : undefined;
  return message && join([place, message, raw], ": ");
}

/** The HTTP status of an error in a stream: a number in one of four fields, or what its code or type means. */
function statusIn(error: object): number | undefined {
  const parts = [(error as { error?: unknown }).error, error].filter(isObject);
  const numbers = parts.flatMap(({ statusCode, status_code, status, code }) => [statusCode, status_code, status, code]);
  const status = numbers.map(Number).find((each) => Number.isInteger(each) && each >= 400 && each <= 599);
  const names = parts.flatMap(({ code, type }) => [code, type]).map(String);
  return status ?? names.map((name) => statusByName[name]).find((each) => each !== undefined);
}

const statusByName: Partial<Record<string, number>> = {
  invalid_request_error: 400,
  authentication_error: 401,
  permission_error: 403,
  not_found_error: 404,
  request_too_large: 413,
  BadRequestError: 400, // vLLM
  // https://platform.openai.com/docs/api-reference/responses/object#responses/object-error
  rate_limit_exceeded: 429,
  insufficient_quota: 429,
  context_length_exceeded: 400,
  invalid_prompt: 400,
  invalid_image: 400,
  invalid_image_format: 400,
  invalid_base64_image: 400,
  image_too_large: 400,
  image_too_small: 400,
  image_parse_error: 400,
  image_content_policy_violation: 400,
  image_file_too_large: 400,
  unsupported_image_media_type: 400,
  empty_image_file: 400,
};

function join(texts: (string | undefined)[], separator: string): string | undefined {
  return texts.filter((text) => text !== undefined).join(separator) || undefined;
}
