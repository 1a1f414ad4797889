import { failureCategories } from "../../../agent/model.ts";
import { flag, integer, nullable, number, object, oneOfTexts, text } from "./schema-builders.ts";

/** Tokens, as all totals count them. */
export const tokens = {
  input_tokens: integer("Input tokens, cached ones included."),
  output_tokens: integer("Output tokens, reasoning included."),
};
export const cached = integer("Input tokens read from the provider's cache.");
const cacheWrite = integer("Input tokens written to the provider's cache.");
export const estimated = integer(
  "Of the input and output tokens, those that are estimated by the length of the texts: their providers reported none.",
);
const reasoning = integer("Output tokens used for reasoning.");

/** What model calls used, and why they failed. */
export const usageSchemas = {
  TokenUsage: object("Tokens of one model call. Null: the provider does not report it.", {
    ...tokens,
    cached_input_tokens: nullable(cached),
    cache_write_input_tokens: nullable(cacheWrite),
    reasoning_tokens: nullable(reasoning),
  }),
  Usage: object("What model calls used.", {
    steps: integer("Model calls."),
    ...tokens,
    cached_input_tokens: cached,
    cache_write_input_tokens: cacheWrite,
    reasoning_tokens: reasoning,
    estimated_tokens: estimated,
    milliseconds: integer("Elapsed time of the turns that ended, from the accepted input to the end."),
    dollars: number("Cost in US dollars. 0 without prices."),
  }),
  Failure: object("Why a run or a model call failed.", {
    category: oneOfTexts("The kind of failure, for programs.", failureCategories),
    title: text("What happened."),
    remedy: text("What to do."),
    retryable: flag("The failure can pass without a change of configuration."),
  }),
};
