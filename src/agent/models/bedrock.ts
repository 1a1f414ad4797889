import { createAmazonBedrock } from "@ai-sdk/amazon-bedrock";
import { APICallError, type LanguageModelV4Prompt } from "@ai-sdk/provider";
import type { Model } from "../model.ts";
import { modelFetch } from "./http-client.ts";
import { type ProviderAdapter, modelFactory, streamingCall } from "./ai-sdk-model.ts";

export interface Bedrock {
  /** Model or inference profile, by id or ARN. */
  model: string;
  /** AWS region, such as `eu-central-1`. */
  region: string;
  /** Another address than the region's, such as that of a VPC endpoint. */
  baseUrl?: string;
  /** Milliseconds without a byte after which the server is given up. */
  silence?: number;
}

/**
 * Models on Amazon Bedrock, by the Converse API. Requests are signed with the AWS credentials of the process's
 * environment, or carry its Bedrock API key (`AWS_BEARER_TOKEN_BEDROCK`).
 */
export function bedrock({ model, region, baseUrl, silence }: Bedrock): () => Model {
  const carried = new Set<string>();
  const send = modelFetch({ silence, type: /vnd\.amazon\.eventstream/ });
  const provider = createAmazonBedrock({
    region,
    ...(baseUrl !== undefined && { baseURL: baseUrl }),
    fetch: (input, init) => {
      // A refused signature is answered with the headers it was made of, the session token among them.
      const headers = new Headers(init?.headers);
      const token = headers.get("x-amz-security-token") ?? headers.get("authorization")?.replace(/^Bearer /, "");
      if (token) carried.add(token);
      return send(input, init);
    },
  });
  return modelFactory({
    call: takesCachePoints(model) ? withCachePoints(streamingCall(provider(model))) : streamingCall(provider(model)),
    endpoint: {
      provider: "bedrock",
      address: baseUrl ?? `Amazon Bedrock in ${region}`,
      model,
      api: "Bedrock's Converse API",
      credentials:
        "that the AWS credentials of the process may call bedrock:InvokeModelWithResponseStream for the model, and " +
        "that the account has access to the model in its region",
      secrets: () => [...carried],
    },
    toolCallsNeedTools: true,
  });
}

/**
 * Whether Bedrock documents prompt caching for a model; others answer a request with cache points by an error. Of an
 * application inference profile's ARN it can't be told.
 * https://docs.aws.amazon.com/bedrock/latest/userguide/prompt-caching.html
 */
function takesCachePoints(model: string): boolean {
  return /\b(anthropic\.claude-(3-7-sonnet|3-5-haiku|(opus|sonnet|haiku)-\d)|amazon\.nova-(micro|lite|pro|premier|2-))/.test(
    model,
  );
}

/**
 * A step resends the conversation of the step before; from the cache it costs a tenth. A prefix below a model's least
 * is not cached, without an error. A model that refuses cache points all the same is asked without them from then on.
 */
function withCachePoints(call: ProviderAdapter["call"]): ProviderAdapter["call"] {
  let refused = false;
  return async (options) => {
    // Without tools it is a turn's last call.
    if (refused || !options.tools?.length) return call(options);
    try {
      return await call({ ...options, prompt: cached(options.prompt) });
    } catch (error) {
      if (!refusesCachePoints(error)) throw error;
      refused = true;
      return call(options);
    }
  };
}

/** With points after the instructions and after the last message. Not among the tools, where Nova takes none. */
function cached(prompt: LanguageModelV4Prompt): LanguageModelV4Prompt {
  const providerOptions = { bedrock: { cachePoint: { type: "default" } } };
  const last = prompt.length - 1;
  return prompt.map((message, index) =>
    message.role === "system" || index === last ? { ...message, providerOptions } : message,
  );
}

/** "extraneous key [cachePoint] is not permitted", "your request did not allow prompt caching". */
function refusesCachePoints(error: unknown): boolean {
  return APICallError.isInstance(error) && [400, 403].includes(error.statusCode ?? 0) && /cach/i.test(error.message);
}
