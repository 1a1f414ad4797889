import { isObject } from "../json.ts";
import type { ModelAnswer } from "./model.ts";

/** The model's thinking before an answer. Undefined: the provider sent none, or it is not to be shown. */
export function reasoningText({ reasoning, echo, finishReason }: ModelAnswer): string | undefined {
  if (!reasoning) return undefined;
  return reasoning.text ?? joinedReasoning(partsOf(echo), finishReason === "length");
}

/** A part of a response, such as a text or a tool call. */
interface Part {
  type: string;
  text?: unknown;
}

/** The parts of a provider's original message, which is stored as JSON. */
function partsOf(echo: unknown): Part[] {
  const messages = isObject(echo) && "messages" in echo && Array.isArray(echo.messages) ? echo.messages : [];
  return messages.flatMap((message: { content?: unknown }) => {
    return Array.isArray(message.content) ? (message.content as Part[]) : [];
  });
}

/** The reasoning in a response: its own parts, or what its text begins with. Undefined: there is none. */
export function joinedReasoning(parts: readonly Part[], truncated: boolean): string | undefined {
  const textsOf = (type: "reasoning" | "text"): string[] =>
    parts.flatMap((part) => (part.type === type && typeof part.text === "string" ? [part.text] : []));
  const { thinking = "" } = splitThinking(textsOf("text").join(""), truncated);
  const texts = [...textsOf("reasoning"), thinking].map((text) => text.trim()).filter((text) => text !== "");
  return texts.length > 0 ? texts.join("\n\n") : undefined;
}

const tags = { begin: "<think>", end: "</think>" };

/** The end of thinking, not a text in backticks that names it. */
const endTag = /(?<!`)<\/think>(?!`)/;

/**
 * Splits off reasoning that the server did not separate from the text. It is still sent back to the model: some chat
 * templates need it, the others remove it themselves. A template that begins the answer with `<think>` leaves only the end of
 * it in the answer (ggml-org/llama.cpp#11861, langgenius/dify#17660).
 */
export function splitThinking(text: string, truncated: boolean): { thinking?: string; text: string } {
  const trimmed = text.trimStart();
  const begins = trimmed.startsWith(tags.begin);
  if (!begins && text.includes(tags.begin)) return { text };
  const start = begins ? tags.begin.length : 0;
  const end = begins ? trimmed.indexOf(tags.end) : trimmed.search(endTag);
  if (end === -1) return begins && truncated ? { thinking: trimmed.slice(start), text: "" } : { text };
  return { thinking: trimmed.slice(start, end), text: trimmed.slice(end + tags.end.length).trimStart() };
}

/**
 * What people see of an answer while it arrives: its text, and what the model thinks before it, both "" at first. `reasoning`:
 * what the server separated from the text.
 */
export function growingParts(text: string, reasoning: string): { thinking: string; text: string } {
  const begun = text.trimStart();
  const isTag = begun !== "" && tags.begin.startsWith(begun); // the first characters of it
  const { thinking = "", text: answer } = isTag ? { text: "" } : splitThinking(text, true);
  const texts = [reasoning, thinking].map((each) => each.trim()).filter((each) => each !== "");
  return { thinking: texts.join("\n\n"), text: answer };
}
