import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { APICallError } from "@ai-sdk/provider";
import type { Chunks } from "../../net/sse.ts";
import type { Model, OpenAiCompat } from "../model.ts";
import { createModelFactory, type ProviderAdapter, streamingCall } from "./ai-sdk-model.ts";
import { createModelFetch, defaultIdleTimeouts } from "./http-client.ts";
import { isOllama } from "./model-config.ts";
import { setRequestForm } from "./exchange.ts";
import { applyRules, type ChatRequest, type CompatRule, initialRules, findRuleForError } from "./openai-compat.ts";
import { normalizeChunks } from "./openai-stream.ts";
import { readProviderError } from "./provider-error.ts";
import { loadedWindow, ollamaFingerprint } from "./ollama.ts";
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
  let contextWindow: ReturnType<typeof ollamaContextWindow> | undefined;
  const recognize = (fingerprint: unknown): void => {
    if (fingerprint === ollamaFingerprint) contextWindow ??= ollamaContextWindow(server);
  };
  const transform = (chunks: Chunks): Chunks => normalizeChunks(chunks, recognize);
  // Ollama sends a tool call as a whole: a small machine is silent for minutes while the model writes a file.
  const silentMs = isOllama(baseUrl) ? defaultIdleTimeouts.first : undefined;
  const fetch = send ?? createModelFetch({ idleTimeout: idleTimeout ?? silentMs, type: types, transform });
  const callWith = (rules: readonly CompatRule[]): ProviderAdapter["call"] => {
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
    const call = streamingCall(provider(model));
    const form = { compat: Object.fromEntries(rules.map(({ setting, value }) => [setting, value])) };
    return (options) => {
      if (rules.length > 0) setRequestForm(form);
      return call(options);
    };
  };
  return {
    call: withCompatRetries(callWith, initialRules(baseUrl, compat), compat),
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

/** Asks Ollama once, and again after a longer input than the window: then the model was loaded with another window. */
function ollamaContextWindow(server: Parameters<typeof loadedWindow>[0]) {
  let known: Promise<number | undefined> | undefined;
  return async (inputTokens: number): Promise<number | undefined> => {
    const window = await (known ??= loadedWindow(server));
    if (window === undefined || inputTokens <= window) return window;
    return (known = loadedWindow(server));
  };
}

/**
 * Retries a rejected request with the compatibility rule that matches the error, one rule after another. Rules that
 * worked are remembered for as long as the model stays open.
 */
function withCompatRetries(
  callWith: (rules: readonly CompatRule[]) => ProviderAdapter["call"],
  known: readonly CompatRule[],
  compat: OpenAiCompat,
): ProviderAdapter["call"] {
  let remembered = { rules: known, call: callWith(known) };
  return async (options) => {
    let attempt = remembered;
    for (;;) {
      try {
        const response = await attempt.call(options);
        if (attempt.rules.length > remembered.rules.length) remembered = attempt;
        return response;
      } catch (error) {
        const rule = findRule(error, attempt.rules, compat);
        if (!rule) throw error;
        const rules = [...attempt.rules, rule];
        attempt = { rules, call: callWith(rules) };
      }
    }
  };
}

function findRule(error: unknown, applied: readonly CompatRule[], compat: OpenAiCompat): CompatRule | undefined {
  if (!APICallError.isInstance(error) || error.statusCode === undefined) return undefined;
  const text = readProviderError(error)?.text ?? "";
  const request = error.requestBodyValues as ChatRequest;
  return findRuleForError({ status: error.statusCode, text, request }, applied, compat);
}
