import { createHash } from "node:crypto";
import { isObject } from "../../../json.ts";
import type { OpenAiCompat } from "../../model.ts";
import { bedrockHosts } from "../model-config.ts";
import type { ResponsesRequest } from "./responses-request.ts";

type Message = Record<string, unknown>;

/** Body of a chat completions request. */
export interface ChatRequest {
  messages: Message[];
  [field: string]: unknown;
}

/** Changes a request to what a server accepts, without changing its meaning. Idempotent. */
type RequestRewrite<Request> = (request: Request) => Request;

/**
 * One difference between servers of an API of OpenAI: the setting that describes it, how a server is recognized (by the
 * host of its base URL or by the error of a rejected request), and how the request changes.
 */
export interface CompatRule<Request> {
  setting: keyof OpenAiCompat;
  value: OpenAiCompat[keyof OpenAiCompat];
  /** Hosts that are known to need the setting. */
  hosts?: RegExp;
  /** The error of a server that needs the setting. */
  error: RegExp;
  /** Statuses of that error, if not those of `rejected`. */
  statuses?: readonly number[];
  vendors: string;
  /** An error message of the first vendor. */
  example: string;
  rewrite: RequestRewrite<Request>;
  /** The error is about the conversation, not the server: other requests are sent without the rule. */
  once?: true;
}

/** Statuses of a rejected request. Chat templates of local servers fail with 500. */
const rejected = [400, 405, 422, 500, 501];

/** Of chat completions servers, in the order in which they are tried. */
export const chatRules: readonly CompatRule<ChatRequest>[] = [
  {
    setting: "maxTokensField",
    value: "max_completion_tokens",
    // Not the default: other servers may not know the new name.
    hosts: new RegExp(`(^|\\.)(openai\\.com|openai\\.azure\\.com)$|${bedrockHosts.source}`),
    error: /max_completion_tokens(?!\W+(is too large|must be less))/, // vLLM and Groq about the number
    vendors: "OpenAI's reasoning models, also on Amazon Bedrock",
    example:
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
    rewrite: ({ max_tokens, ...request }) =>
      max_tokens === undefined ? request : { ...request, max_completion_tokens: max_tokens },
  },
  {
    setting: "supportsStreamOptions",
    value: false,
    error: /stream_options/,
    vendors: "Mistral and other servers that validate strictly; they report usage unasked",
    example: "body.stream_options: Extra inputs are not permitted",
    rewrite: (request) => without(request, "stream_options"),
  },
  {
    setting: "supportsStreaming",
    value: false,
    error: /\bstream/i,
    statuses: [400, 405, 422, 501],
    vendors: "OpenAI, for some models and accounts",
    example: "Unsupported value: 'stream' does not support true with this model.",
    rewrite: (request) => without(request, "stream", "stream_options"),
  },
  {
    setting: "reasoningContent",
    value: "omit",
    hosts: /(^|\.)groq\.com$/,
    error: /reasoning_(content|details)(?!.*(must be|missing|required))/s,
    vendors: "Groq",
    example: "'messages.2' : for 'role:assistant' …('messages.2' : property 'reasoning_content' is unsupported)",
    rewrite: eachAssistantMessage((message) => without(message, "reasoning_content", "reasoning_details")),
  },
  {
    setting: "reasoningContent",
    value: "require",
    error: /reasoning_content.*(must be|missing|required)/s,
    vendors: "DeepSeek, Moonshot; also for responses without reasoning",
    example: "The `reasoning_content` in the thinking mode must be passed back to the API.",
    rewrite: eachAssistantMessage((message) =>
      "reasoning_content" in message ? message : { ...message, reasoning_content: "" },
    ),
  },
  {
    setting: "assistantAfterTool",
    value: true,
    error: /after role ["'`]?tool|roles must alternate/i,
    vendors: "Mistral's API and chat templates",
    example: "Unexpected role 'user' after role 'tool'",
    rewrite: insertAssistantMessages,
  },
  {
    setting: "supportsSystemRole",
    value: false,
    error: /system role|["'`]system["'`] role|(not|n't) support(ed)? ["'`]?system|developer instruction/i,
    vendors: "Gemma's chat template",
    example: "System role not supported",
    rewrite: mergeSystemMessage,
  },
  {
    setting: "toolCallIdLength",
    value: 9,
    hosts: /(^|\.)mistral\.ai$/,
    error: /tool call id.*length of 9/is,
    vendors: "Mistral",
    example: "Tool call id was call_abc but must be a-z, A-Z, 0-9, with a length of 9.",
    rewrite: shortenToolCallIds,
  },
];

/** Of servers of the Responses API, in the order in which they are tried. */
export const responsesRules: readonly CompatRule<ResponsesRequest>[] = [
  {
    setting: "reasoningContent",
    value: "omit",
    error:
      /encrypted content .*could not be (verified|decrypted)|invalid_encrypted_content|of type 'reasoning' was|items are not persisted/is,
    vendors: "OpenAI, after the organization or the server behind a proxy has changed",
    example: "The encrypted content gAAA...6W4= could not be verified. Reason: it could not be decrypted or parsed.",
    rewrite: withoutReasoning,
    once: true,
  },
  {
    setting: "reasoningSummary",
    value: "omit",
    error: /reasoning[._ ]summar|parameter:? ["'`]?reasoning\b(?![._]effort)/i,
    vendors: "OpenAI, for organizations that are not verified, and models without reasoning",
    example: "Your organization must be verified to generate reasoning summaries.",
    rewrite: withoutSummary,
  },
  {
    setting: "reasoningContent",
    value: "omit",
    error: /encrypted content is not supported|encrypted_content/i,
    vendors: "OpenAI's models without reasoning",
    example: "Encrypted content is not supported with this model.",
    rewrite: withoutReasoning,
  },
  {
    setting: "supportsPromptCacheKey",
    value: false,
    error: /prompt_cache_key/,
    vendors: "Servers that validate strictly",
    example: "Unknown parameter: 'prompt_cache_key'.",
    rewrite: (request) => without(request, "prompt_cache_key"),
  },
  {
    setting: "supportsStreaming",
    value: false,
    error: /\bstream/i,
    statuses: [400, 405, 422, 501],
    vendors: "OpenAI, for organizations that are not verified",
    example: "Your organization must be verified to stream this model.",
    rewrite: (request) => without(request, "stream"),
  },
];

/** The rules that apply to a server before its first response: by host, unless the configuration says otherwise. */
export function initialRules<Request>(
  rules: readonly CompatRule<Request>[],
  baseUrl: string,
  configured: OpenAiCompat,
): CompatRule<Request>[] {
  const host = URL.parse(baseUrl)?.hostname ?? "";
  return rules.filter(({ setting, value, hosts }) =>
    setting in configured ? configured[setting] === value : hosts?.test(host),
  );
}

/** The rule that may make a server accept a request that it rejected. Configured settings are not changed. */
export function findRuleForError<Request>(
  rules: readonly CompatRule<Request>[],
  error: { status: number; text: string; request: Request },
  applied: readonly CompatRule<Request>[],
  configured: OpenAiCompat,
): CompatRule<Request> | undefined {
  return rules.find(
    (rule) =>
      !applied.includes(rule) &&
      !(rule.setting in configured) &&
      (rule.statuses ?? rejected).includes(error.status) &&
      rule.error.test(error.text) &&
      JSON.stringify(rule.rewrite(error.request)) !== JSON.stringify(error.request),
  );
}

export function applyRules<Request>(request: Request, rules: readonly CompatRule<Request>[]): Request {
  return rules.reduce((rewritten, rule) => rule.rewrite(rewritten), request);
}

/** Without the reasoning of earlier responses, and without asking for that of this one. */
function withoutReasoning(request: ResponsesRequest): ResponsesRequest {
  return without({ ...request, input: request.input.filter((item) => item["type"] !== "reasoning") }, "include");
}

function withoutSummary(request: ResponsesRequest): ResponsesRequest {
  const { reasoning, ...others } = request;
  const left = isObject(reasoning) ? without(reasoning, "summary") : {};
  return Object.keys(left).length > 0 ? { ...request, reasoning: left } : others;
}

function without<Value extends object>(value: Value, ...fields: string[]): Value {
  return Object.fromEntries(Object.entries(value).filter(([field]) => !fields.includes(field))) as Value;
}

function eachAssistantMessage(change: (message: Message) => Message): RequestRewrite<ChatRequest> {
  return (request) => ({
    ...request,
    messages: request.messages.map((message) => (message["role"] === "assistant" ? change(message) : message)),
  });
}

function insertAssistantMessages(request: ChatRequest): ChatRequest {
  const inserted: Message = { role: "assistant", content: "Understood." };
  const messages = request.messages.flatMap((message, index, all) =>
    message["role"] === "user" && all[index - 1]?.["role"] === "tool" ? [inserted, message] : [message],
  );
  return { ...request, messages };
}

/** Moves the instructions to the beginning of the first user message. */
function mergeSystemMessage(request: ChatRequest): ChatRequest {
  const [system, first, ...others] = request.messages;
  if (system?.["role"] !== "system" || first?.["role"] !== "user") return request;
  const text = String(system["content"]);
  const { content } = first;
  const merged = Array.isArray(content) ? [{ type: "text", text }, ...content] : `${text}\n\n${String(content)}`;
  return { ...request, messages: [{ ...first, content: merged }, ...others] };
}

function shortenToolCallIds(request: ChatRequest): ChatRequest {
  const messages = request.messages.map((message): Message => {
    const { tool_calls, tool_call_id } = message;
    if (typeof tool_call_id === "string") return { ...message, tool_call_id: shortId(tool_call_id) };
    if (!Array.isArray(tool_calls)) return message;
    return { ...message, tool_calls: tool_calls.filter(isObject).map(withShortId) };
  });
  return { ...request, messages };
}

function withShortId({ id, ...call }: Message): Message {
  return { id: shortId(String(id)), ...call };
}

/** Nine letters and digits. The same id always gives the same result, so that calls and results still match. */
function shortId(id: string): string {
  return /^[a-zA-Z0-9]{9}$/.test(id) ? id : createHash("sha256").update(id).digest("hex").slice(0, 9);
}
