import { limitName, type LimitExceeded } from "./limits.ts";
import type { Failure, ModelAnswer } from "../model.ts";
import { callModel } from "./call-model.ts";
import { done, failed, unsuccessful } from "./outcomes.ts";
import { type AnswerEntry, type ContextCut, nextStep } from "./journal.ts";
import type { TurnState, TurnOutcome } from "./types.ts";

/** The last answer may take this long beyond the turn's seconds. */
export const lastAnswerMilliseconds = 120_000;

/**
 * What becomes of a turn at a limit: one more model call, without tools and beyond the limit, for an answer with what
 * there is. Its text is the turn's output; only without any is the limit a failure. Undefined: more has to be left out.
 */
export async function finalAnswer(
  turn: TurnState,
  reached: LimitExceeded,
  cut: ContextCut | undefined,
): Promise<TurnOutcome | undefined> {
  const { reason, of } = reached;
  const limit = limitName(reached);
  const note =
    `The ${limit} is reached. Tools can no longer be used. ` +
    "Answer the input now with what you have found so far, and say what is missing.";
  turn.ports.emit({ type: "limit-reached", step: nextStep(turn.progress), reason, of });
  const part = await callModel(turn, { note, cut, tools: [], timeLeft: lastAnswerMilliseconds });
  if (part === "timed-out") return failed(limitFailure(limit, "it took too long"));
  if (part === "too-long") return undefined;
  if ("failure" in part) {
    const { title, retryable } = part.failure;
    return unsuccessful({ ...part, failure: limitFailure(limit, title, retryable) }, lastAnswerMilliseconds);
  }
  const ended = of === "run" ? (`run_${reason}` as const) : reason;
  const last: AnswerEntry = { ...part, answer: withoutCalls(part.answer), ended };
  return last.answer.text.trim() === "" ? failed(limitFailure(limit, "its answer was empty"), last) : done(last);
}

/** Calls that the model made all the same stay undone, and the echo would repeat them. */
function withoutCalls({ echo, ...answer }: ModelAnswer): ModelAnswer {
  const kept = echo !== undefined && answer.toolCalls.length === 0 && { echo };
  return { ...answer, toolCalls: [], ...kept };
}

function limitFailure(limit: string, why: string, retryable = false): Failure {
  return {
    category: "limit",
    title: `The ${limit} was reached, and the model gave no last answer: ${why}`.replace(/\.?$/, "."),
    remedy: "Raise the agent's limits, or give it a smaller task.",
    retryable,
  };
}
