import { sentSchema } from "../../tools/sent-schema.ts";
import type { Message, ModelAnswer, TokenUsage, ToolDefinition, ToolResult } from "../../model.ts";
import { reasoningText } from "../../reasoning.ts";
import type { TurnProgress } from "../journal.ts";
import { truncateMessage, type Truncation } from "./truncation.ts";

/** Default context window in tokens. Common models have at least this. */
export const defaultContextTokens = 128_000;

// Shares of the context window. Compaction starts late and then removes much, because it invalidates the provider's
// prompt cache. The rest is for the model's answer and for errors of the estimate.
const compactAbove = 0.8;
const truncateTo = 0.5;
const keptBySummary = 0.25;

/** UTF-8 bytes per token: English prose has 4, tables and code 3, Chinese 3. A low value compacts too early, not too late. */
export const bytesPerToken = 3;

/** Longer tool results are written to a workspace file. More than `read_file` returns at once. */
const maxResultCharacters = 24_000;

/** Characters of a tool result that the model gets in full. A small context window gets less. */
export function resultCharacters(contextTokens: number): number {
  return Math.min(maxResultCharacters, contextTokens);
}

/** What every request contains besides the conversation. */
interface FixedContent {
  instructions: string;
  tools: ToolDefinition[];
  /** The schema of the turn's result. */
  result?: object;
}

/** What the requests of a turn contain with these tools. */
export function fixedContent(
  { instructions, resultSchema }: { instructions: string; resultSchema?: object },
  tools: ToolDefinition[],
): FixedContent {
  return { instructions, tools, ...(resultSchema && { result: sentSchema(resultSchema) }) };
}

/** Size of the next request in tokens: the provider's last count plus an estimate of later messages. */
function requestTokens({ messages, counted }: TurnProgress, fixed: FixedContent): number {
  if (counted) return counted.tokens + estimate(messages.slice(counted.messages));
  return fixedTokens(fixed) + estimate(messages);
}

function fixedTokens({ instructions, tools, result }: FixedContent): number {
  return tokens(instructions) + toolTokens(tools) + (result ? tokens(JSON.stringify(result)) : 0);
}

/**
 * The usage of a model call whose provider reported no input tokens. Output tokens that it did report are kept. An answer that
 * could not be read has cost its input, too.
 */
export function estimateUsage(request: FixedContent & { messages: Message[] }, answer: ModelAnswer): TokenUsage {
  const { text, toolCalls, usage } = answer;
  const output = [text, reasoningText(answer) ?? "", ...(toolCalls.length > 0 ? [JSON.stringify(toolCalls)] : [])];
  return estimated(request, usage.outputTokens || Math.ceil(tokens(output.join(""))));
}

/** The usage of a call whose answer broke off after these characters, or after the output tokens that were reported. */
export function estimateBrokenOff(
  request: FixedContent & { messages: Message[] },
  { characters, reported }: { characters: number; reported: TokenUsage | undefined },
): TokenUsage {
  return estimated(request, reported?.outputTokens || Math.ceil(characters / bytesPerToken));
}

function estimated(
  { messages, ...fixed }: FixedContent & { messages: Message[] },
  outputTokens: number,
): TokenUsage & { estimated: true } {
  return { inputTokens: Math.ceil(fixedTokens(fixed) + estimate(messages)), outputTokens, estimated: true };
}

/**
 * The context window to plan with after the provider rejected the conversation, truncated by `truncation`, as too long.
 * Undefined when no further compaction is possible.
 */
export function reducedWindow(
  progress: TurnProgress,
  contextTokens: number,
  fixed: FixedContent,
  truncation: Truncation | undefined,
): number | undefined {
  const saved = truncation?.tokens ?? 0;
  const reduced = Math.min(contextTokens, requestTokens(progress, fixed) - saved);
  const { truncate, summarize } = planCompaction(progress, reduced, fixed);
  return summarize !== undefined || (truncate?.tokens ?? 0) > saved ? reduced : undefined;
}

/**
 * The compaction needed before the next model call.
 * - Empty: the conversation fits.
 * - `truncate`: truncate the oldest tool results.
 * - `summarize`: when truncation is not enough, replace this number of messages by a summary.
 */
export function planCompaction(
  progress: TurnProgress,
  contextTokens: number,
  fixed: FixedContent,
): { truncate?: Truncation; summarize?: number } {
  const { messages, inputAt } = progress;
  const size = requestTokens(progress, fixed);
  if (size <= contextTokens * compactAbove) return {};

  const truncation = planTruncation(messages, size - contextTokens * truncateTo);
  const fits = size - truncation.tokens <= contextTokens * compactAbove;
  if (fits) return { truncate: truncation };
  const summarize = countOlderMessages(progress, contextTokens * keptBySummary);
  // The turn's input is kept as it is. A single message, such as an earlier summary, hardly gets shorter.
  const replaced = summarize - (summarize > inputAt ? 1 : 0);
  if (replaced > 1 && progress.summarized !== "wholly") return { summarize };
  return truncation.results > 0 ? { truncate: truncation } : {};
}

/** The fewest oldest tool results whose truncation saves `wanted` tokens. The newest results stay whole. */
function planTruncation(messages: Message[], wanted: number): Truncation {
  const all = messages.filter((message) => message.role === "tool");
  let [results, saved] = [0, 0];
  for (const message of all.slice(0, -1)) {
    if (saved >= wanted) break;
    results++;
    saved += estimate([message]) - estimate([truncateMessage(message)]);
  }
  return { results, tokens: saved };
}

/**
 * Whether a summary can end before the message at `index`: at the start of an earlier turn, because later turns begin with
 * whole turns after the summary, or of a step of this turn.
 */
export function canEndBefore(
  index: number,
  { messages, inputAt }: Pick<TurnProgress, "messages" | "inputAt">,
): boolean {
  const message = messages[index];
  if (index > inputAt) return message?.role !== "tool";
  return message?.role === "user" && !message.note;
}

/** The number of messages before the last ones that fit `maxTokens`. */
function countOlderMessages(progress: Pick<TurnProgress, "messages" | "inputAt">, maxTokens: number): number {
  const { messages } = progress;
  let left = maxTokens;
  let first = messages.length;
  for (let index = messages.length - 1; index > 0; index--) {
    const message = messages[index];
    if (!message) break;
    left -= estimate([message]);
    if (left < 0 && first < messages.length) break;
    if (canEndBefore(index, progress)) first = index;
  }
  return first < messages.length ? first : 0;
}

/** Cache of tool sizes. Serializing all tools took a tenth of a step's time. */
const toolSizes = new WeakMap<ToolDefinition, number>();

function toolTokens(tools: ToolDefinition[]): number {
  return tools.reduce((sum, tool) => {
    const size = toolSizes.get(tool) ?? tokens(JSON.stringify(tool));
    toolSizes.set(tool, size);
    return sum + size;
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

/** Common providers count about 1,600 tokens per image; per PDF page the same, and its text. */
const attachmentTokens = 3_000;

function resultTokens({ text, attachments = [] }: ToolResult): number {
  const shown = attachments.reduce((sum, { pages = 1 }) => sum + pages, 0);
  return tokens(text) + shown * attachmentTokens;
}

function tokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / bytesPerToken);
}
