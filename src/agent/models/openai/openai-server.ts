import { APICallError } from "@ai-sdk/provider";
import type { OpenAiCompat } from "../../model.ts";
import type { ProviderAdapter } from "../provider-adapter.ts";
import { acceptedCallIds } from "../call-ids.ts";
import type { ModelResponse, SendRequest } from "../errors/http-client.ts";
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
  /** Sends the requests. Default: `createModelClient`. */
  send?: SendRequest;
}

/**
 * Media types of responses. Some servers label a stream text/plain, others send one JSON body. HTML means that the base URL
 * is wrong.
 */
export const responseTypes = /event-stream|text\/plain|octet-stream|json/;

/** Sends a request to a path of the API. Resolves when the response begins. Rejects if it is an error. */
export async function postJson(
  { baseUrl, apiKey, send }: OpenAiServer & { send: SendRequest },
  path: string,
  request: object,
  signal: AbortSignal | undefined,
): Promise<ModelResponse> {
  const url = `${baseUrl.replace(/\/+$/, "")}${path}`;
  const response = await send(url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
    },
    body: JSON.stringify(request),
    ...(signal && { signal }),
  });
  if (response.ok) return response;
  const { status: statusCode, statusText, headers } = response;
  const body: Uint8Array[] = [];
  for await (const chunk of response.chunks) body.push(chunk);
  throw new APICallError({
    message: statusText || `HTTP status ${statusCode}`,
    url,
    requestBodyValues: request,
    statusCode,
    responseHeaders: Object.fromEntries(headers),
    responseBody: Buffer.concat(body).toString(),
  });
}

/** The parts of an adapter that are the same for all APIs of OpenAI. */
export function serverParts(
  { baseUrl, model, apiKey, compat }: OpenAiServer,
  names: { provider: "openai-compatible" | "openai-responses"; api: string },
): Pick<ProviderAdapter, "callIds" | "result" | "endpoint"> {
  return {
    callIds: acceptedCallIds[names.provider],
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
