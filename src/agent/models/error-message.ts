import { APICallError } from "@ai-sdk/provider";
import { isObject } from "../../json.ts";

/**
 * What a server said was wrong, when `error` is its answer; undefined when it is not. `words`: for people, undefined when
 * there are none. `said`: words, codes and types, to tell one error from another. Neither has what some servers repeat
 * of the request.
 */
export function serverWords(error: unknown): { words: string | undefined; said: string } | undefined {
  if (APICallError.isInstance(error)) {
    const body = parsed(error.responseBody ?? "");
    const words = wordsOf(body) ?? (error.message || undefined);
    return { words, said: joined([words, ...codesOf(body)], "\n") ?? "" };
  }
  if (!isObject(error) || error instanceof Error) return undefined;
  const words = wordsOf(error);
  return { words, said: joined([words, ...codesOf(error)], "\n") ?? "" };
}

/** An error's body: JSON, or a line of text. Pages say nothing. */
function parsed(body: string): unknown {
  const text = body.trim();
  try {
    return JSON.parse(text);
  } catch {
    return text.startsWith("<") ? undefined : text;
  }
}

const codes = ["code", "type", "status", "retryDelay"];

/** Codes and the like with their names, as in `"code":"insufficient_quota"`. */
function codesOf(value: unknown, depth = 0): string[] {
  if (depth === maxDepth) return [];
  if (Array.isArray(value)) return value.flatMap((each) => codesOf(each, depth + 1));
  if (!isObject(value)) return [];
  const { error, details, innererror } = value;
  const own = codes.filter((name) => /^(string|number)$/.test(typeof value[name]));
  return [
    ...own.map((name) => `"${name}":"${String(value[name])}"`),
    ...[error, details, innererror].flatMap((each) => codesOf(each, depth + 1)),
  ];
}

// Where servers put it, the most telling first: an `error` beside a `message` is the status in words.
const places = ["message", "Message", "detail", "error", "msg", "error_description", "errors", "title"];
const maxDepth = 6;

function wordsOf(value: unknown, depth = 0): string | undefined {
  if (typeof value === "string") return value.trim() || undefined;
  if (depth === maxDepth) return undefined;
  if (Array.isArray(value)) {
    const each = value.map((one) => wordsOf(one, depth + 1));
    return joined(each, "; ");
  }
  if (!isObject(value)) return undefined;
  const { loc, metadata } = value;
  const words = places.map((place) => wordsOf(value[place], depth + 1)).find((each) => each !== undefined);
  // FastAPI says where in the request; OpenRouter, what the provider behind it said.
  const where = Array.isArray(loc) ? loc.join(".") : undefined;
  const raw = isObject(metadata) && typeof metadata["raw"] === "string" ? wordsOf(parsed(metadata["raw"])) : undefined;
  return words && joined([where, words, raw], ": ");
}

function joined(texts: (string | undefined)[], separator: string): string | undefined {
  return texts.filter((text) => text !== undefined).join(separator) || undefined;
}
