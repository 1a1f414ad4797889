import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { Chunks } from "../../net/sse.ts";
import type { Model } from "../model.ts";
import { createModelFactory, type ProviderAdapter, streamingCall } from "./ai-sdk-model.ts";
import { createModelFetch, defaultIdleTimeouts } from "./http-client.ts";
import { isOllama } from "./model-config.ts";
import { compatCall } from "./compat-call.ts";
import { applyRules, type ChatRequest, chatRules, type CompatRule } from "./openai-compat.ts";
import { type OpenAiServer, responseTypes, serverParts } from "./openai-server.ts";
import { normalizeChunks } from "./openai-stream.ts";
import { askedWindow, ollamaFingerprint } from "./ollama.ts";
import { reasoningDetails } from "./reasoning-details.ts";

/** Models behind an OpenAI-compatible chat completions server: OpenAI, vLLM, Ollama, LM Studio and others. */
export function openAiCompatible(options: OpenAiServer): () => Model {
  return createModelFactory(openAiCompatibleAdapter(options));
}

export function openAiCompatibleAdapter(options: OpenAiServer): ProviderAdapter {
  const { baseUrl, model, apiKey, compat = {}, idleTimeout, fetch: send } = options;
  let contextWindow: ReturnType<typeof askedWindow> | undefined;
  const recognize = (fingerprint: unknown): void => {
    if (fingerprint === ollamaFingerprint) contextWindow ??= askedWindow({ baseUrl, model, apiKey });
  };
  const transform = (chunks: Chunks): Chunks => normalizeChunks(chunks, recognize);
  // Ollama sends a tool call as a whole: a small machine is silent for minutes while the model writes a file.
  const silentMs = isOllama(baseUrl) ? defaultIdleTimeouts.first : undefined;
  const fetch = send ?? createModelFetch({ idleTimeout: idleTimeout ?? silentMs, type: responseTypes, transform });
  const callWith = (rules: readonly CompatRule<ChatRequest>[]): ProviderAdapter["call"] => {
    const provider = createOpenAICompatible({
      name: "openai-compatible",
      baseURL: baseUrl,
      includeUsage: true,
      supportsStructuredOutputs: true,
      metadataExtractor: reasoningDetails,
      fetch,
      ...(apiKey !== undefined && { apiKey }),
      transformRequestBody: (body) => applyRules(body as ChatRequest, rules),
    });
    return streamingCall(provider(model));
  };
  return {
    call: compatCall(chatRules, callWith, { baseUrl, compat }),
    // OpenAI, Groq, Azure and others; each rejects the tiers that it does not have.
    serviceTier: { options: (service_tier) => ({ "openai-compatible": { service_tier } }) },
    contextWindow: async (inputTokens) => contextWindow?.(inputTokens),
    ...serverParts(options, { provider: "openai-compatible", api: "an OpenAI-compatible chat completions API" }),
  };
}
