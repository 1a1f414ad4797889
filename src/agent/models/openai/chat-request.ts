import type { LanguageModelV4CallOptions, LanguageModelV4Message, LanguageModelV4Prompt } from "@ai-sdk/provider";
import { chatNamespace } from "./chat-calls.ts";
import type { ChatRequest } from "./openai-compat.ts";

type Message = ChatRequest["messages"][number];
type UserPart = Extract<LanguageModelV4Message, { role: "user" }>["content"][number];
type AssistantMessage = Extract<LanguageModelV4Message, { role: "assistant" }>;

/**
 * Converts a call of the AI SDK to a chat completions request. Recorded requests are rebuilt byte for byte, so the order of
 * its fields must not change.
 */
export function chatRequest(
  model: string,
  {
    prompt,
    tools = [],
    toolChoice,
    responseFormat,
    temperature,
    maxOutputTokens,
    reasoning,
    ...rest
  }: LanguageModelV4CallOptions,
): ChatRequest {
  const functions = tools.flatMap((tool) => (tool.type === "function" ? tool : []));
  const format = responseFormat?.type === "json" ? responseFormat : undefined;
  return {
    model,
    ...(maxOutputTokens !== undefined && { max_tokens: maxOutputTokens }),
    ...(temperature !== undefined && { temperature }),
    ...(format && {
      response_format: {
        type: "json_schema",
        json_schema: { schema: format.schema, strict: true, name: format.name },
      },
    }),
    ...rest.providerOptions?.[chatNamespace],
    ...(reasoning !== undefined && { reasoning_effort: reasoning }),
    messages: toMessages(prompt),
    ...(functions.length > 0 && {
      tools: functions.map(({ name, description, inputSchema }) => {
        return { type: "function", function: { name, description, parameters: inputSchema } };
      }),
      tool_choice: toolChoice?.type,
    }),
    stream: true,
    stream_options: { include_usage: true },
  };
}

function toMessages(prompt: LanguageModelV4Prompt): Message[] {
  return prompt.flatMap((message): Message[] => {
    switch (message.role) {
      case "system":
        return [{ role: "system", content: message.content }];
      case "user":
        return [{ role: "user", content: toContent(message.content) }];
      case "assistant":
        return [fromAssistant(message)];
      case "tool":
        return message.content.flatMap((part) =>
          part.type === "tool-result" && "value" in part.output
            ? [{ role: "tool", tool_call_id: part.toolCallId, content: part.output.value }]
            : [],
        );
    }
  });
}

/** A text alone is a string, the only form that many servers accept. */
function toContent(parts: UserPart[]): unknown {
  const [first] = parts;
  return parts.length === 1 && first?.type === "text" ? first.text : parts.map(toPart);
}

function toPart(part: UserPart): Message {
  if (part.type === "text") return { type: "text", text: part.text };
  const { data, mediaType } = part;
  const bytes = data.type === "data" ? data.data : "";
  const url = `data:${mediaType};base64,${typeof bytes === "string" ? bytes : Buffer.from(bytes).toString("base64")}`;
  if (mediaType.startsWith("image/")) return { type: "image_url", image_url: { url } };
  // The text before the file has its own name.
  return { type: "file", file: { filename: "document.pdf", file_data: url } };
}

function fromAssistant({ content, providerOptions }: AssistantMessage): Message {
  const joined = (type: "text" | "reasoning"): string =>
    content.map((part) => (part.type === type ? part.text : "")).join("");
  const [text, reasoning] = [joined("text"), joined("reasoning")];
  const calls = content.flatMap((part) => (part.type === "tool-call" ? toCall(part) : []));
  return {
    role: "assistant",
    content: calls.length > 0 ? text || null : text,
    ...(reasoning !== "" && { reasoning_content: reasoning }),
    ...(calls.length > 0 && { tool_calls: calls }),
    ...providerOptions?.["openaiCompatible"],
  };
}

function toCall(part: Extract<AssistantMessage["content"][number], { type: "tool-call" }>): Message {
  const { toolCallId, toolName, input, providerOptions } = part;
  const signature = providerOptions?.[chatNamespace]?.["thoughtSignature"];
  return {
    id: toolCallId,
    type: "function",
    function: { name: toolName, arguments: JSON.stringify(input) },
    ...(typeof signature === "string" && { extra_content: { google: { thought_signature: signature } } }),
  };
}
