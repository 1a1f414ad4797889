import type { LimitReason } from "./limits.ts";
import type { Message, ModelAnswer, ToolCall, ToolResult } from "./model.ts";

/** How a finished turn came to its end: by itself, at a limit, or cut off at the longest answer the model may give. */
export type Ended = "normally" | LimitReason | "answer_length";

/**
 * What a step leaves behind, recorded before the next thing happens. JSON-serialisable; steps count from 1.
 * `note`: what the turn told the model, beyond the conversation, before this answer. `ended`: set on the last answer
 * of a turn that did not end normally.
 */
export type StepPart = { step: number } & (
  | { part: "answer"; answer: ModelAnswer; note?: string; ended?: Exclude<Ended, "normally"> }
  | { part: "results"; results: ToolResult[] }
);

export type AnswerPart = Extract<StepPart, { part: "answer" }>;

/** Where a turn stands, as a fold over its records. */
export interface Progress {
  /** The conversation with every recorded step in it. */
  messages: Message[];
  /** Model calls so far, and their input and output tokens together. */
  steps: number;
  tokens: number;
  /** Tool calls of the last answer whose results are not recorded. */
  pending?: { step: number; calls: ToolCall[] };
  /** The answer that ends the turn. */
  last?: AnswerPart;
  /** Answers with neither text nor tool calls. */
  emptyAnswers: number;
}

export function startProgress(history: Message[]): Progress {
  return { messages: [...history], steps: 0, tokens: 0, emptyAnswers: 0 };
}

/** Adds one record. Records are folded in the order they were made: by step, the answer before its results. */
export function foldStep(progress: Progress, record: StepPart): Progress {
  const { pending: _, ...rest } = progress;
  if (record.part === "results") {
    return { ...rest, messages: [...rest.messages, { role: "tool", results: record.results }] };
  }
  const { answer, note } = record;
  const { text, toolCalls, echo } = answer;
  const empty = isEmpty(answer);
  return {
    ...rest,
    messages: [
      ...rest.messages,
      ...(note === undefined ? [] : [{ role: "user", text: note, note: true } as const]),
      { role: "assistant", answer: { text, toolCalls, ...(echo !== undefined && { echo }) } },
    ],
    steps: rest.steps + 1,
    tokens: rest.tokens + answer.usage.inputTokens + answer.usage.outputTokens,
    ...(toolCalls.length > 0 ? { pending: { step: record.step, calls: toolCalls } } : !empty && { last: record }),
    emptyAnswers: rest.emptyAnswers + (empty ? 1 : 0),
  };
}

/** Nothing to give to the caller and nothing to do. */
export function isEmpty(answer: ModelAnswer): boolean {
  return answer.toolCalls.length === 0 && answer.text.trim() === "";
}
