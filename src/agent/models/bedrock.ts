import { createAmazonBedrock } from "@ai-sdk/amazon-bedrock";
import { getModelCapabilities, supportsNativeStructuredOutputSchema } from "@ai-sdk/anthropic/internal";
import { APICallError, type LanguageModelV4Prompt } from "@ai-sdk/provider";
import type { Model } from "../model.ts";
import { citesPdf } from "./accepts-pdf.ts";
import { acceptedCallIds } from "./call-ids.ts";
import { setRequestForm } from "./errors/exchange.ts";
import { createModelFetch, defaultIdleTimeouts } from "./errors/http-client.ts";
import { createModelFactory } from "./ai-sdk-model.ts";
import { type ProviderAdapter, streamingCall } from "./provider-adapter.ts";

export interface Bedrock {
  /** Id or ARN of a model or inference profile. */
  model: string;
  /** AWS region, for example `eu-central-1`. */
  region: string;
  /** Replaces the region's URL, for example with a VPC endpoint. */
  baseUrl?: string;
  /** Milliseconds without data after which a call fails. */
  idleTimeout?: number;
  /** Replaces the AWS credentials. */
  apiKey?: string;
  /** Sends the requests. Default: `createModelFetch`. */
  fetch?: typeof fetch;
  /** Marks the instructions and the conversation for the prompt cache. Default: if Bedrock documents it for the model. */
  cachePoints?: boolean;
}

/**
 * Models on Amazon Bedrock, by the Converse API. Requests are signed with the AWS credentials of the process, or use its
 * Bedrock API key (`AWS_BEARER_TOKEN_BEDROCK`).
 */
export function bedrock(options: Bedrock): () => Model {
  return createModelFactory(bedrockAdapter(options));
}

export function bedrockAdapter({
  model,
  region,
  baseUrl,
  idleTimeout,
  apiKey,
  fetch: given,
  cachePoints = supportsCachePoints(model),
}: Bedrock): ProviderAdapter {
  const sentTokens = new Set<string>();
  const send = given ?? createModelFetch({ idleTimeout: idleTimeout ?? silentMs, type: /vnd\.amazon\.eventstream/ });
  const provider = createAmazonBedrock({
    region,
    ...(baseUrl !== undefined && { baseURL: baseUrl }),
    ...(apiKey !== undefined && { apiKey }),
    fetch: (input, init) => {
      // The error for an invalid signature repeats the signed headers, which include the session token.
      const headers = new Headers(init?.headers);
      const token = headers.get("x-amz-security-token") ?? headers.get("authorization")?.replace(/^Bearer /, "");
      if (token) sentTokens.add(token);
      return send(input, init);
    },
  });
  return {
    call: cachePoints ? withCachePoints(streamingCall(provider(model))) : streamingCall(provider(model)),
    endpoint: {
      provider: "bedrock",
      address: baseUrl ?? `Amazon Bedrock in ${region}`,
      model,
      api: "Bedrock's Converse API",
      credentials:
        "that the AWS credentials of the process allow bedrock:InvokeModelWithResponseStream for the model, and " +
        "that the account has access to the model in the region",
      secrets: () => [...sentTokens],
    },
    callIds: acceptedCallIds.bedrock,
    toolCallsNeedTools: true,
    ...(citesPdf(model) && { pagesOptions: { bedrock: { citations: { enabled: true } } } }),
    result: {
      format: (schema) => (supportsNative(model) && supportsNativeStructuredOutputSchema(schema) ? "native" : "tool"),
      nativeOptions: { bedrock: { structuredOutputMode: "outputFormat" } },
    },
    // https://docs.aws.amazon.com/bedrock/latest/userguide/service-tiers-inference.html
    serviceTier: {
      accepted: ["default", "flex", "priority", "reserved"],
      options: (serviceTier) => ({ bedrock: { serviceTier } }),
    },
  };
}

/**
 * Milliseconds. Bedrock sends no pings, and nothing while a model writes a long argument of a tool, such as a file, which
 * arrives as a whole.
 */
const silentMs = defaultIdleTimeouts.first;

/**
 * Whether Bedrock documents prompt caching for a model. Other models reject a request with cache points. The ARN of an
 * application inference profile does not name its model.
 * https://docs.aws.amazon.com/bedrock/latest/userguide/prompt-caching.html
 */
function supportsCachePoints(model: string): boolean {
  return /\b(anthropic\.claude-(3-7-sonnet|3-5-haiku|(opus|sonnet|haiku)-\d)|amazon\.nova-(micro|lite|pro|premier|2-))/.test(
    model,
  );
}

/**
 * Whether a model on Bedrock has Anthropic's output format. The SDK lists newer ones for which Bedrock rejects it, or does not
 * follow it, and keeps that list to itself.
 */
function supportsNative(model: string): boolean {
  const unreliable = /claude-(opus-(4-[78]|5)|fable-5|sonnet-(4-6|5)|haiku-4-5)/;
  return model.includes("anthropic") && !unreliable.test(model) && getModelCapabilities(model).supportsStructuredOutput;
}

/**
 * Adds cache points to requests. Each step resends the conversation, and cached input costs a tenth. Bedrock ignores
 * cache points of prefixes below the model's minimum. After a rejection, requests are sent without cache points.
 */
function withCachePoints(call: ProviderAdapter["call"]): ProviderAdapter["call"] {
  let rejected = false;
  return async (options) => {
    // A request without tools is the last call of its turn.
    if (rejected) setRequestForm({ withoutCachePoints: true });
    if (rejected || !options.tools?.length) return call(options);
    try {
      return await call({ ...options, prompt: addCachePoints(options.prompt) });
    } catch (error) {
      if (!isCachePointRejection(error)) throw error;
      rejected = true;
      setRequestForm({ withoutCachePoints: true });
      return call(options);
    }
  };
}

/** Adds cache points after the instructions and after the last message. Nova rejects them after the tools. */
function addCachePoints(prompt: LanguageModelV4Prompt): LanguageModelV4Prompt {
  const providerOptions = { bedrock: { cachePoint: { type: "default" } } };
  const last = prompt.length - 1;
  return prompt.map((message, index) =>
    message.role === "system" || index === last ? { ...message, providerOptions } : message,
  );
}

/** "extraneous key [cachePoint] is not permitted", "your request did not allow prompt caching". */
function isCachePointRejection(error: unknown): boolean {
  return APICallError.isInstance(error) && [400, 403].includes(error.statusCode ?? 0) && /cach/i.test(error.message);
}
