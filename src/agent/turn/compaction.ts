import { bytesOfToken } from "./context-window.ts";
import type { Message, ModelFailure } from "../model.ts";
import { ask } from "./call-model.ts";
import { nextStep, entryCost, type SummaryEntry } from "./journal.ts";
import type { TurnState } from "./types.ts";

const instructions =
  "You summarise the first part of a conversation between a user and an agent that works with tools, so that the " +
  "agent can go on without it. Keep everything that later work may need: what was asked for, decisions, facts and " +
  "numbers found, names of files and what they hold, what was done and what is still to do. Answer with the summary only.";

/** Share of the window that the messages to be summarised may fill. */
const share = 0.5;
/** Characters of one message that the summary is made of. */
const clippedCharacters = 4_000;

/**
 * A model call that puts the first `count` messages into a few words, as it is to be recorded. When the provider won't
 * do it, the run goes on without them rather than not at all.
 */
export async function compact(
  turn: TurnState,
  count: number,
  timeLeft: number,
): Promise<SummaryEntry | ModelFailure | "timed-out"> {
  const { input, ports, progress } = turn;
  const step = nextStep(progress);
  ports.emit({ type: "context-cut", step, summarised: count });
  const text = asText(progress.messages.slice(0, count), turn.contextTokens);
  const outcome = await ask(turn, { instructions, messages: [{ role: "user", text }], tools: [] }, timeLeft);
  if (outcome === "timed-out" || ("failure" in outcome && outcome.failure.retryable)) return outcome;
  const answer = "answer" in outcome ? outcome.answer : { text: "", usage: { inputTokens: 0, outputTokens: 0 } };
  const inputsLeft = progress.messages.slice(count).filter((message) => message.role === "user" && !message.note);
  return {
    part: "summary",
    step,
    text: answer.text.trim() || "(No summary could be made of it.)",
    messages: count,
    throughTurn: input.turn - Math.max(1, inputsLeft.length),
    usage: answer.usage,
    ...entryCost(answer.usage, input.prices),
  };
}

/** The messages as one text, the oldest left out when they fill more of the window than their share. */
function asText(messages: Message[], contextTokens: number): string {
  let room = contextTokens * share * bytesOfToken;
  const lines: string[] = [];
  for (const line of messages.map(messageText).toReversed()) {
    room -= Buffer.byteLength(line);
    if (room < 0) break;
    lines.unshift(line);
  }
  return lines.join("\n\n");
}

function messageText(message: Message): string {
  if (message.role === "user") return `${message.note ? "Note" : "User"}: ${clipped(message.text)}`;
  if (message.role === "tool")
    return message.results.map(({ name, text }) => `Result of ${name}: ${clipped(text)}`).join("\n");
  const { text, toolCalls } = message.answer;
  const calls = toolCalls.map(({ name, input }) => `Agent calls ${name}: ${clipped(JSON.stringify(input) ?? "")}`);
  return [...(text.trim() === "" ? [] : [`Agent: ${clipped(text)}`]), ...calls].join("\n");
}

function clipped(text: string): string {
  return text.length > clippedCharacters ? `${text.slice(0, clippedCharacters).toWellFormed()}…` : text;
}
