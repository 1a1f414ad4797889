import type { Message, ToolDefinition, ToolResult } from "../model.ts";
import { type ContextCut, type TurnProgress, shortened } from "./journal.ts";

/** A model's window when the agent says nothing: what common models have at least. In tokens. */
export const defaultContextTokens = 128_000;

// Shares of the window. Cutting begins late and then cuts deep, because each cut makes the provider's prompt cache
// useless once; the rest is for the answer and for what the estimate gets wrong.
const full = 0.8;
const aim = 0.5;
const tail = 0.25;

/** UTF-8 bytes of a token: English prose has 4, tables and code 3, Chinese 3. Too few cuts too early, never too late. */
export const bytesOfToken = 3;

/** Characters of a tool result from which on it goes into the workspace: above what `read_file` gives at once. */
const maxResultCharacters = 24_000;

/** Characters of a tool result that the model gets whole; a small window takes smaller ones. */
export function resultCharacters(contextTokens: number): number {
  return Math.min(maxResultCharacters, contextTokens);
}

/** What is sent with every conversation. */
interface Fixed {
  instructions: string;
  tools: ToolDefinition[];
}

function sizeOf({ messages, counted }: TurnProgress, { instructions, tools }: Fixed): number {
  if (counted) return counted.tokens + estimate(messages.slice(counted.messages));
  return tokens(instructions) + toolTokens(tools) + estimate(messages);
}

/**
 * The window to plan with, in tokens, when the provider has found the conversation too long although `cut` was left out
 * of it. Undefined when no more can be left out.
 */
export function narrowerWindow(
  progress: TurnProgress,
  contextTokens: number,
  fixed: Fixed,
  cut: ContextCut | undefined,
): number | undefined {
  const left = cut?.tokens ?? 0;
  const narrower = Math.min(contextTokens, sizeOf(progress, fixed) - left);
  const { shorten, summarise } = contextPlan(progress, narrower, fixed);
  return summarise !== undefined || (shorten?.tokens ?? 0) > left ? narrower : undefined;
}

/**
 * What has to be left out before the next model call so that the conversation stays within the window: nothing, the
 * oldest tool results (`shorten`), or, when that does not help, the first `summarise` messages.
 */
export function contextPlan(
  progress: TurnProgress,
  contextTokens: number,
  fixed: Fixed,
): { shorten?: ContextCut; summarise?: number } {
  const { messages, inputAt } = progress;
  const size = sizeOf(progress, fixed);
  if (size <= contextTokens * full) return {};

  const cut = shortening(messages, size - contextTokens * aim);
  const fits = size - cut.tokens <= contextTokens * full;
  if (fits) return { shorten: cut };
  const summarise = olderMessages(messages, contextTokens * tail);
  // The input stays as it is, and one message alone, such as an earlier summary, hardly becomes shorter.
  const replaced = summarise - (summarise > inputAt ? 1 : 0);
  if (replaced > 1 && !progress.summarised) return { summarise };
  return cut.results > 0 ? { shorten: cut } : {};
}

/** The fewest of the oldest results whose shortening saves `wanted` tokens; the newest results are left whole. */
function shortening(messages: Message[], wanted: number): ContextCut {
  const all = messages.filter((message) => message.role === "tool");
  let [results, saved] = [0, 0];
  for (const message of all.slice(0, -1)) {
    if (saved >= wanted) break;
    results++;
    saved += estimate([message]) - estimate(shortened([message], 1));
  }
  return { results, tokens: saved };
}

/** How many messages come before the last ones that fit into `room` tokens, cut where a step begins. */
function olderMessages(messages: Message[], room: number): number {
  let left = room;
  let first = messages.length;
  for (let index = messages.length - 1; index > 0; index--) {
    const message = messages[index];
    if (!message) break;
    left -= estimate([message]);
    if (left < 0 && first < messages.length) break;
    if (message.role !== "tool") first = index;
    if (left < 0) break;
  }
  return first < messages.length ? first : 0;
}

const countedTools = new WeakMap<ToolDefinition, number>(); // JSON of all tools took a tenth of a step's time

function toolTokens(tools: ToolDefinition[]): number {
  return tools.reduce((sum, tool) => {
    const count = countedTools.get(tool) ?? tokens(JSON.stringify(tool));
    countedTools.set(tool, count);
    return sum + count;
  }, 0);
}

function estimate(messages: Message[]): number {
  return messages.reduce((sum, message) => sum + messageTokens(message), 0);
}

function messageTokens(message: Message): number {
  if (message.role === "user") return tokens(message.text);
  if (message.role === "tool") return message.results.reduce((sum, result) => sum + resultTokens(result), 0);
  const { text, toolCalls, echo } = message.answer;
  return tokens(echo === undefined ? text + JSON.stringify(toolCalls) : JSON.stringify(echo));
}

// An image costs some 1,600 tokens with common providers, a PDF that much for each of its pages.
const attachmentTokens = 3_000;

function resultTokens({ text, attachments = [] }: ToolResult): number {
  return tokens(text) + attachments.length * attachmentTokens;
}

function tokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / bytesOfToken);
}
