import type { Message, ToolResult } from "../../model.ts";
import { canBeReadAgain, resultNumber } from "../../tools/result-numbers.ts";

/** Truncation of the oldest tool results. */
export interface Truncation {
  /** Number of messages with tool results, from the first one: of messages, not of results. The name is stored. */
  results: number;
  /** Estimated saving. */
  tokens: number;
  /** Each truncated result says its number, by which `read_result` returns it. */
  named?: true;
}

/** A conversation of the run. `resultSteps`: the steps of its messages with tool results, in their order. */
interface Conversation {
  turn: number;
  messages: Message[];
  resultSteps: number[];
}

type ToolMessage = Extract<Message, { role: "tool" }>;

const truncatedCharacters = 200;

/** The conversation with the first messages of tool results truncated. */
export function truncateToolResults(
  { messages, turn, resultSteps }: Conversation,
  { results, named }: Omit<Truncation, "tokens">,
): Message[] {
  let index = 0;
  return messages.map((message) => {
    if (message.role !== "tool" || index >= results) return message;
    const step = resultSteps[index++] ?? 0;
    return truncateMessage(message, named && ((call) => resultNumber({ turn, step, call })));
  });
}

/** The message with its results truncated. `numberOf`: the number by which `read_result` returns the result of a call. */
export function truncateMessage({ results }: ToolMessage, numberOf?: (call: number) => string): ToolMessage {
  return {
    role: "tool",
    results: results.map((result, call) =>
      truncateResult(result, canBeReadAgain(result.name) ? numberOf?.(call) : undefined),
    ),
  };
}

function truncateResult({ attachments, ...result }: ToolResult, number: string | undefined): ToolResult {
  const { text } = result;
  if (text.length <= truncatedCharacters * 2 && !attachments) return result;
  const files = attachments ? ` Removed attachments: ${attachments.map(({ name }) => name).join(", ")}.` : "";
  const how = number === undefined ? "Call the tool again if needed." : `read_result with ${number} returns it again.`;
  const note = `[Truncated: the result had ${text.length} characters.${files} ${how}]`;
  return { ...result, text: `${text.slice(0, truncatedCharacters).toWellFormed()}…\n${note}` };
}
