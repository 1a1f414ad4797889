import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { APICallError, type LanguageModelV4 } from "@ai-sdk/provider";
import type { Model } from "../model.ts";
import { partsOf } from "./answer.ts";
import { modelFetch } from "./model-fetch.ts";
import { type Streamed, streamedModels, streamOf } from "./streamed.ts";
import { asStream } from "./whole-answer.ts";

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
  // Some servers stream as plain text, and some answer with a whole answer or an error, but a page is neither.
  const types = /event-stream|text\/plain|octet-stream|json/;
  const streamed = modelFetch({ silence, type: types, last: /\ndata: ?\[DONE\]\r?\n/ });
  const whole = modelFetch({ silence, type: /json|text\/plain/ });
  const provider = createOpenAICompatible({
    name: "openai-compatible",
    baseURL: baseUrl,
    includeUsage: true,
    fetch: async (input, init) => (isStreamed(init) ? asStream(await streamed(input, init)) : whole(input, init)),
    ...(apiKey !== undefined && { apiKey }),
    ...(isOpenAi(baseUrl) && { transformRequestBody: renamed }),
  });
  return streamedModels({
    call: wholeWhenNotStreamed(provider(model)),
    endpoint: {
      provider: "openai-compatible",
      address: baseUrl,
      model,
      wire: "an OpenAI-compatible chat completions API",
      credentials: "the API key that the organization's model configuration names",
      secrets: () => (apiKey === undefined ? [] : [apiKey]),
    },
  });
}

/** Asks for the whole answer at once where the server refuses to stream, from the first refusal on. */
function wholeWhenNotStreamed(model: LanguageModelV4): Streamed["call"] {
  const stream = streamOf(model);
  let whole = false;
  return async (options) => {
    try {
      if (!whole) return await stream(options);
    } catch (error) {
      const refused = APICallError.isInstance(error) && [400, 405, 422, 501].includes(error.statusCode ?? 0);
      if (!refused || !/\bstream/i.test(error.message)) throw error;
    }
    const parts = partsOf(await model.doGenerate(options));
    whole = true;
    return parts;
  };
}

function isStreamed(init: RequestInit | undefined): boolean {
  return typeof init?.body === "string" && init.body.includes('"stream":true');
}

function isOpenAi(baseUrl: string): boolean {
  return /(^|\.)(openai\.com|openai\.azure\.com)$/.test(URL.parse(baseUrl)?.hostname ?? "");
}

/** OpenAI's reasoning models refuse `max_tokens`; other servers may not know the name that replaced it. */
function renamed({ max_tokens, ...body }: Record<string, unknown>): Record<string, unknown> {
  return max_tokens === undefined ? body : { ...body, max_completion_tokens: max_tokens };
}
