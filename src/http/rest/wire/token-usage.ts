import type { TokenUsage } from "../../../agent/model.ts";
import type { SharedSchemas } from "../schemas/types.ts";

export function wireTokens(usage: TokenUsage): SharedSchemas["TokenUsage"] {
  return {
    input_tokens: usage.inputTokens,
    output_tokens: usage.outputTokens,
    cached_input_tokens: usage.cachedInputTokens ?? null,
    cache_write_input_tokens: usage.cacheWriteInputTokens ?? null,
    reasoning_tokens: usage.reasoningTokens ?? null,
  };
}
