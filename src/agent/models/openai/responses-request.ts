import type { LanguageModelV4CallOptions, LanguageModelV4Message, LanguageModelV4Prompt } from "@ai-sdk/provider";

/** An item of a conversation: a message, reasoning, a function call or its output. */
export type ResponsesItem = Record<string, unknown>;

/** Body of a request to the Responses API. */
export interface ResponsesRequest {
  input: ResponsesItem[];
  [field: string]: unknown;
}

/** Name of this API's part of provider options and metadata. */
export const responsesNamespace = "responses";

/** What is stored with each part of a reasoning item, to send the item back. */
export interface ReasoningPart {
  /** Id of the item. */
  id?: string;
  /** Where the text is in the item: a summary, or the reasoning itself. Absent: the item has no text. */
  place?: "summary" | "content";
  /** In the first part of the item. */
  encrypted_content?: string;
}

type UserPart = Extract<LanguageModelV4Message, { role: "user" }>["content"][number];
type AssistantPart = Extract<LanguageModelV4Message, { role: "assistant" }>["content"][number];

/**
 * Converts a call of the AI SDK to a request that leaves nothing on the server: the conversation is sent as a whole, with
 * encrypted reasoning. Tools are not strict, which is the API's default: it would make optional arguments required.
 */
export function responsesRequest(
  model: string,
  { prompt, tools = [], responseFormat, temperature, maxOutputTokens, reasoning, ...rest }: LanguageModelV4CallOptions,
): ResponsesRequest {
  const [first] = prompt;
  const functions = tools.flatMap((tool) => (tool.type === "function" ? tool : []));
  const format = responseFormat?.type === "json" ? responseFormat : undefined;
  return {
    model,
    ...(first?.role === "system" && { instructions: first.content }),
    input: toItems(prompt),
    ...(functions.length > 0 && {
      tools: functions.map(({ name, description, inputSchema }) => {
        return { type: "function", name, description, parameters: inputSchema, strict: false };
      }),
    }),
    ...(format && {
      text: { format: { type: "json_schema", name: format.name, strict: true, schema: format.schema } },
    }),
    ...(temperature !== undefined && { temperature }),
    ...(maxOutputTokens !== undefined && { max_output_tokens: maxOutputTokens }),
    reasoning: { ...(reasoning !== undefined && { effort: reasoning }), summary: "auto" },
    include: ["reasoning.encrypted_content"],
    store: false,
    stream: true,
    ...rest.providerOptions?.[responsesNamespace],
  };
}

function toItems(prompt: LanguageModelV4Prompt): ResponsesItem[] {
  return prompt.flatMap((message): ResponsesItem[] => {
    switch (message.role) {
      case "system":
        return []; // sent as `instructions`
      case "user":
        return [{ type: "message", role: "user", content: message.content.map(toInput) }];
      case "assistant":
        return fromAssistant(message.content);
      case "tool":
        return message.content.flatMap((part) =>
          part.type === "tool-result" && "value" in part.output
            ? [{ type: "function_call_output", call_id: part.toolCallId, output: part.output.value }]
            : [],
        );
    }
  });
}

function toInput(part: UserPart): ResponsesItem {
  if (part.type === "text") return { type: "input_text", text: part.text };
  const { data, mediaType } = part;
  const bytes = data.type === "data" ? data.data : "";
  const url = `data:${mediaType};base64,${typeof bytes === "string" ? bytes : Buffer.from(bytes).toString("base64")}`;
  if (mediaType.startsWith("image/")) return { type: "input_image", image_url: url };
  // The API requires a name. The text before the file has its own.
  return { type: "input_file", filename: `file.${mediaType.split("/").at(-1)}`, file_data: url };
}

function fromAssistant(parts: AssistantPart[]): ResponsesItem[] {
  const items: ResponsesItem[] = [];
  let open: { id: string | undefined; item: ReasoningItem } | undefined;
  for (const part of parts) {
    const options = part.providerOptions?.[responsesNamespace];
    if (part.type === "reasoning") {
      const { id, place, encrypted_content } = (options ?? {}) as ReasoningPart;
      if (!open || id === undefined || open.id !== id) {
        open = { id, item: { type: "reasoning", ...(id !== undefined && { id }), summary: [] } };
        items.push(open.item);
      }
      if (encrypted_content !== undefined) open.item.encrypted_content = encrypted_content;
      if (place === "summary") open.item.summary.push({ type: "summary_text", text: part.text });
      if (place === "content") (open.item.content ??= []).push({ type: "reasoning_text", text: part.text });
      continue;
    }
    open = undefined;
    if (part.type === "text") items.push({ type: "message", role: "assistant", content: part.text, ...options });
    if (part.type === "tool-call") {
      const { toolCallId, toolName, input } = part;
      items.push({ type: "function_call", call_id: toolCallId, name: toolName, arguments: JSON.stringify(input) });
    }
  }
  return items.filter(isUsable);
}

interface ReasoningItem extends ResponsesItem {
  summary: ResponsesItem[];
  content?: ResponsesItem[];
  encrypted_content?: string;
}

/** A summary alone is for people. The server has not stored the reasoning, so it rejects the item. */
function isUsable(item: ResponsesItem): boolean {
  return item["type"] !== "reasoning" || item["encrypted_content"] !== undefined || item["content"] !== undefined;
}
