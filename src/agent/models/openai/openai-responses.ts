import type { Model } from "../../model.ts";
import { createModelFactory } from "../ai-sdk-model.ts";
import type { ProviderAdapter } from "../provider-adapter.ts";
import { compatCall } from "./compat-call.ts";
import { createModelClient, defaultIdleTimeouts } from "../errors/http-client.ts";
import { isOllama } from "../model-config.ts";
import { askedWindow } from "../ollama.ts";
import { applyRules, responsesRules } from "./openai-compat.ts";
import { type OpenAiServer, postJson, responseTypes, serverParts } from "./openai-server.ts";
import { responsesNamespace, responsesRequest } from "./responses-request.ts";
import { responseParts } from "./responses-stream.ts";

/** Models behind OpenAI's Responses API, of OpenAI and other servers. */
export function openAiResponses(options: OpenAiServer): () => Model {
  return createModelFactory(openAiResponsesAdapter(options));
}

/**
 * The API is called without the AI SDK's provider for it, which leaves out parameters by a table of model names: a service
 * tier, and with it the price; the reasoning effort of models that it does not know; the temperature. It would also add
 * 174 KB to the bundles, most of it for OpenAI's own tools.
 */
export function openAiResponsesAdapter(options: OpenAiServer): ProviderAdapter {
  const { baseUrl, model, apiKey, compat = {}, idleTimeout = silentMs } = options;
  const send = options.send ?? createModelClient({ idleTimeout, type: responseTypes });
  return {
    call: compatCall(
      responsesRules,
      (rules) => async (call) => {
        const request = applyRules(responsesRequest(model, call), rules);
        const response = await postJson({ ...options, send }, "/responses", request, call.abortSignal);
        return responseParts(response);
      },
      { baseUrl, compat },
    ),
    serviceTier: { options: (service_tier) => ({ [responsesNamespace]: { service_tier } }) },
    cacheKey: (prompt_cache_key) => ({ [responsesNamespace]: { prompt_cache_key } }),
    ...(isOllama(baseUrl) && { contextWindow: askedWindow({ baseUrl, model, apiKey }) }),
    ...serverParts(options, { provider: "openai-responses", api: "a server with OpenAI's Responses API" }),
  };
}

/** Milliseconds. The first event arrives at once. Then nothing arrives while a model reasons without showing it. */
const silentMs = defaultIdleTimeouts.first;
