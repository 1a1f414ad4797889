import type { Failure } from "../model.ts";

/** How a server says which `max_tokens` it accepts: at most `limit`, or what `input` leaves of it. */
interface LimitWords {
  vendors: string;
  pattern: RegExp;
  /** An error message of the first vendor. */
  example: string;
  /** What the example accepts. */
  accepts: number;
}

export const limitWords: readonly LimitWords[] = [
  {
    vendors: "OpenAI",
    pattern: /at most (?<limit>\d+) (completion|output) tokens/,
    example:
      "max_tokens is too large: 200000. This model supports at most 16384 completion tokens, whereas you provided 200000.",
    accepts: 16_384,
  },
  {
    vendors: "OpenAI's Responses API",
    pattern: /max_output_tokens.*expected a value <= (?<limit>\d+)/i,
    example:
      "Invalid 'max_output_tokens': integer above maximum value. Expected a value <= 16384, but got 200000 instead.",
    accepts: 16_384,
  },
  {
    vendors: "Anthropic",
    pattern: /> (?<limit>\d+), which is the maximum allowed number of output tokens/,
    example: "max_tokens: 200000 > 64000, which is the maximum allowed number of output tokens for claude-sonnet-4-5",
    accepts: 64_000,
  },
  {
    vendors: "Anthropic",
    pattern: /exceed context limit: (?<input>\d+) \+ \d+ > (?<limit>\d+)/,
    example:
      "input length and `max_tokens` exceed context limit: 180000 + 32000 > 200000, decrease input length or `max_tokens` and try again",
    accepts: 20_000,
  },
  {
    vendors: "vLLM",
    pattern: /\(\d+ > (?<limit>\d+) - (?<input>\d+)\)/,
    example:
      "'max_tokens' or 'max_completion_tokens' is too large: 32000. This model's maximum context length is 32768 tokens " +
      "and your request has 6000 input tokens (32000 > 32768 - 6000).",
    accepts: 26_768,
  },
  {
    vendors: "vLLM before 0.9, SGLang",
    pattern:
      /maximum context length (is|of) (?<limit>\d+) tokens.*\((?<input>\d+) in the messages, \d+ in the completion\)/,
    example:
      "This model's maximum context length is 32768 tokens. However, you requested 38000 tokens (6000 in the messages, " +
      "32000 in the completion). Please reduce the length of the messages or completion.",
    accepts: 26_768,
  },
  {
    vendors: "DeepSeek, Alibaba",
    pattern: /max_tokens (is|should be) \[\d+, ?(?<limit>\d+)\]/,
    example: "Invalid max_tokens value, the valid range of max_tokens is [1, 8192]",
    accepts: 8_192,
  },
  {
    vendors: "Groq",
    pattern: /max_(completion_)?tokens\b.{0,60}less than or equal to `?(?<limit>\d+)/,
    example:
      "`max_tokens` must be less than or equal to `16384`, the maximum value for `max_tokens` is less than the `context_window`",
    accepts: 16_384,
  },
  {
    vendors: "Bedrock",
    pattern: /maximum tokens you requested exceeds the model limit of (?<limit>\d+)/,
    example:
      "The maximum tokens you requested exceeds the model limit of 4096. Try again with a maximum tokens value that is lower.",
    accepts: 4_096,
  },
];

/** Servers that only say that the number is too large. */
const tooLarge = /max_(completion_|output_)?tokens['"`]? (is|are) too (large|high|big)/i;

/** Tokens of an answer that are worth a call. With less room, the conversation is compacted. */
const minOutput = 1_024;

/**
 * The output limit with which a request may succeed that was refused for its own: the one that the error names, else half.
 * `asked`: absent for the default of the provider or a gateway. Undefined: the request was refused for another reason.
 */
export function lowerOutputLimit({ title, retryable }: Failure, asked: number | undefined): number | undefined {
  if (retryable) return undefined;
  const { limit, input = "0" } = limitWords.map(({ pattern }) => pattern.exec(title)?.groups).find(Boolean) ?? {};
  if (limit === undefined) return asked !== undefined && tooLarge.test(title) ? Math.ceil(asked / 2) : undefined;
  const accepted = Number(limit) - Number(input);
  const fits = input === "0" || accepted >= minOutput;
  return fits && accepted > 0 && accepted < (asked ?? Infinity) ? accepted : undefined;
}
