import { APICallError } from "@ai-sdk/provider";
import { mappedEvents } from "../../net/sse.ts";
import type { Model, OpenAiCompat } from "../model.ts";
import { createModelFactory, type ProviderAdapter } from "./ai-sdk-model.ts";
import { compatCall } from "./compat-call.ts";
import { createModelFetch, defaultIdleTimeouts } from "./http-client.ts";
import { isOllama } from "./model-config.ts";
import { askedWindow } from "./ollama.ts";
import { applyRules, responsesRules } from "./openai-compat.ts";
import { namespace, responsesRequest } from "./responses-request.ts";
import { normalizeResponse, responseParts } from "./responses-stream.ts";
import { formatOfHost } from "./result-format.ts";

export interface OpenAiResponses {
  /** For example `https://api.openai.com/v1`. */
  baseUrl: string;
  model: string;
  apiKey?: string;
  compat?: OpenAiCompat;
  /** Milliseconds without data after which a call fails. */
  idleTimeout?: number;
  /** Sends the requests. Default: `createModelFetch`. */
  fetch?: typeof fetch;
}

/** Models behind OpenAI's Responses API, also that of other servers. */
export function openAiResponses(options: OpenAiResponses): () => Model {
  return createModelFactory(openAiResponsesAdapter(options));
}

/**
 * The API is called without the AI SDK's provider for it, which leaves out parameters by a table of model names: a service
 * tier, and with it the price; the reasoning effort of models that it does not know; the temperature. It would also add
 * 174 KB to the bundles, most of it for OpenAI's own tools.
 */
export function openAiResponsesAdapter({
  baseUrl,
  model,
  apiKey,
  compat = {},
  idleTimeout,
  fetch: given,
}: OpenAiResponses): ProviderAdapter {
  const types = /event-stream|text\/plain|octet-stream|json/;
  const send =
    given ?? createModelFetch({ idleTimeout: idleTimeout ?? silentMs, type: types, transform: normalizeResponse });
  const url = `${baseUrl.replace(/\/+$/, "")}/responses`;
  return {
    call: compatCall(
      responsesRules,
      (rules) => async (options) => {
        const request = applyRules(responsesRequest(model, options), rules);
        const response = await send(url, {
          method: "POST",
          headers: {
            "content-type": "application/json",
            ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
          },
          body: JSON.stringify(request),
          ...(options.abortSignal && { signal: options.abortSignal }),
        });
        if (!response.ok) throw await errorOf(response, url, request);
        return responseParts(mappedEvents(response.body ?? noBody()));
      },
      { baseUrl, compat },
    ),
    serviceTier: { options: (service_tier) => ({ [namespace]: { service_tier } }) },
    cacheKey: (prompt_cache_key) => ({ [namespace]: { prompt_cache_key } }),
    result: { format: () => compat.resultFormat ?? formatOfHost(baseUrl) },
    ...(isOllama(baseUrl) && { contextWindow: askedWindow({ baseUrl, model, apiKey }) }),
    endpoint: {
      provider: "openai-responses",
      address: baseUrl,
      model,
      api: "a server with OpenAI's Responses API",
      credentials: "the API key that the organization's model configuration names",
      secrets: () => (apiKey === undefined ? [] : [apiKey]),
    },
  };
}

/** Milliseconds. The first event arrives at once, and then nothing while a model thinks whose reasoning is not shown. */
const silentMs = defaultIdleTimeouts.first;

async function errorOf(response: Response, url: string, request: object): Promise<APICallError> {
  const responseBody = await response.text();
  return new APICallError({
    message: response.statusText || `HTTP status ${response.status}`,
    url,
    requestBodyValues: request,
    statusCode: response.status,
    responseHeaders: Object.fromEntries(response.headers),
    responseBody,
  });
}

async function* noBody(): AsyncGenerator<Uint8Array> {}
