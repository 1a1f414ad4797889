import { type LimitReason, noUsage, addUsage, type Prices, type Usage, usageOf } from "./limits.ts";
import type { Message, ModelAnswer, ToolCall, ToolResult, TokenUsage } from "../model.ts";

/**
 * How a finished turn came to its end: by itself, at a limit, or with an answer that was cut at the longest that the
 * model may give, or that its provider refused or cut for what it says.
 */
export type FinishReason = "normally" | LimitReason | `run_${LimitReason}` | "answer_length" | "answer_filtered";

/**
 * What a step leaves behind, recorded before the next thing happens. JSON-serialisable; steps count from 1, calls
 * from 0 in the order of the answer.
 * - `answer`: it holds its tool calls, and so is the intent of those that can be made twice. `note`: what
 *   the turn told the model, beyond the conversation, before it. `cut`: what was left out of the conversation from
 *   then on. `ended`: set on the last answer of a turn that did not end normally.
 * - `began`: a call that is not to be made twice is about to be made.
 * - `result`: of one call.
 * - `summary`: a model call whose text stands for the first `messages` messages of the conversation from then on.
 *   `throughTurn`: the last earlier turn it covers, 0 for none.
 * `dollars`: what the model call cost, when the agent gives prices. `milliseconds`: how long the call took. Absent in
 * records written before it was kept.
 */
export type JournalEntry = { step: number } & (
  | {
      part: "answer";
      answer: ModelAnswer;
      note?: string;
      cut?: ContextCut;
      ended?: Exclude<FinishReason, "normally">;
      model?: string;
      milliseconds?: number;
      dollars?: number;
    }
  | { part: "began"; call: number }
  | { part: "result"; call: number; result: ToolResult; milliseconds?: number }
  | { part: "summary"; text: string; messages: number; throughTurn: number; usage: TokenUsage; dollars?: number }
);

export type AnswerEntry = Extract<JournalEntry, { part: "answer" }>;
export type SummaryEntry = Extract<JournalEntry, { part: "summary" }>;

/** The first `results` messages with tool results are shortened. `tokens`: how many that saved, as estimated. */
export interface ContextCut {
  results: number;
  tokens: number;
}

/** Tool calls of the last answer, of which some results are not recorded yet. */
export interface PendingCalls {
  step: number;
  calls: ToolCall[];
  /** Calls that are not to be made twice and were begun. */
  began: number[];
  /** Of each call, once it is recorded. */
  results: (ToolResult | undefined)[];
}

/** Where a turn stands, as a fold over its records. */
export interface TurnProgress {
  /** The conversation with every recorded step in it. */
  messages: Message[];
  /** Where in `messages` this turn's input is. */
  inputAt: number;
  /** By this turn's model calls, without their wall clock. */
  used: Usage;
  pending?: PendingCalls;
  /** The answer that ends the turn. */
  last?: AnswerEntry;
  /** Answers with neither text nor tool calls, in a row. */
  emptyAnswers: number;
  /** Tokens of the first `messages` messages with instructions and tools, as the provider counted them last. */
  counted?: { tokens: number; messages: number };
  /** The last record is a summary. */
  summarised?: true;
}

/** `history`: earlier turns and, last, this turn's input. */
export function startProgress(history: Message[]): TurnProgress {
  return { messages: [...history], inputAt: history.length - 1, used: noUsage, emptyAnswers: 0 };
}

/** Adds one record. Records are folded in the order of step, part and call. */
export function foldEntry(progress: TurnProgress, record: JournalEntry): TurnProgress {
  switch (record.part) {
    case "answer":
      return withAnswer(progress, record);
    case "summary":
      return withSummary(progress, record);
    case "began": {
      const { pending } = progress;
      return pending ? { ...progress, pending: { ...pending, began: [...pending.began, record.call] } } : progress;
    }
    case "result":
      return withResult(progress, record.call, record.result);
  }
}

/** The number of the step that comes next. */
export function nextStep({ used }: TurnProgress): number {
  return used.steps + 1;
}

/** What a record's model call used up, without its wall clock; undefined for one without a model call. */
export function usageOfEntry(record: JournalEntry): Usage | undefined {
  if (record.part === "answer") return { ...usageOf(record.answer.usage, undefined), dollars: record.dollars ?? 0 };
  if (record.part === "summary") return { ...usageOf(record.usage, undefined), dollars: record.dollars ?? 0 };
  return undefined;
}

/** The `dollars` of a record: none without prices. */
export function entryCost(usage: TokenUsage, prices: Prices | undefined): { dollars?: number } {
  return prices ? { dollars: usageOf(usage, prices).dollars } : {};
}

/** Nothing to give to the caller and nothing to do. */
export function isEmpty(answer: ModelAnswer): boolean {
  return answer.toolCalls.length === 0 && answer.text.trim() === "";
}

const shortenedCharacters = 200;

/** The conversation with the first `count` messages of tool results shortened. */
export function shortened(messages: Message[], count: number): Message[] {
  let left = count;
  return messages.map((message) => {
    if (message.role !== "tool" || left-- <= 0) return message;
    return { role: "tool", results: message.results.map(shortenedResult) };
  });
}

function shortenedResult({ attachments, ...result }: ToolResult): ToolResult {
  const { text } = result;
  if (text.length <= shortenedCharacters * 2 && !attachments) return result;
  const files = attachments ? ` Not attached any more: ${attachments.map(({ name }) => name).join(", ")}.` : "";
  const note = `[Shortened to save space: the result had ${text.length} characters.${files} Call the tool again if needed.]`;
  return { ...result, text: `${text.slice(0, shortenedCharacters).toWellFormed()}…\n${note}` };
}

function withAnswer(progress: TurnProgress, record: AnswerEntry): TurnProgress {
  const { pending: _, summarised: __, ...rest } = progress;
  const { answer, note, cut, step } = record;
  const { text, toolCalls, echo, usage } = answer;
  const before = cut ? shortened(rest.messages, cut.results) : rest.messages;
  const messages: Message[] = [
    ...before,
    ...(note === undefined ? [] : [{ role: "user", text: note, note: true } as const]),
    { role: "assistant", answer: { text, toolCalls, ...(echo !== undefined && { echo }) } },
  ];
  const empty = isEmpty(answer);
  return {
    ...rest,
    messages,
    used: addUsage(rest.used, usageOfEntry(record) ?? noUsage),
    ...(toolCalls.length > 0
      ? { pending: { step, calls: toolCalls, began: [], results: toolCalls.map(() => undefined) } }
      : !empty && { last: record }),
    emptyAnswers: empty ? rest.emptyAnswers + 1 : 0,
    // Servers that count nothing say 0.
    ...(usage.inputTokens > 0 && {
      counted: { tokens: usage.inputTokens + usage.outputTokens, messages: messages.length },
    }),
  };
}

function withResult(progress: TurnProgress, call: number, result: ToolResult): TurnProgress {
  const { pending, ...rest } = progress;
  if (!pending) return progress;
  const results = pending.results.with(call, result);
  const complete = results.filter((each) => each !== undefined);
  if (complete.length < results.length) return { ...rest, pending: { ...pending, results } };
  return { ...rest, messages: [...rest.messages, { role: "tool", results: complete }] };
}

function withSummary(progress: TurnProgress, record: SummaryEntry): TurnProgress {
  const { counted: _, ...rest } = progress;
  const input = rest.messages[rest.inputAt];
  const inputKept = record.messages <= rest.inputAt;
  return {
    ...rest,
    messages: [
      summaryMessage(record.text),
      ...(inputKept || !input ? [] : [input]),
      ...rest.messages.slice(record.messages),
    ],
    inputAt: inputKept ? rest.inputAt - record.messages + 1 : 1,
    used: addUsage(rest.used, usageOfEntry(record) ?? noUsage),
    summarised: true,
  };
}

/** How the model is told of what was summarised, in this turn or an earlier one. */
export function summaryMessage(text: string): Message {
  return {
    role: "user",
    text: `Summary of the conversation so far, which was left out for its length:\n${text}`,
    note: true,
  };
}
