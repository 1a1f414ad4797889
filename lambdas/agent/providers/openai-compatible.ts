import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { InvalidResponseDataError, jsonSchema, type ModelMessage, streamText, type ToolSet, tool } from "ai";
import type { Message, Model, ModelAnswer, ModelRequest, ToolCall } from "../model.ts";
import { BrokenOff, modelFailure } from "./failures.ts";

export interface OpenAiCompatible {
  /** Such as `http://127.0.0.1:11434/v1`. */
  baseUrl: string;
  model: string;
  apiKey?: string;
  fetch?: typeof fetch;
}

/**
 * A model behind an OpenAI-compatible chat completions server (OpenAI, vLLM, Ollama, LM Studio and others). Answers
 * are streamed, so that a long one does not run into an idle time-out and an abort closes the connection at once. A
 * server that sends nothing for 300 seconds is given up by `fetch` itself, as a retryable failure.
 */
export function openAiCompatible({ baseUrl, model, apiKey, fetch }: OpenAiCompatible): Model {
  const provider = createOpenAICompatible({
    name: providerName,
    baseURL: baseUrl,
    includeUsage: true,
    ...(apiKey !== undefined && { apiKey }),
    ...(fetch && { fetch }),
  });
  const languageModel = provider(model);
  return async (request) => {
    request.signal.throwIfAborted();
    try {
      return { answer: await answerTo(request, languageModel) };
    } catch (error) {
      request.signal.throwIfAborted();
      return modelFailure(error, { baseUrl, model, apiKey });
    }
  };
}

const providerName = "openai-compatible";

// The library prints warnings about requests to the console otherwise.
(globalThis as { AI_SDK_LOG_WARNINGS?: false }).AI_SDK_LOG_WARNINGS = false;

async function answerTo(
  { instructions, messages, tools, signal }: ModelRequest,
  model: Parameters<typeof streamText>[0]["model"],
): Promise<ModelAnswer> {
  // Tools without `execute`: one model call, whose tool calls are ours to run.
  const toolSet: ToolSet = Object.fromEntries(
    tools.map(({ name, description, input }) => [name, tool({ description, inputSchema: jsonSchema(input) })]),
  );
  const result = streamText({
    model,
    messages: toModelMessages(messages),
    maxRetries: 0,
    abortSignal: signal,
    onError: () => {}, // printed to the console otherwise; the stream holds it, too
    ...(instructions !== "" && { instructions }),
    ...(tools.length > 0 && { tools: toolSet }),
  });
  const answer: ModelAnswer = {
    text: "",
    toolCalls: [],
    finishReason: "other",
    usage: { inputTokens: 0, outputTokens: 0 },
  };
  const invalid: { call: ToolCall; reason: string }[] = [];
  let begun = false;
  for await (const part of result.stream) {
    if (part.type === "text-delta") answer.text += part.text;
    if (part.type === "error") {
      // A stream that ends too soon is an answer cut off, or, when nothing came before, no answer at all.
      const ended = InvalidResponseDataError.isInstance(part.error) && part.error.message.includes("stream ended");
      throw begun && ended ? new BrokenOff(part.error as Error) : part.error;
    }
    begun ||= !isLibrarysOwn(part.type);
    if (part.type === "tool-call") {
      const call: ToolCall = { id: part.toolCallId, name: part.toolName, input: part.input ?? {} };
      answer.toolCalls.push(call);
      if (part.invalid) invalid.push({ call, reason: invalidCall(call, tools) });
    }
    if (part.type === "finish-step") {
      answer.finishReason = finishReason(part.finishReason);
      answer.usage = {
        inputTokens: part.usage.inputTokens ?? 0,
        outputTokens: part.usage.outputTokens ?? 0,
      };
    }
  }
  signal.throwIfAborted();
  for (const { call, reason } of invalid) {
    call.invalid =
      answer.finishReason === "length" ? `${reason} The answer was cut at its longest; write less.` : reason;
  }
  const echo = echoOf(await result.responseMessages);
  return echo.length > 0 ? { ...answer, echo } : answer;
}

/**
 * The provider's own messages without the error results that the library makes up for invalid calls. Arguments that
 * are no object are wrapped in one: servers parse them when they are sent back, and fail on anything else.
 */
function echoOf(messages: ModelMessage[]): ModelMessage[] {
  const own = messages.flatMap((message) => {
    if (message.role !== "assistant") return [];
    if (typeof message.content === "string") return [message];
    const content = message.content.map((part) =>
      part.type === "tool-call" && !isObject(part.input) ? { ...part, input: { invalid: part.input ?? null } } : part,
    );
    return [{ ...message, content }];
  });
  return JSON.parse(JSON.stringify(own)) as ModelMessage[];
}

/** Consecutive messages of the user become one: chat templates of several models refuse two in a row. */
function toModelMessages(messages: Message[]): ModelMessage[] {
  const converted: ModelMessage[] = [];
  for (const message of messages) {
    const last = converted.at(-1);
    if (message.role === "user" && last?.role === "user" && typeof last.content === "string") {
      converted[converted.length - 1] = { role: "user", content: `${last.content}\n\n${message.text}` };
    } else {
      converted.push(...toModelMessage(message));
    }
  }
  return converted;
}

function toModelMessage(message: Message): ModelMessage[] {
  if (message.role === "user") return [{ role: "user", content: message.text }];
  if (message.role === "tool") {
    const content = message.results.map(({ callId, name, text, error }) => ({
      type: "tool-result" as const,
      toolCallId: callId,
      toolName: name,
      output: { type: error ? ("error-text" as const) : ("text" as const), value: text },
    }));
    return [{ role: "tool", content }];
  }
  const { text, toolCalls, echo } = message.answer;
  // An empty message is refused by many servers; the note that follows it says what it was.
  if (text.trim() === "" && toolCalls.length === 0) return [];
  if (Array.isArray(echo)) return echo as ModelMessage[];
  const calls = toolCalls.map(({ id, name, input }) => ({
    type: "tool-call" as const,
    toolCallId: id,
    toolName: name,
    input: isObject(input) ? input : { invalid: input ?? null },
  }));
  return [{ role: "assistant", content: [...(text === "" ? [] : [{ type: "text" as const, text }]), ...calls] }];
}

function invalidCall({ name, input }: ToolCall, tools: ModelRequest["tools"]): string {
  const known = tools.find((each) => each.name === name);
  if (!known) {
    const names = tools.map((each) => each.name).join(", ") || "none";
    return `There is no tool ${JSON.stringify(name)}. Tools that can be used: ${names}.`;
  }
  const received = (typeof input === "string" ? input : JSON.stringify(input)).slice(0, 200);
  return `The arguments of ${name} are not valid JSON. Received: ${received}. Accepted: ${JSON.stringify(known.input)}.`;
}

function finishReason(reason: string): ModelAnswer["finishReason"] {
  const known = ["stop", "tool-calls", "length", "content-filter"] as const;
  return known.find((each) => each === reason) ?? "other";
}

/** Parts of the stream that come without anything from the server. */
function isLibrarysOwn(type: string): boolean {
  return type === "start" || type === "start-step";
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
