import { createAnthropic } from "@ai-sdk/anthropic";
import type { Model } from "../model.ts";
import { normalizeEvents } from "./anthropic-stream.ts";
import { modelFetch } from "./http-client.ts";
import { modelFactory, streamingCall } from "./ai-sdk-model.ts";

export interface Anthropic {
  model: string;
  apiKey: string;
  /** Of another server that speaks the Messages API. */
  baseUrl?: string;
  /** Milliseconds without a byte after which the server is given up. */
  silence?: number;
}

/** Models behind Anthropic's Messages API. Reasoning effort becomes a thinking budget or an effort, by the model. */
export function anthropic({
  model,
  apiKey,
  baseUrl = "https://api.anthropic.com/v1",
  silence,
}: Anthropic): () => Model {
  const last = /\nevent: ?message_stop\r?\ndata:[^\n]*\n\r?\n/;
  const send = modelFetch({ silence, type: /event-stream/, last, read: normalizeEvents });
  const provider = createAnthropic({ baseURL: baseUrl, apiKey, fetch: send });
  return modelFactory({
    call: streamingCall(provider(model)),
    endpoint: {
      provider: "anthropic",
      address: baseUrl,
      model,
      api: "Anthropic's Messages API",
      credentials: "the API key that the organization's model configuration names",
      secrets: () => [apiKey],
    },
    toolCallsNeedTools: true,
    // A step resends the conversation of the step before; from the cache it costs a tenth.
    optionsWithTools: { anthropic: { cacheControl: { type: "ephemeral" } } },
  });
}
