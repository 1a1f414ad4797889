import { randomUUID } from "node:crypto";
import type {
  LanguageModelV4Message,
  LanguageModelV4ReasoningPart,
  LanguageModelV4StreamPart,
  LanguageModelV4TextPart,
  LanguageModelV4Usage,
  SharedV4ProviderMetadata,
} from "@ai-sdk/provider";
import { isObject } from "../../../json.ts";
import type { Message, ModelAnswer, ModelRequest, ReceivedResponse, StopReason } from "../../model.ts";
import { offeredName, readToolCall } from "../read-tool-call.ts";
import { messageFields } from "../openai/reasoning-details.ts";
import { resultTool } from "../openai/result-format.ts";
import { ThinkingTime } from "../openai/thinking-time.ts";
import { joinedReasoning, splitThinking } from "../../reasoning.ts";

/** The AI SDK's stream of one response. */
export type ResponseParts = AsyncIterable<LanguageModelV4StreamPart>;

/** A response in the AI SDK's format, with reasoning and signatures. */
export type ResponseContent = Extract<LanguageModelV4Message, { role: "assistant" }>["content"];

type CallPart = Extract<LanguageModelV4StreamPart, { type: "tool-call" }>;
type TextPart = Extract<LanguageModelV4StreamPart, { type: `${"text" | "reasoning"}-${"start" | "delta" | "end"}` }>;
type Text = LanguageModelV4TextPart | LanguageModelV4ReasoningPart;

/** Tool calls accepted from one response. Each has its own journal entries; a 64 MB response could hold 400,000 calls. */
const maxCalls = 1_000;
/** Characters of ids and reasons. Those of all providers are shorter. */
const maxCharacters = 256;

interface ParsedResponse {
  answer: ModelAnswer;
  /** Sent back to the provider in later steps. */
  content: ResponseContent;
  /** Metadata of the message around `content`. */
  fields: SharedV4ProviderMetadata | undefined;
  /** Without a reason: the stream ended before the response. */
  received: ReceivedResponse;
  /** When the first part of the answer or its reasoning arrived, as `performance.now()`. */
  firstPartAt: number | undefined;
}

/**
 * Reads the response to `messages`. An invalid tool call is part of the answer and says why it is invalid. Tool calls after
 * the first 1,000 are dropped. Rejects when the stream fails or contains an error. `onPart`: called with the
 * characters of each part of the answer. `onText`: called with the text and the reasoning so far when one grows.
 *
 * The arguments of a call of `resultTool` become the answer's text. Beside other calls, it is dropped: the model has not seen
 * their results yet.
 */
export async function readResponse(
  parts: ResponseParts,
  messages: Message[],
  tools: ModelRequest["tools"],
  { onPart, onText }: { onPart?: (characters: number) => void; onText?: ModelRequest["onText"] } = {},
): Promise<ParsedResponse> {
  const usage = { inputTokens: 0, outputTokens: 0 };
  const answer: ModelAnswer = { text: "", toolCalls: [], finishReason: "other", usage };
  const content: ResponseContent = [];
  const openTexts = new Map<string, Text>();
  const usedIds = toolCallIds(messages);
  const received: ReceivedResponse = {};
  let fields: SharedV4ProviderMetadata | undefined;
  let firstPartAt: number | undefined;
  let submitted: string | undefined;
  let reasoning = "";
  let reasoningId: string | undefined;
  const hasResultTool = tools.some(({ name }) => name === resultTool);
  const thinking = new ThinkingTime();
  for await (const part of parts) {
    if (part.type === "error") throw part.error;
    thinking.add(part.type);
    if (contentParts.has(part.type)) {
      firstPartAt ??= performance.now();
      onPart?.("delta" in part ? part.delta.length : 0);
    }
    if (part.type === "response-metadata") addMetadata(received, part);
    if (isText(part)) addText(content, openTexts, part);
    if (part.type === "text-delta") {
      answer.text += part.delta;
      onText?.(answer.text, reasoning);
    }
    if (part.type === "reasoning-delta") {
      if (reasoning !== "" && part.id !== reasoningId) reasoning += "\n\n";
      reasoningId = part.id;
      reasoning += part.delta;
      onText?.(answer.text, reasoning);
    }
    if (part.type === "tool-call" && hasResultTool && offeredName(part.toolName, tools) === resultTool)
      submitted = part.input;
    else if (part.type === "tool-call" && answer.toolCalls.length < maxCalls) {
      addCall(answer, content, part, usedIds, tools);
    }
    if (part.type === "finish") {
      const { raw, unified } = part.finishReason;
      if (raw !== undefined) received.reason = raw.slice(0, maxCharacters);
      fields = messageFields(part.providerMetadata);
      answer.finishReason = toStopReason(unified, raw);
      Object.assign(received, rawUsage(part.usage));
      answer.usage = toTokenUsage(part.usage);
    }
  }
  complete(answer, content, { submitted, thinking });
  return {
    answer,
    content: content.filter((part) => !isEmptyPart(part)),
    received,
    fields,
    firstPartAt,
  };
}

function addMetadata(received: ReceivedResponse, { id, modelId }: { id?: string; modelId?: string }): void {
  if (id) received.id = id.slice(0, maxCharacters);
  if (modelId) received.model = modelId.slice(0, maxCharacters);
}

/** Completes an answer that was read to its end. `submitted`: the arguments of a call of `resultTool`. */
function complete(
  answer: ModelAnswer,
  content: ResponseContent,
  { submitted, thinking }: { submitted: string | undefined; thinking: ThinkingTime },
): void {
  const truncated = answer.finishReason === "length";
  answer.text = splitThinking(answer.text, truncated).text;
  if (joinedReasoning(content, truncated) !== undefined) answer.reasoning = thinking.reasoning;
  if (submitted !== undefined && answer.toolCalls.length === 0) {
    answer.text = submitted;
    content.push({ type: "text", text: submitted });
    if (answer.finishReason === "tool-calls") answer.finishReason = "stop";
  }
  if (!truncated) return;
  for (const call of answer.toolCalls) {
    if (call.invalid !== undefined) call.invalid += " The response was cut off at its maximum length; write less.";
  }
}

/** Stop reasons of a response that a server failure interrupted: OpenRouter, vLLM and SGLang, DeepSeek, Zhipu. */
export const interruptedReason = /^(error|abort|aborted|cancelled|insufficient_system_resource|network_error)$/;

/** Bedrock's `malformed_tool_use` and Gemini's `function_call_filter: MALFORMED_FUNCTION_CALL`. */
export const malformedCallReason = /^malformed_|^function_call_filter/;

const contentParts = new Set<LanguageModelV4StreamPart["type"]>([
  "text-delta",
  "reasoning-start",
  "reasoning-delta",
  "tool-input-start",
  "tool-input-delta",
  "tool-call",
]);

function isText(part: LanguageModelV4StreamPart): part is TextPart {
  return /^(text|reasoning)-(start|delta|end)$/.test(part.type);
}

/** Appends a part to the text or reasoning that it continues. */
function addText(content: ResponseContent, openTexts: Map<string, Text>, part: TextPart): void {
  const type = part.type.startsWith("text") ? "text" : "reasoning";
  const key = `${type} ${part.id}`;
  const opened = part.type.endsWith("start") ? undefined : openTexts.get(key);
  const text: Text = opened ?? { type, text: "" };
  if (!opened) {
    openTexts.set(key, text);
    content.push(text);
  }
  if ("delta" in part) text.text += part.delta;
  if (part.providerMetadata) text.providerOptions = part.providerMetadata; // a signature comes with the last part
}

/** Many servers reject an empty text that is sent back. Anthropic and Bedrock also reject a blank one. */
function isEmptyPart(part: ResponseContent[number]): boolean {
  if (part.type !== "text" && part.type !== "reasoning") return false;
  return (part.type === "text" ? part.text.trim() : part.text) === "" && !part.providerOptions;
}

/** Adds a tool call. A missing or duplicate id is replaced, because providers reject a conversation with duplicate ids. */
function addCall(
  answer: ModelAnswer,
  content: ResponseContent,
  { toolCallId, toolName, input: json, providerMetadata }: CallPart,
  usedIds: Set<string>,
  tools: ModelRequest["tools"],
): void {
  const usable = toolCallId !== "" && toolCallId.length <= maxCharacters && !usedIds.has(toolCallId);
  const id = usable ? toolCallId : `call_${randomUUID()}`;
  usedIds.add(id);
  const { call, sent } = readToolCall({ id, name: toolName, json }, tools);
  answer.toolCalls.push(call);
  content.push({
    type: "tool-call",
    toolCallId: id,
    toolName: call.name,
    input: sent,
    ...(providerMetadata && { providerOptions: providerMetadata }),
  });
}

function toolCallIds(messages: Message[]): Set<string> {
  const calls = messages.flatMap((message) => (message.role === "assistant" ? message.answer.toolCalls : []));
  return new Set(calls.map(({ id }) => id));
}

/** Characters of a provider's usage as JSON. That of OpenRouter, the longest known, has 400. */
const maxUsageCharacters = 2_000;

/** The provider's own usage. */
function rawUsage({ raw: usage }: LanguageModelV4Usage): Pick<ReceivedResponse, "usage"> {
  return isObject(usage) && JSON.stringify(usage).length <= maxUsageCharacters ? { usage } : {};
}

/** Token counts of a provider, in the range that turn limits accept. Beside a negative input, the output is no count either. */
export function toTokenUsage({ inputTokens, outputTokens }: LanguageModelV4Usage): ModelAnswer["usage"] {
  const { cacheRead, cacheWrite } = inputTokens;
  const { reasoning } = outputTokens;
  return {
    inputTokens: toTokenCount(inputTokens.total),
    outputTokens: inputTokens.total !== undefined && inputTokens.total < 0 ? 0 : toTokenCount(outputTokens.total),
    ...(cacheRead && { cachedInputTokens: toTokenCount(cacheRead) }),
    ...(cacheWrite && { cacheWriteInputTokens: toTokenCount(cacheWrite) }),
    ...(reasoning && { reasoningTokens: toTokenCount(reasoning) }),
  };
}

/** Limits a server's token count to the range that any context window can have, so that turn limits can rely on it. */
function toTokenCount(tokens = 0): number {
  return Math.min(Math.max(0, Math.round(tokens) || 0), 1_000_000_000);
}

/** Stop reasons that the AI SDK does not know are matched by text, such as Gemini's `content_filter: SAFETY`. */
function toStopReason(reason: string, raw = ""): StopReason {
  const known = ["stop", "tool-calls", "length", "content-filter"] as const;
  const unified = known.find((each) => each === reason);
  if (unified) return unified;
  if (/length|max_?(output_)?tokens|context_window/i.test(raw)) return "length";
  return /filter|safety|sensitive|prohibited|recitation|blocklist|refusal/i.test(raw) ? "content-filter" : "other";
}
