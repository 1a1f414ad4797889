import { jsonSchema, streamText, type ToolSet, tool, wrapLanguageModel } from "ai";
import type { Attachment, Model, ModelAnswer, ModelOutcome, ModelRequest, ToolCall } from "../model.ts";
import { deepest, tooDeepAt, wellFormed } from "../json.ts";
import { type Shown, showAttachments } from "./attachments.ts";
import { echoOf, toModelMessages } from "./conversation.ts";
import { BrokenOff, type Endpoint, modelFailure } from "./failures.ts";
import { soundToolCalls } from "./sound-calls.ts";

type StreamTextOptions = Parameters<typeof streamText>[0];

/** A model of one provider: the library's side of it, and what is said of it when a call fails. */
export interface Streamed {
  languageModel: Parameters<typeof wrapLanguageModel>[0]["model"];
  endpoint: Endpoint;
  /** The provider refuses tool calls in the conversation of a request without tools. */
  callsNeedTools?: true;
  /** Options of the provider for a request that may be one of many, such as to cache what they have in common. */
  optionsWithTools?: NonNullable<StreamTextOptions["providerOptions"]>;
}

// The library prints warnings about requests to the console otherwise.
(globalThis as { AI_SDK_LOG_WARNINGS?: false }).AI_SDK_LOG_WARNINGS = false;

/**
 * One streamed call per request, so that a long answer does not run into an idle time-out and an abort closes the
 * connection at once. A model that refuses a request with files is asked once more, and from then on, with a sentence
 * in the place of each of them.
 */
export function streamedModel(streamed: Streamed): Model {
  let blind = false;
  const call = async (request: ModelRequest, shown: Map<Attachment, Shown>): Promise<ModelOutcome> => {
    try {
      return { answer: await answerTo(request, shown, streamed) };
    } catch (error) {
      request.signal.throwIfAborted();
      return modelFailure(error, streamed.endpoint);
    }
  };
  return async (request) => {
    request.signal.throwIfAborted();
    const { messages, readAttachment } = request;
    const shown = await showAttachments(messages, readAttachment, blind);
    const outcome = await call(request, shown);
    const files = [...shown.values()].some((content) => typeof content !== "string");
    if (!files || !("failure" in outcome) || outcome.failure.category !== "model_refused") return outcome;
    const unseen = await call(request, await showAttachments(messages, readAttachment, true));
    blind = "answer" in unseen;
    return blind ? unseen : outcome;
  };
}

async function answerTo(
  { instructions, messages, tools, parameters = {}, signal }: ModelRequest,
  shown: Map<Attachment, Shown>,
  { languageModel, endpoint, callsNeedTools, optionsWithTools }: Streamed,
): Promise<ModelAnswer> {
  // Tools without `execute`: one model call, whose tool calls are ours to run.
  const toolSet: ToolSet = Object.fromEntries(
    tools.map(({ name, description, input }) => [name, tool({ description, inputSchema: jsonSchema(input) })]),
  );
  const withTools = tools.length > 0;
  const origin = `${endpoint.provider} ${endpoint.model}`;
  const callsAsText = callsNeedTools === true && !withTools;
  const { temperature, maxOutputTokens, reasoningEffort } = parameters;
  const result = streamText({
    model: wrapLanguageModel({ model: languageModel, middleware: soundToolCalls }),
    messages: toModelMessages(messages, { origin, shown, callsAsText }),
    maxRetries: 0,
    abortSignal: signal,
    onError: () => {}, // printed to the console otherwise; the stream holds it, too
    ...(instructions !== "" && { instructions: instructions.toWellFormed() }),
    ...(withTools && { tools: toolSet }),
    ...(withTools && optionsWithTools && { providerOptions: optionsWithTools }),
    ...(temperature !== undefined && { temperature }),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    ...(reasoningEffort !== undefined && { reasoning: reasoningEffort }),
  });
  const { answer, rawReason } = await read(result.stream, tools);
  signal.throwIfAborted();
  // Two of the providers' streams end without an error when the connection does.
  if (rawReason === undefined) throw new BrokenOff();
  // What the model said before a call that Bedrock could not make out is no answer; it is asked again, as after none.
  if (rawReason.startsWith("malformed_")) return { ...answer, text: "", toolCalls: [] };
  const echo = echoOf(origin, await result.responseMessages);
  return { ...wellFormed(answer), ...(echo && { echo }) };
}

/** The answer as far as the stream went. `rawReason`: why it ended, in the provider's words; undefined when it did not. */
async function read(
  stream: ReturnType<typeof streamText>["stream"],
  tools: ModelRequest["tools"],
): Promise<{ answer: ModelAnswer; rawReason: string | undefined }> {
  const usage = { inputTokens: 0, outputTokens: 0 };
  const answer: ModelAnswer = { text: "", toolCalls: [], finishReason: "other", usage };
  const invalid: { call: ToolCall; reason: string }[] = [];
  let rawReason: string | undefined;
  for await (const part of stream) {
    if (part.type === "error") throw part.error;
    if (part.type === "text-delta") answer.text += part.text;
    if (part.type === "tool-call") {
      const call: ToolCall = { id: part.toolCallId, name: part.toolName, input: part.input ?? {} };
      answer.toolCalls.push(call);
      if (part.invalid) invalid.push({ call, reason: invalidCall(call, tools) });
    }
    if (part.type === "finish-step") {
      rawReason = part.rawFinishReason;
      answer.finishReason = finishReason(part.finishReason, rawReason);
      answer.usage = usageOf(part.usage);
    }
  }
  const cut = answer.finishReason === "length" ? " The answer was cut at its longest; write less." : "";
  for (const { call, reason } of invalid) call.invalid = reason + cut;
  return { answer, rawReason };
}

function usageOf({
  inputTokens = 0,
  outputTokens = 0,
  inputTokenDetails,
  outputTokenDetails,
}: {
  inputTokens: number | undefined;
  outputTokens: number | undefined;
  inputTokenDetails: { cacheReadTokens: number | undefined; cacheWriteTokens: number | undefined };
  outputTokenDetails: { reasoningTokens: number | undefined };
}): ModelAnswer["usage"] {
  const { cacheReadTokens, cacheWriteTokens } = inputTokenDetails;
  const { reasoningTokens } = outputTokenDetails;
  return {
    inputTokens: counted(inputTokens),
    outputTokens: counted(outputTokens),
    ...(cacheReadTokens && { cachedInputTokens: counted(cacheReadTokens) }),
    ...(cacheWriteTokens && { cacheWriteInputTokens: counted(cacheWriteTokens) }),
    ...(reasoningTokens && { reasoningTokens: counted(reasoningTokens) }),
  };
}

/** A server's count as one that limits can rely on: no call gives tokens back, or has more of them than any window. */
function counted(tokens: number): number {
  return Math.min(Math.max(0, Math.round(tokens) || 0), 1_000_000_000);
}

function invalidCall({ name, input }: ToolCall, tools: ModelRequest["tools"]): string {
  const known = tools.find((each) => each.name === name);
  if (!known) {
    const names = tools.map((each) => each.name).join(", ") || "none";
    return `There is no tool ${JSON.stringify(name)}. Tools that can be used: ${names}.`;
  }
  const text = typeof input === "string" ? input : JSON.stringify(input);
  const wrong = tooDeepAt(text) === undefined ? "are not valid JSON" : `are nested more than ${deepest} levels deep`;
  return `The arguments of ${name} ${wrong}. Received: ${text.slice(0, 200)}. Accepted: ${JSON.stringify(known.input)}.`;
}

function finishReason(reason: string, raw: string | undefined): ModelAnswer["finishReason"] {
  if (raw === "model_context_window_exceeded") return "length";
  const known = ["stop", "tool-calls", "length", "content-filter"] as const;
  return known.find((each) => each === reason) ?? "other";
}
