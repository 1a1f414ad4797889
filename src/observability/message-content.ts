import type { Attributes } from "@opentelemetry/api";
import { type Attachment, exactInput, type Message, type ModelAnswer, type ToolDefinition } from "../agent/model.ts";
import type { CallDetails } from "../agent/turn/turn-types.ts";
import { reasoningText } from "../agent/reasoning.ts";
import { finishReasonOf } from "./span-attributes.ts";

/** Characters of one attribute: collectors reject requests of some megabytes, and a batch has up to 512 spans. */
const maxCharacters = 200_000;

type ModelDetails = Extract<CallDetails, { of: "model" }>;
type ToolDetails = Extract<CallDetails, { of: "tool" }>;

/**
 * Attributes with the texts of a model call, as JSON by the schemas of the GenAI conventions. Files have their SHA-256, not their
 * bytes. Of a long conversation, the newest messages are kept.
 */
export function modelContent({ request, outcome }: ModelDetails): Attributes {
  const { instructions, messages, tools } = request;
  const answer = outcome && "answer" in outcome ? outcome.answer : undefined;
  const output = answer && [
    {
      role: "assistant",
      parts: [...reasoningParts(answer), ...answerParts(answer)],
      finish_reason: finishReasonOf(answer.finishReason),
    },
  ];
  return {
    "gen_ai.system_instructions": bounded([{ type: "text", content: instructions }]),
    "gen_ai.input.messages": bounded(messages.map(inputMessage)),
    ...(output && { "gen_ai.output.messages": bounded(output) }),
    ...(tools.length > 0 && { "gen_ai.tool.definitions": bounded(tools.map(toolDefinition)) }),
  };
}

/** Attributes with the texts of a tool call. */
export function toolContent({ input, output }: ToolDetails): Attributes {
  return {
    "gen_ai.tool.call.arguments": cut(JSON.stringify(input) ?? ""),
    "gen_ai.tool.call.result": cut(output.text),
  };
}

function inputMessage(message: Message): object {
  switch (message.role) {
    case "user":
      return { role: "user", parts: [textPart(message.text), ...(message.attachments ?? []).map(filePart)] };
    case "assistant":
      return { role: "assistant", parts: answerParts(message.answer) };
    case "tool":
      return {
        role: "tool",
        parts: message.results.flatMap(({ callId, text, attachments = [] }) => [
          { type: "tool_call_response", id: callId, response: cut(text) },
          ...attachments.map(filePart),
        ]),
      };
  }
}

function reasoningParts(answer: ModelAnswer): object[] {
  const reasoning = reasoningText(answer);
  return reasoning === undefined ? [] : [{ type: "reasoning", content: cut(reasoning) }];
}

function answerParts({ text, toolCalls }: Pick<ModelAnswer, "text" | "toolCalls">): object[] {
  return [
    ...(text === "" ? [] : [textPart(text)]),
    ...toolCalls.map((call) => ({ type: "tool_call", id: call.id, name: call.name, arguments: exactInput(call) })),
  ];
}

function textPart(text: string): object {
  return { type: "text", content: cut(text) };
}

function filePart({ name, mediaType, sha256 }: Attachment): object {
  const modality = mediaType.startsWith("image/") ? "image" : "document";
  return { type: "file", modality, mime_type: mediaType, file_id: sha256 ?? name };
}

function toolDefinition({ name, description, input }: ToolDefinition): object {
  return { type: "function", name, description, parameters: input };
}

/** The items as JSON: the last ones that fit. */
function bounded(items: object[]): string {
  const texts = items.map((item) => JSON.stringify(item));
  let left = maxCharacters;
  const first = texts.findLastIndex((text) => (left -= text.length + 1) < 0) + 1;
  return `[${texts.slice(first).join(",")}]`;
}

function cut(text: string): string {
  return text.length > maxCharacters / 4 ? `${text.slice(0, maxCharacters / 4).toWellFormed()}…` : text;
}
