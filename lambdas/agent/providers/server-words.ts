import { APICallError } from "@ai-sdk/provider";
import { isObject } from "../json.ts";

/**
 * What a server said was wrong, when `error` is its answer; undefined when it is not. `words`: for people, undefined when
 * there are none. `said`: with the codes and types around them, to tell one error from another.
 */
export function serverWords(error: unknown): { words: string | undefined; said: string } | undefined {
  if (APICallError.isInstance(error)) {
    const { responseBody = "", message } = error;
    return { words: wordsIn(responseBody) ?? (message || undefined), said: `${message}\n${responseBody}` };
  }
  if (!isObject(error) || error instanceof Error) return undefined;
  return { words: wordsOf(error), said: JSON.stringify(error) };
}

/** Of an error's body: JSON in any of the forms that servers have for it, or a line of text. Pages say nothing. */
function wordsIn(body: string): string | undefined {
  const text = body.trim();
  try {
    return wordsOf(JSON.parse(text));
  } catch {
    return text === "" || text.startsWith("<") ? undefined : text;
  }
}

// Where servers put it, the most telling first: an `error` beside a `message` is the status in words.
const places = ["message", "Message", "detail", "error", "msg", "error_description", "errors", "title"];
const deepest = 6;

function wordsOf(value: unknown, depth = 0): string | undefined {
  if (typeof value === "string") return value.trim() || undefined;
  if (depth === deepest) return undefined;
  if (Array.isArray(value))
    return joined(
      value.map((each) => wordsOf(each, depth + 1)),
      "; ",
    );
  if (!isObject(value)) return undefined;
  const { loc, metadata } = value;
  const words = places.map((place) => wordsOf(value[place], depth + 1)).find((each) => each !== undefined);
  // FastAPI says where in the request; OpenRouter, what the provider behind it said.
  const where = Array.isArray(loc) ? loc.join(".") : undefined;
  const raw = isObject(metadata) && typeof metadata["raw"] === "string" ? wordsIn(metadata["raw"]) : undefined;
  return words && joined([where, words, raw], ": ");
}

function joined(texts: (string | undefined)[], separator: string): string | undefined {
  return texts.filter((text) => text !== undefined).join(separator) || undefined;
}
