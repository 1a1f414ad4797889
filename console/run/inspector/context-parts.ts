import type { ModelRequest } from "../api.ts";
import { messageText } from "./request/request-change.ts";

/** What filled the context window in a model call. `of`: the window, in tokens. */
export interface ContextUse {
  tokens: number;
  of: number;
  /** The provider counted `tokens`; otherwise they are estimated from the length, as the parts always are. */
  counted: boolean;
  /** By size, largest first. */
  parts: { name: string; tokens: number }[];
}

/** As the service estimates it: UTF-8 bytes per token. */
const bytesPerToken = 3;

/** The context of a request. `counted`: input tokens that the provider reported; 0 or undefined: none. */
export function contextUse(request: ModelRequest, counted: number | undefined): ContextUse {
  const { messages, instructions, tools, context_tokens: of } = request;
  const texts = new Map<string, string[]>([["Instructions", [instructions]]]);
  const add = (name: string, text: string): void => void texts.set(name, [...(texts.get(name) ?? []), text]);
  if (tools.length > 0) add("Tools", JSON.stringify(tools));
  for (const message of messages) {
    if (message.role === "user") add(message.note ? "Notes and files" : "Inputs", messageText(message));
    else add(message.role === "tool" ? "Tool results" : "Answers and calls", messageText(message));
  }
  const encoder = new TextEncoder();
  const sizes = [...texts].map(([name, all]) => ({ name, bytes: encoder.encode(all.join("")).length }));
  const bytes = sizes.reduce((sum, part) => sum + part.bytes, 0);
  const tokens = counted || Math.ceil(bytes / bytesPerToken);
  const parts = sizes
    .filter((part) => part.bytes > 0)
    .map((part) => ({ name: part.name, tokens: Math.round((tokens * part.bytes) / bytes) }))
    .toSorted((a, b) => b.tokens - a.tokens);
  return { tokens, of, counted: Boolean(counted), parts };
}
