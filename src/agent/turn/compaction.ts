import type { Message } from "../model.ts";
import { type ModelCallFailed, requestAnswer, type TurnRequest } from "./call-model.ts";
import { bytesPerToken, defaultContextTokens } from "./context-window.ts";
import { entryCost, nextStep, type SummaryEntry } from "./journal.ts";
import type { TurnState } from "./types.ts";

const instructions =
  "You summarize the first part of a conversation between a user and an agent that works with tools, so that the " +
  "agent can continue without it. Keep everything that later work may need: what was asked for, decisions, facts and " +
  "numbers found, file names and their contents, what was done and what is still to do. Answer with the summary only.";

/** Share of the context window for the messages to summarize. */
const inputShare = 0.5;
/** Characters of each message that the summarizing model receives. */
const maxMessageCharacters = 4_000;

export type SummaryOutcome =
  | { kind: "summarized"; entry: SummaryEntry }
  | ModelCallFailed
  | { kind: "timed_out" }
  | { kind: "stopped" };

/**
 * Summarizes the first `count` messages with a separate model call. When the provider rejects the call, the messages
 * are dropped without a summary, so that the turn can continue. The entry is not recorded yet.
 */
export async function summarize(state: TurnState, count: number, timeLeft: number): Promise<SummaryOutcome> {
  const { input, ports, progress } = state;
  const step = nextStep(progress);
  ports.emit({ type: "conversation-compacted", step, summarizedMessages: count });
  const request = summaryRequest(progress.messages.slice(0, count), state.contextTokens);
  const outcome = await requestAnswer(state, request, timeLeft);
  if (
    outcome.kind === "timed_out" ||
    outcome.kind === "stopped" ||
    (outcome.kind === "failed" && outcome.failure.retryable)
  )
    return outcome;
  const answer =
    outcome.kind === "answered" ? outcome.answer : { text: "", usage: { inputTokens: 0, outputTokens: 0 } };
  const inputsLeft = progress.messages.slice(count).filter((message) => message.role === "user" && !message.note);
  const entry: SummaryEntry = {
    part: "summary",
    step,
    text: answer.text.trim() || "(Summary unavailable.)",
    messages: count,
    throughTurn: input.turn - Math.max(1, inputsLeft.length),
    usage: answer.usage,
    ...(outcome.kind === "answered" && { milliseconds: outcome.milliseconds }),
    ...(state.contextTokens !== (input.contextTokens ?? defaultContextTokens) && {
      contextTokens: state.contextTokens,
    }),
    ...entryCost(answer.usage, input.prices),
  };
  return { kind: "summarized", entry };
}

/** The request for a summary of these messages. `contextTokens`: context window to plan with. */
export function summaryRequest(messages: Message[], contextTokens: number): TurnRequest {
  return { instructions, messages: [{ role: "user", text: asText(messages, contextTokens) }], tools: [] };
}

/** The messages as one text. Drops the oldest ones beyond their share of the context window. */
function asText(messages: Message[], contextTokens: number): string {
  let bytesLeft = contextTokens * inputShare * bytesPerToken;
  const lines: string[] = [];
  for (const line of messages.map(messageText).toReversed()) {
    bytesLeft -= Buffer.byteLength(line);
    if (bytesLeft < 0) break;
    lines.unshift(line);
  }
  return lines.join("\n\n");
}

function messageText(message: Message): string {
  if (message.role === "user") return `${message.note ? "Note" : "User"}: ${clip(message.text)}`;
  if (message.role === "tool")
    return message.results.map(({ name, text }) => `Result of ${name}: ${clip(text)}`).join("\n");
  const { text, toolCalls } = message.answer;
  const calls = toolCalls.map(({ name, input }) => `Agent calls ${name}: ${clip(JSON.stringify(input) ?? "")}`);
  return [...(text.trim() === "" ? [] : [`Agent: ${clip(text)}`]), ...calls].join("\n");
}

function clip(text: string): string {
  return text.length > maxMessageCharacters ? `${text.slice(0, maxMessageCharacters).toWellFormed()}…` : text;
}
