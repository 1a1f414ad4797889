import type { Failure, ModelFailure } from "../model.ts";
import { isObject } from "../../json.ts";

/** What an error that a server answered with means. */
export interface Refusal {
  /** Its HTTP status, or the one that an error in the middle of a stream names. */
  status: number;
  /** What happened, as the beginning of a sentence. */
  title: string;
  /** Why, in the server's words. */
  detail: string;
  /** All that it said, codes and types included. */
  said: string;
  model: string;
  credentials: string;
}

/** A server's refusal as a failure. What it says goes before the status, which servers choose each in their own way. */
export function refusal({ status, title, detail, said, model, credentials }: Refusal): ModelFailure {
  const failure = (category: Failure["category"], remedy: string, retryable = false): ModelFailure => ({
    failure: { category, title: `${title}: ${detail}`, remedy, retryable },
  });
  if (status < 400) return failure("model_configuration", "Give the address that it leads to as the base URL.");
  const client = status < 500;
  // Local servers say 500 for it, and errors in the middle of a stream no status at all.
  if (status <= 500 && tooLong.test(said)) {
    const remedy = `Give the agent the window of '${model}' (contextTokens), or a smaller task.`;
    return { ...failure("model_refused", remedy), contextOverflow: true };
  }
  if (status === 500 && template.test(said)) {
    return failure(
      "model_refused",
      `Check how the model server runs '${model}': its chat template takes no such request.`,
    );
  }
  if (client && unpaid.test(said)) return failure("model_configuration", "Check the provider account's credit.");
  if (client && filtered.test(said)) {
    return failure(
      "model_refused",
      "Change the input or the agent's instructions, or use a model with another filter.",
    );
  }
  if (client && wrongKey.test(detail)) return failure("model_configuration", `Check ${credentials}.`);
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
    case 425: // too early
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

/**
 * The conversation is longer than the model's window, or than what one request may use of a rate. OpenAI, Azure, vLLM,
 * Anthropic, Bedrock, Gemini, Mistral, xAI, Groq, llama.cpp, LM Studio and Together, in this order.
 */
const tooLong = new RegExp(
  [
    "context_length_exceeded|context length|context window|reduce the length|must be reduced",
    "tokens_limit_reached|max_prompt_tokens_exceeded",
    "prompt is too long|exceed context limit|request_too_large",
    "input is too long|input tokens exceeded",
    "token count .{0,40}exceeds",
    "too large for model",
    "maximum prompt length",
    "reduce your message size",
    "context[ _]size",
    "context the overflows|context overflow",
    "max_new_tokens. must be",
  ].join("|"),
  "i",
);

/** Of llama.cpp and LM Studio, in their words: the same request fails each time. */
const template = /jinja|chat template|parse messages/i;

/**
 * No credit: waiting does not help. By code or type, because Gemini says the same words of a limit for a minute.
 * OpenAI, Moonshot, Zhipu, Alibaba; in Anthropic's words.
 */
const unpaid =
  /"(insufficient_quota|billing_\w+|exceeded_current_quota_error|1113|Arrearage)"|credit balance is too low|insufficient balance/i;

/** Gemini's status for it is 400. */
const wrongKey = /api key not valid|invalid api key/i;

/** Azure refuses an input that its filter does not let through; so do others. */
const filtered = /"(content_filter|content_policy_violation|ResponsibleAIPolicyViolation|data_inspection_failed)"/;

/** The HTTP status that a server's error in the middle of a stream names, in one of the ways that servers do. */
export function statusIn(error: unknown): number | undefined {
  const parts = [isObject(error) ? error["error"] : undefined, error].filter(isObject);
  const numbers = parts.flatMap(({ statusCode, status_code, status, code }) => [statusCode, status_code, status, code]);
  const status = numbers.map(Number).find((each) => Number.isInteger(each) && each >= 400 && each <= 599);
  return status ?? parts.map(({ type }) => statusOf[String(type)]).find((each) => each !== undefined);
}

// What the APIs of OpenAI and Anthropic call the errors of these statuses.
const statusOf: Record<string, number | undefined> = {
  invalid_request_error: 400,
  authentication_error: 401,
  permission_error: 403,
  not_found_error: 404,
  request_too_large: 413,
  BadRequestError: 400,
};
