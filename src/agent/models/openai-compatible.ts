import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { Chunks } from "../../net/sse.ts";
import type { Model, OpenAiCompat } from "../model.ts";
import { createModelFactory, type ProviderAdapter, streamingCall } from "./ai-sdk-model.ts";
import { createModelFetch, defaultIdleTimeouts } from "./http-client.ts";
import { isOllama } from "./model-config.ts";
import { compatCall } from "./compat-call.ts";
import { applyRules, type ChatRequest, chatRules, type CompatRule } from "./openai-compat.ts";
import { normalizeChunks } from "./openai-stream.ts";
import { askedWindow, ollamaFingerprint } from "./ollama.ts";
import { formatOfHost } from "./result-format.ts";
import { reasoningDetails } from "./reasoning-details.ts";

export interface OpenAiCompatible {
  /** For example `http://127.0.0.1:11434/v1`. */
  baseUrl: string;
  model: string;
  apiKey?: string;
  compat?: OpenAiCompat;
  /** Milliseconds without data after which a call fails. */
  idleTimeout?: number;
  /** Sends the requests. Default: `createModelFetch`. */
  fetch?: typeof fetch;
}

/** Models behind an OpenAI-compatible chat completions server: OpenAI, vLLM, Ollama, LM Studio and others. */
export function openAiCompatible(options: OpenAiCompatible): () => Model {
  return createModelFactory(openAiCompatibleAdapter(options));
}

export function openAiCompatibleAdapter({
  baseUrl,
  model,
  apiKey,
  compat = {},
  idleTimeout,
  fetch: send,
}: OpenAiCompatible): ProviderAdapter {
  // Some servers label a stream text/plain, others send one JSON body. HTML means that the base URL is wrong.
  const types = /event-stream|text\/plain|octet-stream|json/;
  const server = { baseUrl, model, apiKey };
  let contextWindow: ReturnType<typeof askedWindow> | undefined;
  const recognize = (fingerprint: unknown): void => {
    if (fingerprint === ollamaFingerprint) contextWindow ??= askedWindow(server);
  };
  const transform = (chunks: Chunks): Chunks => normalizeChunks(chunks, recognize);
  // Ollama sends a tool call as a whole: a small machine is silent for minutes while the model writes a file.
  const silentMs = isOllama(baseUrl) ? defaultIdleTimeouts.first : undefined;
  const fetch = send ?? createModelFetch({ idleTimeout: idleTimeout ?? silentMs, type: types, transform });
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
    result: { format: () => compat.resultFormat ?? formatOfHost(baseUrl) },
    contextWindow: async (inputTokens) => contextWindow?.(inputTokens),
    endpoint: {
      provider: "openai-compatible",
      address: baseUrl,
      model,
      api: "an OpenAI-compatible chat completions API",
      credentials: "the API key that the organization's model configuration names",
      secrets: () => (apiKey === undefined ? [] : [apiKey]),
    },
  };
}
