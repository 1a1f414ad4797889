import { randomUUID } from "node:crypto";
import type {
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4ReasoningPart,
  LanguageModelV4StreamPart,
  LanguageModelV4TextPart,
  LanguageModelV4Usage,
  SharedV4ProviderMetadata,
} from "@ai-sdk/provider";
import { maxDepth, isObject, tooDeepAt } from "../../json.ts";
import type { ModelAnswer, ModelRequest, ToolCall } from "../model.ts";
import { fieldsOfMessage } from "./reasoning-details.ts";
import { unknownTool } from "../tools/tool.ts";

/** What a provider makes of an answer, part by part. */
export type AnswerParts = AsyncIterable<LanguageModelV4StreamPart>;

/** An answer in its provider's own form, with reasoning and signatures. */
export type AnswerContent = Extract<LanguageModelV4Message, { role: "assistant" }>["content"];

type CallPart = Extract<LanguageModelV4StreamPart, { type: "tool-call" }>;
type TextPart = Extract<LanguageModelV4StreamPart, { type: `${"text" | "reasoning"}-${"start" | "delta" | "end"}` }>;
type Text = LanguageModelV4TextPart | LanguageModelV4ReasoningPart;

/** Calls of one answer that are taken: each has its records, and an answer of 64 MB has room for 400,000. */
const maxCalls = 1_000;
/** Characters of ids and names that are kept as they are: of the providers' none is longer. */
const maxCharacters = 256;

/**
 * `content`: what goes back to the provider, and `fields` of the message around it. `rawReason`: why the answer ended, in
 * the provider's words; undefined when it did not.
 */
interface ReadAnswer {
  answer: ModelAnswer;
  content: AnswerContent;
  fields: SharedV4ProviderMetadata | undefined;
  rawReason: string | undefined;
}

/**
 * Reads the answer to `prompt`, as far as its parts go. A call that can't be made is part of the answer and says why; calls beyond 1,000 are left out.
 * Rejects with what the parts reject with, and with an error that is one of them.
 */
export async function readAnswer(
  parts: AnswerParts,
  prompt: LanguageModelV4Prompt,
  tools: ModelRequest["tools"],
): Promise<ReadAnswer> {
  const usage = { inputTokens: 0, outputTokens: 0 };
  const answer: ModelAnswer = { text: "", toolCalls: [], finishReason: "other", usage };
  const content: AnswerContent = [];
  const open = new Map<string, Text>();
  const taken = callIds(prompt);
  let rawReason: string | undefined;
  let fields: SharedV4ProviderMetadata | undefined;
  for await (const part of parts) {
    if (part.type === "error") throw part.error;
    if (isText(part)) addText(content, open, part);
    if (part.type === "text-delta") answer.text += part.delta;
    if (part.type === "tool-call" && answer.toolCalls.length < maxCalls) addCall(answer, content, part, taken, tools);
    if (part.type === "finish") {
      rawReason = part.finishReason.raw;
      fields = fieldsOfMessage(part.providerMetadata);
      answer.finishReason = finishReason(part.finishReason.unified, rawReason);
      answer.usage = usageOf(part.usage);
    }
  }
  answer.text = withoutThoughts(answer.text, answer.finishReason === "length");
  const cut = answer.finishReason === "length" ? " The answer was cut at its longest; write less." : "";
  for (const call of answer.toolCalls) if (call.invalid !== undefined) call.invalid += cut;
  return { answer, content: content.filter((part) => !isNothing(part)), rawReason, fields };
}

const thoughts = { begin: "<think>", end: "</think>" };

/**
 * What a model says after its reasoning, where its server does not tell them apart. The reasoning goes back to the model
 * as it came: some want it, and templates of others leave it out.
 */
function withoutThoughts(text: string, cut: boolean): string {
  const said = text.trimStart();
  if (!said.startsWith(thoughts.begin)) return text;
  const end = said.indexOf(thoughts.end);
  if (end === -1) return cut ? "" : text;
  return said.slice(end + thoughts.end.length).trimStart();
}

function isText(part: LanguageModelV4StreamPart): part is TextPart {
  return /^(text|reasoning)-(start|delta|end)$/.test(part.type);
}

/** Adds to the text, or the reasoning, that a part goes on with. */
function addText(content: AnswerContent, open: Map<string, Text>, part: TextPart): void {
  const type = part.type.startsWith("text") ? "text" : "reasoning";
  const key = `${type} ${part.id}`;
  const begun = part.type.endsWith("start") ? undefined : open.get(key);
  const text: Text = begun ?? { type, text: "" };
  if (!begun) {
    open.set(key, text);
    content.push(text);
  }
  if ("delta" in part) text.text += part.delta;
  if (part.providerMetadata) text.providerOptions = part.providerMetadata; // signatures come with the last part
}

/** Many servers refuse an empty text when it is sent back, Anthropic and Bedrock also one of blanks. */
function isNothing(part: AnswerContent[number]): boolean {
  if (part.type !== "text" && part.type !== "reasoning") return false;
  return (part.type === "text" ? part.text.trim() : part.text) === "" && !part.providerOptions;
}

/**
 * Adds a call as it can be handled: an id that is missing, or that the conversation has already, is replaced, because a
 * conversation with two of them is refused; arguments that are nested too deep end where they get so, before anything
 * walks them, and are malformed then like any others.
 */
function addCall(
  answer: ModelAnswer,
  content: AnswerContent,
  { toolCallId, toolName, input: sent, providerMetadata }: CallPart,
  taken: Set<string>,
  tools: ModelRequest["tools"],
): void {
  const usable = toolCallId !== "" && toolCallId.length <= maxCharacters && !taken.has(toolCallId);
  const id = usable ? toolCallId : `call_${randomUUID()}`;
  taken.add(id);
  const name = toolName.slice(0, maxCharacters);
  const text = sent.slice(0, tooDeepAt(sent));
  const parsed = parse(text);
  const call: ToolCall = { id, name, input: parsed ? parsed.value : text };
  const reason = invalidity(name, text, parsed !== undefined, tools);
  if (reason !== undefined) call.invalid = reason;
  answer.toolCalls.push(call);
  content.push({
    type: "tool-call",
    toolCallId: id,
    toolName: name,
    input: parsed ? parsed.value : {},
    ...(providerMetadata && { providerOptions: providerMetadata }),
  });
}

/** Calls without arguments come as nothing or null from some servers, and arguments as JSON within JSON. */
function parse(json: string): { value: unknown } | undefined {
  if (json.trim() === "") return { value: {} };
  try {
    const value: unknown = JSON.parse(json);
    if (value === null) return { value: {} };
    const within = typeof value === "string" && tooDeepAt(value) === undefined ? parse(value)?.value : undefined;
    return { value: isObject(within) ? within : value };
  } catch {
    return undefined;
  }
}

/** Why a call can't be made, for the model. */
function invalidity(name: string, input: string, parsed: boolean, tools: ModelRequest["tools"]): string | undefined {
  const known = tools.find((each) => each.name === name);
  if (!known) return unknownTool(name, tools);
  if (parsed) return undefined;
  const wrong = tooDeepAt(input) === undefined ? "are not valid JSON" : `are nested more than ${maxDepth} levels deep`;
  return `The arguments of ${name} ${wrong}. Received: ${input.slice(0, 200)}. Accepted: ${JSON.stringify(known.input)}.`;
}

function callIds(prompt: LanguageModelV4Prompt): Set<string> {
  const parts = prompt.flatMap((message) => (message.role === "assistant" ? message.content : []));
  return new Set(parts.flatMap((part) => (part.type === "tool-call" ? part.toolCallId : [])));
}

function usageOf({ inputTokens, outputTokens }: LanguageModelV4Usage): ModelAnswer["usage"] {
  const { cacheRead, cacheWrite } = inputTokens;
  const { reasoning } = outputTokens;
  return {
    inputTokens: counted(inputTokens.total),
    outputTokens: counted(outputTokens.total),
    ...(cacheRead && { cachedInputTokens: counted(cacheRead) }),
    ...(cacheWrite && { cacheWriteInputTokens: counted(cacheWrite) }),
    ...(reasoning && { reasoningTokens: counted(reasoning) }),
  };
}

/** A server's count as one that limits can rely on: no call gives tokens back, or has more of them than any window. */
function counted(tokens = 0): number {
  return Math.min(Math.max(0, Math.round(tokens) || 0), 1_000_000_000);
}

/** Reasons that a provider's library does not know are told by their words, such as Gemini's `content_filter: SAFETY`. */
function finishReason(reason: string, raw = ""): ModelAnswer["finishReason"] {
  const known = ["stop", "tool-calls", "length", "content-filter"] as const;
  const same = known.find((each) => each === reason);
  if (same) return same;
  if (/length|max_?(output_)?tokens|context_window/i.test(raw)) return "length";
  return /filter|safety|sensitive|prohibited|recitation|blocklist|refusal/i.test(raw) ? "content-filter" : "other";
}
