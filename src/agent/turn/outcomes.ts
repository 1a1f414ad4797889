import type { Failure, ModelFailure } from "../model.ts";
import type { AnswerEntry } from "./journal.ts";
import type { TurnOutcome } from "./types.ts";

export const paused: TurnOutcome = { kind: "paused" };
export const stopped: TurnOutcome = { kind: "stopped" };

export function done(last: AnswerEntry): TurnOutcome {
  return { kind: "done", text: last.answer.text, last, ended: last.ended ?? "normally" };
}

/** `last`: the answer that it failed with, which was paid for all the same. */
export function failed(failure: Failure, last?: AnswerEntry): TurnOutcome {
  return { kind: "failed", failure, ...(last && { last }) };
}

/** After a model call that failed. `maxWait`: milliseconds, beyond which a wait would keep the run from its limit. */
export function unsuccessful({ failure, retryAfterMs: retryAfter }: ModelFailure, maxWait: number): TurnOutcome {
  if (!failure.retryable) return failed(failure);
  return { kind: "retry", failure, ...(retryAfter !== undefined && { after: Math.min(retryAfter, maxWait) }) };
}

export const refused: Failure = {
  category: "model_refused",
  title: "The model provider's content filter withheld the whole answer.",
  remedy: "Change the input or the agent's instructions, or use a model with another filter.",
  retryable: false,
};

export const emptyAgain: Failure = {
  category: "model_answer",
  title: "The model answered twice with neither text nor a tool call.",
  remedy: "Try the input on another model, or raise the most output tokens that the model server allows.",
  retryable: false,
};
