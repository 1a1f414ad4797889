import type { LanguageModelV4, LanguageModelV4CallOptions, SharedV4ProviderOptions } from "@ai-sdk/provider";
import type { ModelEndpoint } from "./errors/model-error.ts";
import type { ResponseParts } from "./errors/parse-response.ts";
import type { ResultFormat } from "./openai/result-format.ts";

/** What distinguishes one provider from another. */
export interface ProviderAdapter {
  /** Makes one model call. Resolves when the response begins. */
  call: (options: LanguageModelV4CallOptions) => Promise<ResponseParts>;
  endpoint: ModelEndpoint;
  /** Context window of the server, after a response with this many input tokens. Never rejects. */
  contextWindow?: (inputTokens: number) => Promise<number | undefined>;
  /** The ids of other models' tool calls that the provider accepts. */
  callIds: RegExp;
  /** The provider rejects tool calls in the conversation of a request without tools. */
  toolCallsNeedTools?: true;
  /** Provider options for a service tier. `accepted`: the provider's tiers; absent: the server decides. */
  serviceTier: { accepted?: readonly string[]; options: (tier: string) => SharedV4ProviderOptions };
  /** Provider options for the key of the provider's prompt cache. */
  cacheKey?: (key: string) => SharedV4ProviderOptions;
  /** Provider options for requests with tools, such as prompt caching: another step may follow. */
  optionsWithTools?: SharedV4ProviderOptions;
  /**
   * Provider options of each PDF whose pages are known, so that the model sees the pages. They exclude the provider's own
   * format of results.
   */
  pagesOptions?: SharedV4ProviderOptions;
  /** How results of a schema are asked for, and provider options for the provider's own format. */
  result: { format: (schema: object) => ResultFormat; nativeOptions?: SharedV4ProviderOptions };
}

/** Streaming calls of a model of the AI SDK. */
export function streamingCall(model: LanguageModelV4): ProviderAdapter["call"] {
  return async (options) => (await model.doStream(options)).stream;
}

/** Provider and model. Reasoning and signatures are sent only to the model that produced them. */
export function originOf({ endpoint }: Pick<ProviderAdapter, "endpoint">): string {
  return `${endpoint.provider} ${endpoint.model}`;
}
