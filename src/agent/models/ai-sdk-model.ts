import type {
  JSONSchema7,
  LanguageModelV4,
  LanguageModelV4CallOptions,
  SharedV4ProviderOptions,
} from "@ai-sdk/provider";
import type { Attachment, Failure, Model, ModelAnswer, ModelOutcome, ModelRequest } from "../model.ts";
import { wellFormed } from "../../json.ts";
import { type AnswerParts, readAnswer } from "./parse-response.ts";
import { type Shown, showAttachments } from "./attachments.ts";
import { echoOf, toPrompt } from "./to-prompt.ts";
import { BrokenOff } from "./connection-errors.ts";
import { type Endpoint, modelFailure } from "./model-error.ts";
import { serverWords } from "./error-message.ts";

/** A model of one provider: the library's side of it, and what is said of it when a call fails. */
export interface Streamed {
  /** Makes one call; resolves when its answer begins. */
  call: (options: LanguageModelV4CallOptions) => Promise<AnswerParts>;
  endpoint: Endpoint;
  /** The provider refuses tool calls in the conversation of a request without tools. */
  callsNeedTools?: true;
  /** Options of the provider for a request that may be one of many, such as to cache what they have in common. */
  optionsWithTools?: SharedV4ProviderOptions;
}

/** Calls of a model of the library's that stream their answers. */
export function streamOf(model: LanguageModelV4): Streamed["call"] {
  return async (options) => (await model.doStream(options)).stream;
}

/**
 * Makes the model of one turn after the other. One streamed call per request, so that a long answer does not run into
 * an idle time-out and an abort closes the connection at once. A model that refuses a request with files is asked once
 * more, and from then on in its turn, with a sentence in the place of each of them; one that refuses tool calls in the
 * conversation of a request without tools, with those told as text.
 */
export function streamedModels(streamed: Streamed): () => Model {
  const ask = async (request: ModelRequest, shown: Map<Attachment, Shown>): Promise<ModelOutcome> => {
    const { callsNeedTools = false } = streamed;
    const withoutTools = request.tools.length === 0;
    const outcome = await askOnce(request, shown, streamed, withoutTools && callsNeedTools);
    const calls = !callsNeedTools && withoutTools && request.messages.some(({ role }) => role === "tool");
    const refused = "failure" in outcome && outcome.failure.category === "model_refused" && !outcome.contextOverflow;
    return calls && refused ? askOnce(request, shown, streamed, true) : outcome;
  };
  return () => {
    let blind = false;
    return async (request) => {
      request.signal.throwIfAborted();
      const { messages, readAttachment } = request;
      const shown = await showAttachments(messages, readAttachment, blind);
      const outcome = await ask(request, shown);
      const files = [...shown.values()].some((content) => typeof content !== "string");
      if (!files || !("failure" in outcome) || !mayBeOfFiles(outcome.failure)) return outcome;
      const unseen = await ask(request, await showAttachments(messages, readAttachment, true));
      blind = "answer" in unseen;
      return blind ? unseen : outcome;
    };
  };
}

async function askOnce(
  request: ModelRequest,
  shown: Map<Attachment, Shown>,
  streamed: Streamed,
  callsAsText: boolean,
): Promise<ModelOutcome> {
  try {
    return { answer: await answerTo(request, shown, streamed, callsAsText) };
  } catch (error) {
    request.signal.throwIfAborted();
    // What the model said before a call that its server could not make out is no answer; it is asked again, as after none.
    const malformed = request.tools.length > 0 && isMalformedCall(error);
    return malformed ? { answer: nothing } : modelFailure(error, streamed.endpoint, request);
  }
}

const nothing: ModelAnswer = {
  text: "",
  toolCalls: [],
  finishReason: "other",
  usage: { inputTokens: 0, outputTokens: 0 },
};

/** Groq's, with status 400 or in the stream. */
function isMalformedCall(error: unknown): boolean {
  return /"code":\s*"tool_use_failed"/.test(serverWords(error)?.said ?? "");
}

/** OpenRouter says 404, and llama.cpp 500, for a model that takes no images. */
function mayBeOfFiles({ category, title }: Failure): boolean {
  return category === "model_refused" || refusesFiles.test(title);
}

const ofFiles = "(image|vision|multimodal|file|pdf|document|content part|content type)";
const not = "(not|n't|un) ?support";
const refusesFiles = new RegExp(`support ${ofFiles}|${not}.*${ofFiles}|${ofFiles}.*${not}`, "i");

async function answerTo(
  { instructions, messages, tools, parameters = {}, signal }: ModelRequest,
  shown: Map<Attachment, Shown>,
  { call, endpoint, optionsWithTools }: Streamed,
  callsAsText: boolean,
): Promise<ModelAnswer> {
  const withTools = tools.length > 0;
  const origin = `${endpoint.provider} ${endpoint.model}`;
  const prompt = toPrompt(instructions, messages, { origin, shown, callsAsText });
  const { temperature, maxOutputTokens, reasoningEffort } = parameters;
  const parts = await call({
    prompt,
    abortSignal: signal,
    ...(withTools && { tools: tools.map(toFunction), toolChoice: { type: "auto" } }),
    ...(withTools && optionsWithTools && { providerOptions: optionsWithTools }),
    ...(temperature !== undefined && { temperature }),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    ...(reasoningEffort !== undefined && { reasoning: reasoningEffort }),
  });
  const { answer, content, fields, rawReason } = await readAnswer(parts, prompt, tools);
  signal.throwIfAborted();
  // Two of the providers' streams end without an error when the connection does.
  if (rawReason === undefined) throw new BrokenOff();
  if (brokenOff.has(rawReason)) throw new BrokenOff(rawReason);
  if (malformedCall.test(rawReason)) return { ...nothing, usage: answer.usage };
  const echo = echoOf(origin, content, fields);
  return { ...wellFormed(answer), ...(echo && { echo }) };
}

/** How servers end an answer that their own trouble cut: OpenRouter, vLLM and SGLang, DeepSeek, Zhipu. */
const brokenOff = new Set(["error", "abort", "aborted", "insufficient_system_resource", "network_error"]);

/** Bedrock's `malformed_tool_use`, Gemini's `function_call_filter: MALFORMED_FUNCTION_CALL`. */
const malformedCall = /^malformed_|^function_call_filter/;

function toFunction({ name, description, input }: ModelRequest["tools"][number]) {
  return { type: "function" as const, name, description, inputSchema: input as JSONSchema7 };
}
