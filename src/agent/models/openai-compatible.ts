import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { APICallError, type LanguageModelV4CallOptions } from "@ai-sdk/provider";
import type { Model } from "../model.ts";
import type { ResponseParts } from "./parse-response.ts";
import { type ChatRequest, type Form, forms, newNameOfBound, whole } from "./openai-compat.ts";
import { normalizeChunks } from "./openai-stream.ts";
import { modelFetch } from "./http-client.ts";
import { reasoningDetails } from "./reasoning-details.ts";
import { readProviderError } from "./provider-error.ts";
import { type ProviderAdapter, modelFactory, streamingCall } from "./ai-sdk-model.ts";

export interface OpenAiCompatible {
  /** Such as `http://127.0.0.1:11434/v1`. */
  baseUrl: string;
  model: string;
  apiKey?: string;
  /** Milliseconds without a byte after which the server is given up. */
  silence?: number;
}

/** Models behind an OpenAI-compatible chat completions server (OpenAI, vLLM, Ollama, LM Studio and others). */
export function openAiCompatible({ baseUrl, model, apiKey, silence }: OpenAiCompatible): () => Model {
  // Some servers label a stream text/plain, some answer with one JSON body; a web page means the base URL is wrong.
  const types = /event-stream|text\/plain|octet-stream|json/;
  const send = modelFetch({ silence, type: types, last: /\ndata: ?\[DONE\]\r?\n/, read: normalizeChunks });
  const callIn = (taken: readonly Form[]): ProviderAdapter["call"] => {
    const provider = createOpenAICompatible({
      name: "openai-compatible",
      baseURL: baseUrl,
      includeUsage: true,
      metadataExtractor: reasoningDetails,
      fetch: send,
      ...(apiKey !== undefined && { apiKey }),
      transformRequestBody: (body) => taken.reduce((request, form) => form.change(request), body as ChatRequest),
    });
    return streamingCall(provider(model));
  };
  return modelFactory({
    call: inTakenForms(callIn, isOpenAi(baseUrl) ? [newNameOfBound] : []),
    endpoint: {
      provider: "openai-compatible",
      address: baseUrl,
      model,
      api: "an OpenAI-compatible chat completions API",
      credentials: "the API key that the organization's model configuration names",
      secrets: () => (apiKey === undefined ? [] : [apiKey]),
    },
  });
}

/** Asks again in other forms where the server refuses one of the request, and from the first answer on at once so. */
function inTakenForms(
  callIn: (taken: readonly Form[]) => ProviderAdapter["call"],
  known: readonly Form[],
): ProviderAdapter["call"] {
  let taken = { forms: known, call: callIn(known) };
  const ask = async (options: LanguageModelV4CallOptions, tried: typeof taken): Promise<ResponseParts> => {
    try {
      const answer = await tried.call(options);
      if (tried.forms.length > taken.forms.length) taken = tried;
      return answer;
    } catch (error) {
      const next = formFor(error, tried.forms);
      if (!next) throw error;
      const more = [...tried.forms, next];
      return ask(options, { forms: more, call: callIn(more) });
    }
  };
  return (options) => ask(options, taken);
}

const refusals = new Set([400, 405, 422, 501]);

/** Which form to try next. Templates of local servers fail with 500 for the roles of messages. */
function formFor(error: unknown, tried: readonly Form[]): Form | undefined {
  if (!APICallError.isInstance(error) || error.statusCode === undefined) return undefined;
  const said = readProviderError(error)?.text ?? "";
  const left = forms.filter((form) => !tried.includes(form) && form.refusal.test(said) && changes(form, error));
  return refusals.has(error.statusCode)
    ? left[0]
    : error.statusCode === 500
      ? left.find((form) => form !== whole)
      : undefined;
}

function changes(form: Form, { requestBodyValues }: APICallError): boolean {
  const request = requestBodyValues as ChatRequest;
  return form.change(request) !== request;
}

function isOpenAi(baseUrl: string): boolean {
  return /(^|\.)(openai\.com|openai\.azure\.com)$/.test(URL.parse(baseUrl)?.hostname ?? "");
}
