import type { Message } from "../../agent/model.ts";
import { defaultContextTokens } from "../../agent/turn/history/context-window.ts";
import type { RebuiltRequest } from "../../runs/read/rebuild-request.ts";
import { wireAttachments, wireToolCall } from "../../http/rest/wire/event.ts";
import type { Schemas } from "../call.ts";

/** A rebuilt request without contents of attachments, and without the provider's original messages (`echo`). */
export function wireModelRequest({ request, configuration, asked, hash }: RebuiltRequest): Schemas["ModelRequest"] {
  const { instructions, messages, tools, parameters } = request;
  const { environment } = configuration;
  const { choice, provider } = asked;
  const own = provider && "model" in provider ? provider.model : undefined;
  return {
    instructions,
    messages: messages.map(wireMessage),
    tools: tools.map(({ name, description, input }) => {
      return { name, description, input_schema: input as Record<string, unknown> };
    }),
    parameters: parameters ? { ...parameters } : null,
    provider: provider?.provider ?? null,
    model: choice.model ?? own ?? null,
    context_tokens: choice.contextTokens ?? defaultContextTokens,
    configuration: hash,
    environment: environment ?? null,
  };
}

function wireMessage(message: Message): Schemas["Message"] {
  switch (message.role) {
    case "user": {
      const { text, note, attachments } = message;
      return { role: "user", text, note: note === true, attachments: wireAttachments(attachments) };
    }
    case "assistant": {
      const { text, toolCalls } = message.answer;
      return { role: "assistant", text, tool_calls: toolCalls.map(wireToolCall) };
    }
    case "tool":
      return {
        role: "tool",
        results: message.results.map(({ name, text, error, attachments }) => {
          return { name, text, is_error: error === true, attachments: wireAttachments(attachments) };
        }),
      };
  }
}
