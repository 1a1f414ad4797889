import type { OpenAiCompat } from "../model.ts";
import type { ProviderAdapter } from "./ai-sdk-model.ts";
import type { Endpoint } from "./model-error.ts";
import { formatOfHost } from "./result-format.ts";

/** A model on a server with an API of OpenAI. */
export interface OpenAiServer {
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

/**
 * Media types of responses. Some servers label a stream text/plain, others send one JSON body. HTML means that the base URL
 * is wrong.
 */
export const responseTypes = /event-stream|text\/plain|octet-stream|json/;

/** The parts of an adapter that are the same for all APIs of OpenAI. */
export function serverParts(
  { baseUrl, model, apiKey, compat }: OpenAiServer,
  names: Pick<Endpoint, "provider" | "api">,
): Pick<ProviderAdapter, "result" | "endpoint"> {
  return {
    result: { format: () => compat?.resultFormat ?? formatOfHost(baseUrl) },
    endpoint: {
      ...names,
      address: baseUrl,
      model,
      credentials: "the API key that the organization's model configuration names",
      secrets: () => (apiKey === undefined ? [] : [apiKey]),
    },
  };
}
