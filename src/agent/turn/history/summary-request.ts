import { exactInput, type Message } from "../../model.ts";
import type { TurnRequest } from "../request-answer.ts";
import { bytesPerToken, canEndBefore } from "./context-window.ts";
import type { SummaryEntry } from "../journal.ts";
import { memoryIn } from "./summary-text.ts";

/** How the request for a summary is made. It is recorded, so that requests of earlier releases can be rebuilt. Absent: 1. */
export const summaryRules = 2;

const instructions =
  "You summarize the first part of a conversation between a user and an agent that works with tools, so that the " +
  "agent can continue without it. Keep everything that later work may need: what was asked for, decisions, facts and " +
  "numbers found, file names and their contents, what was done and what is still to do. Answer with the summary only.";
const ofEarlierSummary =
  " If the conversation begins with an earlier summary, your summary replaces it: keep all of its facts. The agent also " +
  "keeps the user's latest inputs word for word, so do not repeat them.";

/** Shares of the context window: for the messages to summarize, and for the user's inputs that are kept word for word. */
const [inputShare, keptShare] = [0.7, 0.25];
/** Characters of a tool call or result that the summarizing model receives. The agent can read files and pages again. */
const maxToolCharacters = 4_000;

/** The first part of a conversation, which is to be replaced. `inputAt`: index of the turn's input, which is kept anyway. */
interface Part {
  messages: Message[];
  inputAt: number;
  /** The context window to plan with, in tokens. */
  contextTokens: number;
}

/** The request for a summary of these messages, by the rules of `entry`. */
export function summaryRequest(part: Part, { rules }: Pick<SummaryEntry, "rules">): TurnRequest {
  const text = rules === undefined ? asText1(part) : asText(part);
  return {
    instructions: rules === undefined ? instructions : instructions + ofEarlierSummary,
    messages: [{ role: "user", text }],
    tools: [],
  };
}

/** The user's inputs that the summary of these messages keeps: the newest ones that fit. */
export function keptInputs(part: Part): string[] {
  return inputsOf(part).kept;
}

/** How many of the messages fit one request: at least two, of which the first can be an earlier summary. */
export function fittingMessages(part: Part): number {
  const { messages, contextTokens } = part;
  let left = contextTokens * inputShare * bytesPerToken - size(memoryLines(part));
  let fitting = 0;
  for (let count = memoryIn(messages[0]) ? 1 : 0; count < messages.length;) {
    const message = messages[count++];
    if (message) left -= size([messageText(message)]);
    if (left < 0 && fitting > 0) break;
    if (count > 1 && (count === messages.length || canEndBefore(count, part))) fitting = count;
  }
  return fitting || messages.length;
}

/** The inputs of the part, oldest first: those that are kept, and those for which there is no room, which are summarized. */
function inputsOf({ messages, inputAt, contextTokens }: Part): { kept: string[]; dropped: string[] } {
  const own = messages.flatMap((message, index) =>
    message.role === "user" && !message.note && index !== inputAt ? message.text : [],
  );
  const inputs = [...(memoryIn(messages[0])?.inputs ?? []), ...own];
  let left = contextTokens * keptShare * bytesPerToken;
  let first = inputs.length;
  for (; first > 0; first--) {
    left -= Buffer.byteLength(JSON.stringify(inputs[first - 1]));
    if (left < 0) break;
  }
  return { kept: inputs.slice(first), dropped: inputs.slice(0, first) };
}

/** The messages as text. What is longer than its share of the window is cut in the middle of its longest message. */
function asText(part: Part): string {
  const lines = linesOf(part);
  const excess = size(lines) - part.contextTokens * inputShare * bytesPerToken;
  if (excess <= 0) return lines.join("\n\n");
  const [memory, ...others] = memoryIn(part.messages[0]) ? lines : ["", ...lines];
  const longest = others.reduce((at, line, index) => (line.length > (others[at]?.length ?? 0) ? index : at), 0);
  const cut = others.map((line, index) => (index === longest ? withoutMiddle(line, excess) : line));
  return [...(memory ? [memory] : []), ...cut].join("\n\n");
}

function linesOf(part: Part): string[] {
  const { messages } = part;
  const own = memoryIn(messages[0]) ? messages.slice(1) : messages;
  return [...memoryLines(part), ...own.map(messageText)];
}

/** What an earlier summary keeps, without the inputs that are kept on. */
function memoryLines(part: Part): string[] {
  const memory = memoryIn(part.messages[0]);
  if (!memory) return [];
  const earlier = inputsOf(part).dropped.slice(0, memory.inputs.length);
  return [`Earlier summary: ${memory.summary}`, ...earlier.map((input) => `User, before the summary: ${input}`)];
}

function messageText(message: Message): string {
  if (message.role === "user") return `${message.note ? "Note" : "User"}: ${message.text}`;
  if (message.role === "tool") {
    return message.results.map(({ name, text }) => `Result of ${name}: ${clip(text)}`).join("\n");
  }
  const { text, toolCalls } = message.answer;
  const calls = toolCalls.map((call) => `Agent calls ${call.name}: ${clip(JSON.stringify(exactInput(call)) ?? "")}`);
  return [...(text.trim() === "" ? [] : [`Agent: ${text}`]), ...calls].join("\n");
}

function size(lines: string[]): number {
  return lines.reduce((sum, line) => sum + Buffer.byteLength(line) + 2, 0);
}

/** A text without at least so many bytes in its middle. Each character has at least one. */
function withoutMiddle(text: string, bytes: number): string {
  const half = Math.max(0, Math.floor((text.length - bytes) / 2) - 20);
  const left = text.length - 2 * half;
  return `${text.slice(0, half).toWellFormed()}\n[… ${left} characters left out …]\n${text.slice(text.length - half).toWellFormed()}`;
}

function clip(text: string): string {
  return text.length > maxToolCharacters ? `${text.slice(0, maxToolCharacters).toWellFormed()}…` : text;
}

/** Rules 1, of releases up to 0.2.0: each message clipped, and the oldest ones beyond their share of the window dropped. */
function asText1({ messages, contextTokens }: Part): string {
  let bytesLeft = contextTokens * 0.5 * bytesPerToken;
  const lines: string[] = [];
  for (const line of messages.map(messageText1).toReversed()) {
    bytesLeft -= Buffer.byteLength(line);
    if (bytesLeft < 0) break;
    lines.unshift(line);
  }
  return lines.join("\n\n");
}

function messageText1(message: Message): string {
  if (message.role === "user") return messageText({ ...message, text: clip(message.text) });
  if (message.role === "tool") return messageText(message);
  const { text, ...answer } = message.answer;
  return messageText({ ...message, answer: { ...answer, text: text.trim() === "" ? text : clip(text) } });
}
