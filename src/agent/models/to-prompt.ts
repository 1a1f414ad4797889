import type {
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  SharedV4ProviderMetadata,
  SharedV4ProviderOptions,
} from "@ai-sdk/provider";
import { type Attachment, exactInput, type Message, type ModelAnswer, type ToolCall } from "../model.ts";
import { isObject, isRawNumber, parseExact, toWellFormed } from "../../json.ts";
import { type AttachmentContent, attachmentsOf, attachmentsUnsupported } from "./attachments.ts";
import { replacedCallIds } from "./call-ids.ts";
import type { ResponseContent } from "./errors/parse-response.ts";

export interface PromptOptions {
  /** Provider and model. Reasoning and signatures are sent only to the model that produced them. */
  origin: string;
  attachments: Map<Attachment, AttachmentContent>;
  /** Sends tool calls and results as text, for providers that reject them in a request without tools. */
  toolCallsAsText: boolean;
  /** The ids of other models' tool calls that the API accepts. Default: any. */
  callIds?: RegExp;
  /** Provider options of each PDF whose pages are known. */
  pagesOptions?: SharedV4ProviderOptions | undefined;
}

/** The messages of a response in the AI SDK's format. It is stored in the journal: JSON-serializable. */
interface Echo {
  origin: string;
  messages: LanguageModelV4Message[];
}

type UserPart = Extract<LanguageModelV4Message, { role: "user" }>["content"][number];

/**
 * Converts a conversation to an AI SDK prompt. Consecutive user messages are merged: the chat templates of several
 * models reject two in a row.
 */
export function toPrompt(instructions: string, messages: Message[], options: PromptOptions): LanguageModelV4Prompt {
  const prompt: LanguageModelV4Prompt = [];
  if (instructions.trim() !== "") prompt.push({ role: "system", content: instructions.toWellFormed() });
  const { origin, callIds = /^/ } = options;
  const replaced = replacedCallIds(messages, callIds, ({ echo }) => isEcho(echo) && echo.origin === origin);
  const sentId = (id: string): string => replaced.get(id) ?? id;
  for (const message of messages.flatMap((each) => toMessages(each, options, sentId))) {
    const last = prompt.at(-1);
    if (message.role === "user" && last?.role === "user") {
      last.content = mergeTexts([...last.content, ...message.content]);
    } else {
      prompt.push(message.role === "user" ? { role: "user", content: mergeTexts(message.content) } : message);
    }
  }
  return prompt;
}

/**
 * Converts a response to the messages that are sent back to its provider. Tool arguments that are not an object are
 * wrapped in one, and invalid tool names are replaced: servers fail on both. `fields`: metadata of the message.
 */
export function buildEcho(
  origin: string,
  content: ResponseContent,
  fields?: SharedV4ProviderMetadata,
): Echo | undefined {
  if (content.length === 0) return undefined;
  const valid = content.map((part) =>
    part.type === "tool-call" ? { ...part, toolName: toolName(part.toolName), input: toInput(part.input) } : part,
  );
  return {
    origin,
    messages: toWellFormed([{ role: "assistant", content: valid, ...(fields && { providerOptions: fields }) }]),
  };
}

type SentId = (id: string) => string;

function toMessages(message: Message, options: PromptOptions, sentId: SentId): LanguageModelV4Message[] {
  switch (message.role) {
    case "user":
      return [
        { role: "user", content: [{ type: "text", text: nonBlank(message.text) }, ...fileParts(message, options)] },
      ];
    case "assistant":
      return fromAssistant(message.answer, options, sentId);
    case "tool": {
      // Files follow the results in a user message: a chat completions tool message holds only text.
      const files = fileParts(message, options);
      const fileMessages: LanguageModelV4Message[] = files.length > 0 ? [{ role: "user", content: files }] : [];
      if (options.toolCallsAsText) {
        const text = message.results.map((result) => `[Result of ${result.name}: ${result.text}]`).join("\n\n");
        return [{ role: "user", content: [{ type: "text", text }] }, ...fileMessages];
      }
      const content = message.results.map(({ callId, name, text, error }) => ({
        type: "tool-result" as const,
        toolCallId: sentId(callId),
        toolName: toolName(name),
        output: { type: error ? ("error-text" as const) : ("text" as const), value: nonBlank(text) },
      }));
      return [{ role: "tool", content }, ...fileMessages];
    }
  }
}

function fromAssistant(
  { text, toolCalls, echo }: Pick<ModelAnswer, "text" | "toolCalls" | "echo">,
  { origin, toolCallsAsText }: PromptOptions,
  sentId: SentId,
): LanguageModelV4Message[] {
  // Many servers reject an empty message. The note that follows it in the conversation describes it.
  if (text.trim() === "" && toolCalls.length === 0) return [];
  if (toolCallsAsText) {
    const all = [text, ...toolCalls.map(callText)].join("\n\n").trim();
    return [{ role: "assistant", content: [{ type: "text", text: all }] }];
  }
  if (isEcho(echo) && echo.origin === origin) return withExactInputs(echo.messages, toolCalls);
  const calls: ResponseContent = toolCalls.map((call) => ({
    type: "tool-call",
    toolCallId: sentId(call.id),
    toolName: toolName(call.name),
    input: toInput(exactInput(call)),
  }));
  return [{ role: "assistant", content: [...(text.trim() === "" ? [] : [{ type: "text" as const, text }]), ...calls] }];
}

/** Anthropic and Bedrock reject a conversation that contains a blank text. */
function nonBlank(text: string): string {
  return text.trim() === "" ? "(empty)" : text;
}

function callText(call: ToolCall): string {
  return `[Called ${call.name} with ${JSON.stringify(exactInput(call))}]`;
}

/** The messages with the arguments as the model sent them: an echo is stored with the numbers of JavaScript. */
function withExactInputs(messages: LanguageModelV4Message[], calls: ToolCall[]): LanguageModelV4Message[] {
  const texts = new Map(calls.flatMap(({ id, json, sent }) => [[id, sent?.json ?? json] as const]));
  if ([...texts.values()].every((text) => text === undefined)) return messages;
  return messages.map((message) => {
    if (message.role !== "assistant") return message;
    const content = message.content.map((part) => {
      const text = part.type === "tool-call" ? texts.get(part.toolCallId) : undefined;
      return text === undefined ? part : { ...part, input: toInput(parseExact(text)) };
    });
    return { ...message, content };
  });
}

function fileParts(message: Message, { attachments, pagesOptions }: PromptOptions): UserPart[] {
  return attachmentsOf(message).flatMap((attachment): UserPart[] => {
    const content = attachments.get(attachment) ?? attachmentsUnsupported;
    const file = `File ${JSON.stringify(attachment.name)} (${attachment.mediaType})`;
    if (typeof content === "string") return [{ type: "text", text: `${file} is not shown: ${content}.` }];
    const providerOptions = attachment.pages === undefined ? undefined : pagesOptions;
    // The file part has no name, because Bedrock requires unique names. The text before it states the name.
    return [
      { type: "text", text: `${file}:` },
      {
        type: "file",
        data: { type: "data", data: content },
        mediaType: attachment.mediaType,
        ...(providerOptions && { providerOptions }),
      },
    ];
  });
}

/** Merges adjacent text parts. A message with one text is sent as a string, the only form that many servers accept. */
function mergeTexts(content: UserPart[]): UserPart[] {
  const parts: UserPart[] = [];
  for (const part of content) {
    const last = parts.at(-1);
    if (part.type === "text" && last?.type === "text") {
      parts[parts.length - 1] = { type: "text", text: `${last.text}\n\n${part.text}` };
    } else {
      parts.push(part);
    }
  }
  return parts;
}

function isEcho(echo: unknown): echo is Echo {
  return typeof echo === "object" && echo !== null && "origin" in echo && "messages" in echo;
}

/** Replaces characters that a provider's API rejects in tool names. Models call tools by invented names. */
function toolName(name: string): string {
  return name.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, 64) || "unnamed";
}

function toInput(input: unknown): object {
  return isObject(input) && !isRawNumber(input) ? input : { invalid: input ?? null };
}
