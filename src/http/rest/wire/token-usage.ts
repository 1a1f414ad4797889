import type { TokenUsage } from "../../../agent/model.ts";
import type { SharedSchemas } from "../schemas/schema-types.ts";

/** The tokens of a model call as fields of its event: those that the provider reported, or an estimate. None are known of a call without input tokens. */
export function wireUsageFields(usage: TokenUsage | undefined, dollars: number | undefined) {
  // An earlier release recorded 0 for a provider that reports nothing.
  if (!usage || usage.inputTokens === 0)
    return { usage: null, dollars: null, estimated_usage: null, estimated_dollars: null };
  const tokens = wireTokens(usage);
  return usage.estimated
    ? { usage: null, dollars: null, estimated_usage: tokens, estimated_dollars: dollars ?? null }
    : { usage: tokens, dollars: dollars ?? null, estimated_usage: null, estimated_dollars: null };
}

export function wireTokens(usage: TokenUsage): SharedSchemas["TokenUsage"] {
  return {
    input_tokens: usage.inputTokens,
    output_tokens: usage.outputTokens,
    cached_input_tokens: usage.cachedInputTokens ?? null,
    cache_write_input_tokens: usage.cacheWriteInputTokens ?? null,
    reasoning_tokens: usage.reasoningTokens ?? null,
  };
}
