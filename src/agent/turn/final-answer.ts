import type { Failure, ModelAnswer } from "../model.ts";
import { reasoningText } from "../reasoning.ts";
import { callModel } from "./call-model.ts";
import { retryOrFail } from "./request-answer.ts";
import { ofBoth, withFallback } from "./fallback.ts";
import { type AnswerEntry, nextStep } from "./journal.ts";
import { offeredDefinitions } from "../tools/tool.ts";
import { type ReachedLimit, limitName } from "./turn-limits.ts";
import { checkedAnswer, correctionNote } from "./result.ts";
import type { Truncation } from "./history/truncation.ts";
import type { ActionResult, TurnState } from "./turn-types.ts";
import { callInText } from "./unmade-calls.ts";

/** How long the final answer may take beyond the turn's limit of seconds. */
export const finalAnswerMs = 120_000;

/**
 * Ends a turn at a limit: one model call, without tools and beyond the limit, whose text becomes the output. The turn
 * fails only when the model gives no text.
 */
export async function finalAnswer(
  state: TurnState,
  limit: ReachedLimit,
  truncation: Truncation | undefined,
): Promise<ActionResult> {
  const { reason, of } = limit;
  const name = limitName(limit);
  const finishReason = of === "run" ? (`run_${reason}` as const) : reason;
  const { resultSchema } = state.input;
  const { problems } = state.progress;
  const task = resultSchema
    ? "Send the result now, with what you have found so far."
    : "Answer the input now with what you have found so far, and say what is missing.";
  const except = resultSchema ? ", except to submit the result" : "";
  const reached = `You have reached the ${name}. You can no longer use tools${except}. ${task}`;
  const note = problems ? `${reached}\n\n${correctionNote(problems)}` : reached;
  state.ports.emit({ type: "limit-reached", step: nextStep(state.progress), reason, of });
  const outcome = await callModel(state, { note, truncation, tools: [], timeLeft: finalAnswerMs });
  switch (outcome.kind) {
    case "timed_out":
      return { kind: "failed", failure: limitFailure(name, "it took too long") };
    case "stopped":
      return outcome;
    case "adapted":
      return { kind: "continue", state: { ...state, ...outcome.change } };
    case "failed": {
      const next = withFallback(state, outcome);
      if (next) return { kind: "continue", state: next };
      const both = ofBoth(state, outcome);
      const { title, retryable } = both.failure;
      const last = both.last && { ...both.last, ended: finishReason };
      const failed = { ...both, ...(last && { last }), failure: limitFailure(name, title, retryable) };
      return retryOrFail(failed, finalAnswerMs);
    }
    case "answered": {
      const answer = withoutToolCalls(outcome.entry.answer);
      const answered: AnswerEntry = { ...outcome.entry, answer, ended: finishReason };
      if (answer.text.trim() === "") {
        return { kind: "failed", failure: limitFailure(name, "its answer was empty"), last: answered };
      }
      if (callInText(answer, offeredDefinitions(state.ports.tools)) !== undefined) {
        const last: AnswerEntry = { ...answered, unmade: "call_as_text" };
        return { kind: "failed", failure: limitFailure(name, "its answer was a tool call as text"), last };
      }
      const { entry: last, text } = await checkedAnswer(state, answered);
      return { kind: "done", text, last, finishReason };
    }
  }
}

/** Drops tool calls that the model made without tools, and the original message, which repeats them. Its reasoning stays. */
function withoutToolCalls(answer: ModelAnswer): ModelAnswer {
  if (answer.toolCalls.length === 0) return answer;
  const { echo: _, reasoning, ...kept } = answer;
  const text = reasoningText(answer);
  return { ...kept, toolCalls: [], ...(text !== undefined && { reasoning: { ...reasoning, text } }) };
}

function limitFailure(name: string, why: string, retryable = false): Failure {
  return {
    category: "limit",
    title: `The ${name} was reached, and the model gave no final answer: ${why}`.replace(/\.?$/, "."),
    remedy: "Raise the agent's limits, or give it a smaller task.",
    retryable,
  };
}
