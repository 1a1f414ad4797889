import type { Model } from "../../model.ts";
import { createModelFactory } from "../ai-sdk-model.ts";
import type { ProviderAdapter } from "../provider-adapter.ts";
import { chatNamespace } from "./chat-calls.ts";
import { chatRequest } from "./chat-request.ts";
import { chatParts } from "./chat-stream.ts";
import { compatCall } from "./compat-call.ts";
import { createModelClient, defaultIdleTimeouts } from "../errors/http-client.ts";
import { isOllama } from "../model-config.ts";
import { askedWindow, ollamaFingerprint } from "../ollama.ts";
import { applyRules, chatRules } from "./openai-compat.ts";
import { type OpenAiServer, postJson, responseTypes, serverParts } from "./openai-server.ts";

/** Models behind an OpenAI-compatible chat completions server: OpenAI, vLLM, Ollama, LM Studio and others. */
export function openAiCompatible(options: OpenAiServer): () => Model {
  return createModelFactory(openAiCompatibleAdapter(options));
}

/**
 * The API is called without the AI SDK's provider for it, whose chain of streams takes twice the processor time for a chunk
 * (`npm run bench -- streams`).
 */
export function openAiCompatibleAdapter(options: OpenAiServer): ProviderAdapter {
  const { baseUrl, model, apiKey, compat = {}, idleTimeout } = options;
  let contextWindow: ReturnType<typeof askedWindow> | undefined;
  const onFingerprint = (fingerprint: unknown): void => {
    if (fingerprint === ollamaFingerprint) contextWindow ??= askedWindow({ baseUrl, model, apiKey });
  };
  // Ollama sends a tool call as a whole: a small machine is silent for minutes while the model writes a file.
  const silentMs = isOllama(baseUrl) ? defaultIdleTimeouts.first : undefined;
  const send = options.send ?? createModelClient({ idleTimeout: idleTimeout ?? silentMs, type: responseTypes });
  return {
    call: compatCall(
      chatRules,
      (rules) => async (call) => {
        const request = applyRules(chatRequest(model, call), rules);
        const response = await postJson({ ...options, send }, "/chat/completions", request, call.abortSignal);
        return chatParts(response, { toolNames: (call.tools ?? []).map(({ name }) => name), onFingerprint });
      },
      { baseUrl, compat },
    ),
    // OpenAI, Groq, Azure and others; each rejects the tiers that it does not have.
    serviceTier: { options: (service_tier) => ({ [chatNamespace]: { service_tier } }) },
    contextWindow: async (inputTokens) => contextWindow?.(inputTokens),
    ...serverParts(options, { provider: "openai-compatible", api: "an OpenAI-compatible chat completions API" }),
  };
}
