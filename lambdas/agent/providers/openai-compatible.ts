import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { APICallError, type LanguageModelMiddleware, simulateStreamingMiddleware, wrapLanguageModel } from "ai";
import type { Model } from "../model.ts";
import { modelFetch } from "./model-fetch.ts";
import { streamedModel } from "./streamed.ts";
import { asStream } from "./whole-answer.ts";

export interface OpenAiCompatible {
  /** Such as `http://127.0.0.1:11434/v1`. */
  baseUrl: string;
  model: string;
  apiKey?: string;
  /** Milliseconds without a byte after which the server is given up. */
  silence?: number;
}

/** A model behind an OpenAI-compatible chat completions server (OpenAI, vLLM, Ollama, LM Studio and others). */
export function openAiCompatible({ baseUrl, model, apiKey, silence }: OpenAiCompatible): Model {
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
  return streamedModel({
    languageModel: wrapLanguageModel({ model: provider(model), middleware: wholeWhenNotStreamed() }),
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
function wholeWhenNotStreamed(): LanguageModelMiddleware {
  const simulate = simulateStreamingMiddleware().wrapStream;
  let whole = false;
  return {
    specificationVersion: "v4",
    async wrapStream(call) {
      try {
        if (!whole || !simulate) return await call.doStream();
      } catch (error) {
        const refused = APICallError.isInstance(error) && [400, 405, 422, 501].includes(error.statusCode ?? 0);
        if (!simulate || !refused || !/\bstream/i.test(error.message)) throw error;
      }
      const answer = await simulate(call);
      whole = true;
      return answer;
    },
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
