import { compatSettings, type ModelConfiguration, type ModelRequest, type RequestForm } from "../model.ts";
import { withOutputLimit } from "./ai-sdk-model.ts";
import { callOptions } from "./call-options.ts";
import type { ProviderAdapter } from "./provider-adapter.ts";
import { loadAttachments } from "./attachments.ts";
import { formRequest } from "./openai/result-format.ts";

/** An HTTP request to a provider. */
export interface WireRequest {
  url: string;
  /** In place of the key is a variable of a shell, as in `Bearer $MODEL_API_KEY`. */
  headers: Record<string, string>;
  body: string;
}

/**
 * The HTTP request that a provider is sent for a model request, without sending it. `model` replaces that of the
 * configuration. Undefined: the provider has no server.
 */
export async function wireRequest(
  configuration: ModelConfiguration,
  model: string | undefined,
  request: Omit<ModelRequest, "signal">,
  form: RequestForm,
): Promise<WireRequest | undefined> {
  const captured: WireRequest[] = [];
  const capture = async (input: string | URL | Request, { headers, body }: RequestInit = {}): Promise<never> => {
    const url = input instanceof Request ? input.url : String(input);
    captured.push({
      url,
      headers: Object.fromEntries(new Headers(headers)),
      body: typeof body === "string" ? body : new TextDecoder().decode(body as Uint8Array),
    });
    throw new NotSent();
  };
  const adapter = await adapterOf(configuration, model, form, capture);
  if (!adapter) return undefined;
  const readAttachment = form.withoutFiles === true ? undefined : request.readAttachment;
  const attachments = await loadAttachments(request.messages, readAttachment, form.imageLimit);
  const { signal } = new AbortController();
  const formed = formRequest({ ...withOutputLimit(request, form), signal }, form.resultFormat);
  const callsAsText = form.callsAsText ?? (adapter.toolCallsNeedTools === true && formed.tools.length === 0);
  const options = callOptions(formed, attachments, adapter, callsAsText);
  await adapter.call(options).catch((error: unknown) => {
    if (captured.length === 0) throw error;
  });
  return captured[0];
}

class NotSent extends Error {
  constructor() {
    super("the request is only described");
    this.name = "NotSent";
  }
}

async function adapterOf(
  configuration: ModelConfiguration,
  chosen: string | undefined,
  { compat, withoutCachePoints }: RequestForm,
  capture: (input: string | URL | Request, init?: RequestInit) => Promise<never>,
): Promise<ProviderAdapter | undefined> {
  switch (configuration.provider) {
    case "demo":
      return undefined;
    case "openai-compatible":
    case "openai-responses": {
      const { provider, baseUrl, secret } = configuration;
      const server = {
        baseUrl,
        model: chosen ?? configuration.model,
        compat: compat ? { ...defaultCompat, ...compat } : { ...configuration.compat },
        send: capture,
        ...(secret !== undefined && { apiKey: "$MODEL_API_KEY" }),
      };
      return provider === "openai-compatible"
        ? (await import("./openai/openai-compatible.ts")).openAiCompatibleAdapter(server)
        : (await import("./openai/openai-responses.ts")).openAiResponsesAdapter(server);
    }
    case "anthropic": {
      const { anthropicAdapter } = await import("./anthropic.ts");
      const { baseUrl } = configuration;
      const model = chosen ?? configuration.model;
      return anthropicAdapter({
        model,
        apiKey: "$MODEL_API_KEY",
        fetch: capture,
        ...(baseUrl !== undefined && { baseUrl }),
      });
    }
    case "bedrock": {
      const { bedrockAdapter } = await import("./bedrock.ts");
      const { baseUrl, region } = configuration;
      return bedrockAdapter({
        model: chosen ?? configuration.model,
        region,
        apiKey: "$AWS_BEARER_TOKEN_BEDROCK", // the service signs its requests instead
        fetch: capture,
        ...(baseUrl !== undefined && { baseUrl }),
        ...(withoutCachePoints === true && { cachePoints: false }),
      });
    }
  }
}

/** The settings of a server that differs in nothing. They replace those by which a server's host is recognized. */
const defaultCompat = Object.fromEntries(Object.entries(compatSettings).map(([name, [first]]) => [name, first]));
