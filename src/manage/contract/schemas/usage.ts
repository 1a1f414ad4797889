import { failureCategories } from "../../../agent/model.ts";
import { reference } from "../../../api/description.ts";
import { flag, integer, list, nullable, number, object, oneOfTexts, text, uuid } from "./schema.ts";

const tokens = {
  input_tokens: integer("Input tokens, cached ones included."),
  output_tokens: integer("Output tokens, reasoning included."),
};
const cached = integer("Input tokens read from the provider's cache.");
const cacheWrite = integer("Input tokens written to the provider's cache.");
const reasoning = integer("Output tokens used for reasoning.");

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
    milliseconds: integer("Elapsed time of the turns that ended, from the accepted input to the end."),
    dollars: number("Cost in US dollars. 0 without prices."),
  }),
  Failure: object("Why a run or a model call failed.", {
    category: oneOfTexts("The kind of failure, for programs.", failureCategories),
    title: text("What happened."),
    remedy: text("What to do."),
    retryable: flag("The failure can pass without a change of configuration."),
  }),
  UsageRow: object("What the runs that one agent created on one day used with one model.", {
    day: text("The UTC day on which the runs were created.", { format: "date", examples: ["2026-11-22"] }),
    organization_id: uuid("The organization."),
    agent_id: uuid("The agent."),
    model: nullable(text("The model of the last turn. Null: not recorded.")),
    runs: integer("Number of runs."),
    steps: integer("Model calls."),
    ...tokens,
    cached_input_tokens: cached,
    dollars: number("Cost in US dollars. 0 without prices."),
    milliseconds: integer("Elapsed time of the turns that ended."),
  }),
  UsageReport: object("Usage by day, agent and model.", {
    data: list("Newest day first.", { $ref: reference("UsageRow").$ref }),
    next: nullable(text("Always null: the report has all rows.")),
    complete: flag("False: there were more runs than the report reads. Choose a shorter time."),
  }),
};
