import { createAnthropic } from "@ai-sdk/anthropic";
import { getModelCapabilities, supportsNativeStructuredOutputSchema } from "@ai-sdk/anthropic/internal";
import type { Model } from "../model.ts";
import { normalizeEvents } from "./anthropic-stream.ts";
import { acceptedCallIds } from "./call-ids.ts";
import { createModelFetch } from "./errors/http-client.ts";
import { anthropicUrl } from "./model-config.ts";
import { createModelFactory } from "./ai-sdk-model.ts";
import { type ProviderAdapter, streamingCall } from "./provider-adapter.ts";

export interface Anthropic {
  model: string;
  apiKey: string;
  /** URL of another server with the Messages API. */
  baseUrl?: string;
  /** Milliseconds without data after which a call fails. */
  idleTimeout?: number;
  /** Sends the requests. Default: `createModelFetch`. */
  fetch?: typeof fetch;
}

/** Models behind Anthropic's Messages API. The reasoning effort becomes a thinking budget or an effort, by model. */
export function anthropic(options: Anthropic): () => Model {
  return createModelFactory(anthropicAdapter(options));
}

export function anthropicAdapter({
  model,
  apiKey,
  baseUrl = anthropicUrl,
  idleTimeout,
  fetch: send,
}: Anthropic): ProviderAdapter {
  const fetch = send ?? createModelFetch({ idleTimeout, type: /event-stream|json/, transform: normalizeEvents });
  const provider = createAnthropic({ baseURL: baseUrl, apiKey, fetch });
  return {
    call: streamingCall(provider(model)),
    endpoint: {
      provider: "anthropic",
      address: baseUrl,
      model,
      api: "Anthropic's Messages API",
      credentials: "the API key that the organization's model configuration names",
      secrets: () => [apiKey],
    },
    callIds: acceptedCallIds.anthropic,
    toolCallsNeedTools: true,
    // https://docs.claude.com/en/api/service-tiers
    serviceTier: { accepted: ["auto", "standard_only"], options: (serviceTier) => ({ anthropic: { serviceTier } }) },
    result: {
      format: (schema) =>
        getModelCapabilities(model).supportsStructuredOutput && supportsNativeStructuredOutputSchema(schema)
          ? "native"
          : "tool",
      nativeOptions: { anthropic: { structuredOutputMode: "outputFormat" } },
    },
    // Each step resends the conversation. Cached input costs a tenth.
    optionsWithTools: { anthropic: { cacheControl: { type: "ephemeral" } } },
  };
}
