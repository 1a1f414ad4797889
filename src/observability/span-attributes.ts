import type { Attributes } from "@opentelemetry/api";
import type { StopReason, TokenUsage } from "../agent/model.ts";
import type { CallDetails } from "../agent/turn/turn-types.ts";

/** Provider names of the GenAI conventions that differ from ours. They name a wire format, not who runs the server. */
const providerNames: Record<string, string> = {
  bedrock: "aws.bedrock",
  "openai-compatible": "openai",
  "openai-responses": "openai",
};

export function providerOf(name: string): Attributes {
  return { "gen_ai.provider.name": providerNames[name] ?? name };
}

/** The address and port of a model server. */
export function serverOf(baseUrl: string | undefined): Attributes {
  const url = baseUrl === undefined ? null : URL.parse(baseUrl);
  if (!url) return {};
  const port = Number(url.port) || (url.protocol === "http:" ? 80 : 443);
  return { "server.address": url.hostname, "server.port": port };
}

/** Stop reasons by the names of the GenAI conventions. They have no word for `other`. */
const conventionalReasons: Record<StopReason, string> = {
  stop: "stop",
  "tool-calls": "tool_calls",
  length: "length",
  "content-filter": "content_filter",
  other: "other",
};

export function finishReasonOf(reason: StopReason): string {
  return conventionalReasons[reason];
}

/** The tokens as the provider reported them, and their cost in US dollars. Callers leave out estimates. */
export function usageAttributes(usage: TokenUsage & { dollars?: number }): Attributes {
  const {
    inputTokens,
    outputTokens,
    cachedInputTokens = 0,
    cacheWriteInputTokens = 0,
    reasoningTokens,
    dollars,
  } = usage;
  return {
    "gen_ai.usage.input_tokens": inputTokens,
    "gen_ai.usage.output_tokens": outputTokens,
    "gen_ai.usage.cache_read.input_tokens": cachedInputTokens,
    "gen_ai.usage.cache_creation.input_tokens": cacheWriteInputTokens,
    ...(reasoningTokens && { "gen_ai.usage.reasoning.output_tokens": reasoningTokens }),
    ...(dollars && { "gen_ai.usage.cost": dollars }),
  };
}

/** The parameters of a model request, and what the provider says about its response. */
export function callAttributes({ request, outcome }: Extract<CallDetails, { of: "model" }>): Attributes {
  const { temperature, maxOutputTokens, reasoningEffort, serviceTier } = request.parameters ?? {};
  const { received, firstTokenMs } = outcome && "answer" in outcome ? outcome : {};
  return {
    ...(temperature !== undefined && { "gen_ai.request.temperature": temperature }),
    ...(maxOutputTokens !== undefined && { "gen_ai.request.max_tokens": maxOutputTokens }),
    ...(reasoningEffort && { "gen_ai.request.reasoning.level": reasoningEffort }),
    ...(serviceTier && { "agent_run.request.service_tier": serviceTier }),
    ...(request.result && { "gen_ai.output.type": "json" }),
    ...(received?.id !== undefined && { "gen_ai.response.id": received.id }),
    ...(received?.model !== undefined && { "gen_ai.response.model": received.model }),
    ...(firstTokenMs !== undefined && { "gen_ai.response.time_to_first_chunk": firstTokenMs / 1_000 }),
  };
}
