import { exactInput, type Message } from "../../model.ts";
import { canBeReadAgain, resultLine } from "../../tools/result-numbers.ts";
import type { Tool } from "../../tools/tool.ts";
import { bytesPerToken } from "./context-window.ts";
import type { TurnProgress } from "../journal.ts";
import { memoryIn } from "./summary-text.ts";
import type { Truncation } from "./truncation.ts";

/** Share of the context window for the lines that name results. */
const namedShare = 0.05;

/** Whether the tools have one that reads results again. Without it, results that are left out are not named. */
export function canReadAgain(tools: Tool[]): boolean {
  return tools.some(({ when, unavailable }) => when !== undefined && unavailable === undefined);
}

/** Whether the conversation, truncated by `truncation`, names results that it does not have in full. */
export function namesResults({ messages, namesTruncated }: TurnProgress, truncation?: Truncation): boolean {
  return truncation?.named === true || namesTruncated === true || memoryIn(messages[0])?.results !== undefined;
}

/**
 * One line for each result that a summary of the first `count` messages leaves out, oldest first: the newest that fit their share
 * of the window.
 */
export function namedResults(progress: TurnProgress, count: number, contextTokens: number): string[] {
  const { messages } = progress;
  const lines = [...(memoryIn(messages[0])?.results ?? []), ...linesOf(progress, messages.slice(0, count))];
  let left = contextTokens * namedShare * bytesPerToken;
  const first = lines.findLastIndex((line) => (left -= Buffer.byteLength(JSON.stringify(line))) < 0) + 1;
  return lines.slice(first);
}

function linesOf({ turn, resultSteps }: TurnProgress, messages: Message[]): string[] {
  let index = 0;
  return messages.flatMap((message, at) => {
    if (message.role !== "tool") return [];
    const step = resultSteps[index++] ?? 0;
    const answered = messages[at - 1];
    const calls = answered?.role === "assistant" ? answered.answer.toolCalls : [];
    return message.results.flatMap((result, call) => {
      const called = calls[call];
      return canBeReadAgain(result.name) ? resultLine({ turn, step, call }, called && exactInput(called), result) : [];
    });
  });
}
