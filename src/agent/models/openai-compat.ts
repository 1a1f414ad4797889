import { createHash } from "node:crypto";
import { isObject } from "../../json.ts";

type Message = Record<string, unknown>;

/** A request to a chat completions server, as far as it is looked at here. */
export interface ChatRequest {
  messages: Message[];
  [field: string]: unknown;
}

/**
 * Another form of a request that says the same, for servers that refuse the usual one. `refusal`: how they say so.
 * `change` gives the same request when it has nothing of what they refuse.
 */
export interface Form {
  refusal: RegExp;
  change(request: ChatRequest): ChatRequest;
}

/** Reasoning models of OpenAI's refuse `max_tokens`; other servers may not know the name that replaced it. */
export const newNameOfBound: Form = {
  refusal: /max_completion_tokens/,
  change(request) {
    const { max_tokens } = request;
    return max_tokens === undefined
      ? request
      : { ...without(request, "max_tokens"), max_completion_tokens: max_tokens };
  },
};

/** Servers that say usage without being asked, and take no other fields than they know. */
const withoutStreamOptions: Form = {
  refusal: /stream_options/,
  change: (request) => (request["stream_options"] === undefined ? request : without(request, "stream_options")),
};

/** Servers or models that do not stream, or not for this account. */
export const whole: Form = {
  refusal: /\bstream/i,
  change: (request) => (request["stream"] === undefined ? request : without(request, "stream", "stream_options")),
};

/** Groq, among others: "property 'reasoning_content' is unsupported". */
const withoutReasoning: Form = {
  refusal: /reasoning_(content|details)(?!.*(must be|missing|required))/s,
  change: ofAssistant(
    (message) => "reasoning_content" in message || "reasoning_details" in message,
    (message) => without(message, "reasoning_content", "reasoning_details"),
  ),
};

/** DeepSeek and Moonshot want it back with every call, also from an answer that had none. */
const withReasoning: Form = {
  refusal: /reasoning_content.*(must be|missing|required)/s,
  change: ofAssistant(
    (message) => !("reasoning_content" in message),
    (message) => ({ ...message, reasoning_content: "" }),
  ),
};

/** Mistral's API and templates: "Unexpected role 'user' after role 'tool'". */
const answerAfterResults: Form = {
  refusal: /after role ["'`]?tool|roles must alternate/i,
  change(request) {
    const messages = request.messages.flatMap((message, index, all) =>
      message["role"] === "user" && all[index - 1]?.["role"] === "tool" ? [understood, message] : [message],
    );
    return messages.length === request.messages.length ? request : { ...request, messages };
  },
};
const understood: Message = { role: "assistant", content: "Understood." };

/** Models without a role for instructions, such as Gemma's: "System role not supported". */
const instructionsInInput: Form = {
  refusal: /system role|["'`]system["'`] role|(not|n't) support(ed)? ["'`]?system|developer instruction/i,
  change(request) {
    const [system, first, ...others] = request.messages;
    if (system?.["role"] !== "system" || first?.["role"] !== "user") return request;
    const { content } = first;
    const text = String(system["content"]);
    const told = typeof content === "string" ? `${text}\n\n${content}` : [{ type: "text", text }, ...listOf(content)];
    return { ...request, messages: [{ ...first, content: told }, ...others] };
  },
};

/** Mistral: "Tool call id was call_… but must be a-z, A-Z, 0-9, with a length of 9". */
const shortIds: Form = {
  refusal: /tool call id.*length of 9/is,
  change(request) {
    const messages = request.messages.map((message): Message => {
      const { tool_calls, tool_call_id } = message;
      if (typeof tool_call_id === "string") return { ...message, tool_call_id: shortId(tool_call_id) };
      if (!Array.isArray(tool_calls)) return message;
      return { ...message, tool_calls: tool_calls.filter(isObject).map(withShortId) };
    });
    return { ...request, messages };
  },
};

/** All forms, the one to be tried first before the others. */
export const forms: readonly Form[] = [
  newNameOfBound,
  withoutStreamOptions,
  whole,
  withoutReasoning,
  withReasoning,
  answerAfterResults,
  instructionsInInput,
  shortIds,
];

function ofAssistant(concerns: (message: Message) => boolean, changed: (message: Message) => Message): Form["change"] {
  const is = (message: Message): boolean => message["role"] === "assistant" && concerns(message);
  return (request) =>
    request.messages.some(is)
      ? { ...request, messages: request.messages.map((message) => (is(message) ? changed(message) : message)) }
      : request;
}

function without<Value extends object>(value: Value, ...fields: string[]): Value {
  return Object.fromEntries(Object.entries(value).filter(([field]) => !fields.includes(field))) as Value;
}

function withShortId({ id, ...call }: Message): Message {
  return { id: shortId(String(id)), ...call };
}

function shortId(id: string): string {
  return createHash("sha256").update(id).digest("hex").slice(0, 9);
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
