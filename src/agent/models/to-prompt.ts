import type { LanguageModelV4Message, LanguageModelV4Prompt, SharedV4ProviderMetadata } from "@ai-sdk/provider";
import type { Attachment, Message, ModelAnswer, ToolCall } from "../model.ts";
import { isObject, wellFormed } from "../../json.ts";
import type { AnswerContent } from "./parse-response.ts";
import { attachmentsOf, notForThisModel, type Shown } from "./attachments.ts";

/** How a conversation goes over a provider's wire. */
export interface Wire {
  /** Provider and model: only their own reasoning and signatures are sent back to them. */
  origin: string;
  shown: Map<Attachment, Shown>;
  /** Tool calls and their results are told as text: the provider refuses them in a request without tools. */
  callsAsText: boolean;
}

/** An answer's own messages as its provider made them, JSON-serialisable. */
interface Echo {
  origin: string;
  messages: LanguageModelV4Message[];
}

type UserPart = Extract<LanguageModelV4Message, { role: "user" }>["content"][number];

/**
 * What a provider is sent. Consecutive messages of the user become one: chat templates of several models refuse two in
 * a row.
 */
export function toPrompt(instructions: string, messages: Message[], wire: Wire): LanguageModelV4Prompt {
  const prompt: LanguageModelV4Prompt = [];
  if (instructions.trim() !== "") prompt.push({ role: "system", content: instructions.toWellFormed() });
  for (const message of messages.flatMap((each) => toMessages(each, wire))) {
    const last = prompt.at(-1);
    if (message.role === "user" && last?.role === "user") last.content = joined([...last.content, ...message.content]);
    else prompt.push(message.role === "user" ? { role: "user", content: joined(message.content) } : message);
  }
  return prompt;
}

/**
 * The provider's own form of an answer, to be sent back to it. Arguments that are no object are wrapped in one: servers
 * parse them when they are sent back, and fail on anything else. So do names of tools that the model made up. `fields`: of
 * the message around it.
 */
export function echoOf(origin: string, content: AnswerContent, fields?: SharedV4ProviderMetadata): Echo | undefined {
  if (content.length === 0) return undefined;
  const own = content.map((part) =>
    part.type === "tool-call" ? { ...part, toolName: toolName(part.toolName), input: toInput(part.input) } : part,
  );
  return {
    origin,
    messages: wellFormed([{ role: "assistant", content: own, ...(fields && { providerOptions: fields }) }]),
  };
}

function toMessages(message: Message, wire: Wire): LanguageModelV4Message[] {
  switch (message.role) {
    case "user":
      return [{ role: "user", content: [{ type: "text", text: told(message.text) }, ...files(message, wire)] }];
    case "assistant":
      return fromAssistant(message.answer, wire);
    case "tool": {
      // Files go beside the results: a result of chat completions is text only.
      const attached = files(message, wire);
      const after: LanguageModelV4Message[] = attached.length > 0 ? [{ role: "user", content: attached }] : [];
      if (wire.callsAsText) {
        const text = message.results.map((result) => `[Result of ${result.name}: ${result.text}]`).join("\n\n");
        return [{ role: "user", content: [{ type: "text", text }] }, ...after];
      }
      const content = message.results.map(({ callId, name, text, error }) => ({
        type: "tool-result" as const,
        toolCallId: callId,
        toolName: toolName(name),
        output: { type: error ? ("error-text" as const) : ("text" as const), value: told(text) },
      }));
      return [{ role: "tool", content }, ...after];
    }
  }
}

function fromAssistant(
  { text, toolCalls, echo }: Pick<ModelAnswer, "text" | "toolCalls" | "echo">,
  { origin, callsAsText }: Wire,
): LanguageModelV4Message[] {
  // An empty message is refused by many servers; the note that follows it says what it was.
  if (text.trim() === "" && toolCalls.length === 0) return [];
  if (callsAsText) {
    const all = [text, ...toolCalls.map(callText)].join("\n\n").trim();
    return [{ role: "assistant", content: [{ type: "text", text: all }] }];
  }
  if (isEcho(echo) && echo.origin === origin) return echo.messages;
  const calls: AnswerContent = toolCalls.map(({ id, name, input }) => ({
    type: "tool-call",
    toolCallId: id,
    toolName: toolName(name),
    input: toInput(input),
  }));
  return [{ role: "assistant", content: [...(text.trim() === "" ? [] : [{ type: "text" as const, text }]), ...calls] }];
}

/** Anthropic and Bedrock refuse a whole conversation for one text of blanks. */
function told(text: string): string {
  return text.trim() === "" ? "(empty)" : text;
}

function callText({ name, input }: ToolCall): string {
  return `[Called ${name} with ${JSON.stringify(input)}]`;
}

function files(message: Message, { shown }: Wire): UserPart[] {
  return attachmentsOf(message).flatMap((attachment): UserPart[] => {
    const content = shown.get(attachment) ?? notForThisModel;
    const file = `File ${JSON.stringify(attachment.name)} (${attachment.mediaType})`;
    if (typeof content === "string") return [{ type: "text", text: `${file} can't be seen: ${content}.` }];
    // Without its name, which Bedrock wants to be unlike any other's; the text before says it.
    return [
      { type: "text", text: `${file}:` },
      { type: "file", data: { type: "data", data: content }, mediaType: attachment.mediaType },
    ];
  });
}

/** Texts in a row become one, as for a conversation without files: many servers take nothing but a string. */
function joined(content: UserPart[]): UserPart[] {
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

/** A tool's name as all three wires take it; one that a model made up may be anything. */
function toolName(name: string): string {
  return name.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, 64) || "unnamed";
}

function toInput(input: unknown): object {
  return isObject(input) ? input : { invalid: input ?? null };
}
