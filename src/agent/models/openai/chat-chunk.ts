import { InvalidResponseDataError, type LanguageModelV4Usage } from "@ai-sdk/provider";
import { isObject } from "../../../json.ts";

export type JsonRecord = Record<string, unknown>;

/** Formats of errors: `{error: {message}}`, `{error: "…"}`, vLLM's `{object: "error", message}`, and `{message}`. */
export function readError(event: JsonRecord): JsonRecord | undefined {
  const { error, object, message, code, type, choices, delta } = event;
  if (typeof error === "string" && error !== "") return { message: error };
  if (isObject(error) && Object.keys(error).length > 0) {
    const text = typeof error["message"] === "string" ? error["message"] : JSON.stringify(error);
    return { ...error, message: text, type: toText(error["type"]), code: toCode(error["code"]) };
  }
  const onlyMessage = typeof message === "string" && choices === undefined && delta === undefined;
  if (object !== "error" && !onlyMessage) return undefined;
  return {
    message: typeof message === "string" ? message : JSON.stringify(message ?? event),
    code: toCode(code),
    type: toText(type),
  };
}

/** The token usage of a chunk, or of one of its choices (Moonshot), or in `x_groq`. */
export function chatUsage(event: JsonRecord, choices: JsonRecord[]): LanguageModelV4Usage | undefined {
  const { usage, x_groq } = event;
  if (isObject(usage)) return toUsage(usage);
  for (const choice of choices) if (isObject(choice["usage"])) return toUsage(choice["usage"]);
  return isObject(x_groq) && isObject(x_groq["usage"]) ? toUsage(x_groq["usage"]) : undefined;
}

/**
 * Token usage as OpenAI defines it: completion tokens include reasoning. xAI and Gemini include reasoning in the total
 * only, which would understate the cost several times.
 */
function toUsage(usage: JsonRecord): LanguageModelV4Usage {
  const { prompt_tokens, completion_tokens, total_tokens, prompt_tokens_details, completion_tokens_details } = usage;
  const input = toCount(prompt_tokens);
  const cached = toCount(isObject(prompt_tokens_details) ? prompt_tokens_details["cached_tokens"] : 0);
  // With more cached tokens than prompt tokens, the total counts them in addition to the prompt.
  const rest = cached <= input ? toCount(total_tokens) - input : 0;
  const details = isObject(completion_tokens_details) ? completion_tokens_details : {};
  return {
    inputTokens: { total: input, noCache: undefined, cacheRead: cached, cacheWrite: undefined },
    outputTokens: {
      total: Math.max(toCount(completion_tokens), rest),
      text: undefined,
      reasoning: toCount(details["reasoning_tokens"]),
    },
    raw: usage as NonNullable<LanguageModelV4Usage["raw"]>,
  };
}

/** Usage of a response that reports none. */
export const unknownUsage: LanguageModelV4Usage = {
  inputTokens: { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: undefined, text: undefined, reasoning: undefined },
};

interface ContentPart {
  kind: "text" | "reasoning";
  text: string;
}

/** The texts of a delta, in their order. Mistral sends a list of parts. */
export function readContent(content: unknown): ContentPart[] {
  if (typeof content === "string") return [{ kind: "text", text: content }];
  if (content === null || content === undefined) return [];
  if (!Array.isArray(content)) {
    throw new InvalidResponseDataError({
      data: content,
      message: `the content of a message is of the type ${typeof content}, not text`,
    });
  }
  return content.filter(isObject).flatMap(({ type, text, thinking }): ContentPart[] => {
    if (type === "thinking" && Array.isArray(thinking)) {
      const texts = thinking.filter(isObject).map((part) => toText(part["text"]) ?? "");
      return [{ kind: "reasoning", text: texts.join("") }];
    }
    return type === "text" && typeof text === "string" ? [{ kind: "text", text }] : [];
  });
}

export function toText(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function toCount(value: unknown): number {
  return Number(value) || 0;
}

function toCode(value: unknown): string | number | undefined {
  return typeof value === "string" || typeof value === "number" ? value : undefined;
}
