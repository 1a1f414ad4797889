import { requestAnswer } from "../request-answer.ts";
import { defaultContextTokens } from "./context-window.ts";
import { askedFallback, hasFallback } from "../fallback.ts";
import { entryCost, nextStep, type SummaryEntry } from "../journal.ts";
import { canReadAgain, namedResults } from "./left-out-results.ts";
import { fittingMessages, keptInputs, summaryRequest, summaryRules as rules } from "./summary-request.ts";
import { memoryIn, memoryText } from "./summary-text.ts";
import type { ModelCallFailed, TurnState } from "../turn-types.ts";

export type SummaryOutcome =
  | { kind: "summarized"; entry: SummaryEntry }
  | ModelCallFailed
  | { kind: "timed_out" }
  | { kind: "stopped" };

/**
 * Summarizes the first `count` messages with a separate model call, or as many of them as fit it: the entry then has `more`.
 * When the provider rejects the call, the messages are dropped without a summary, so that the turn can continue; an earlier
 * summary stays. The entry is not recorded yet.
 */
export async function summarizeTurns(state: TurnState, count: number, timeLeft: number): Promise<SummaryOutcome> {
  const { input, ports, progress, contextTokens } = state;
  const { inputAt } = progress;
  const step = nextStep(progress);
  const all = { messages: progress.messages.slice(0, count), inputAt, contextTokens };
  const part = { ...all, messages: all.messages.slice(0, fittingMessages(all)) };
  const summarized = part.messages.length;
  ports.emit({ type: "conversation-compacted", step, summarizedMessages: summarized });
  const outcome = await requestAnswer(state, summaryRequest(part, { rules }), timeLeft);
  if (
    outcome.kind === "timed_out" ||
    outcome.kind === "stopped" ||
    (outcome.kind === "failed" && (outcome.failure.retryable || hasFallback(state, outcome.failure)))
  )
    return outcome;
  const answer =
    outcome.kind === "answered" ? outcome.answer : { text: "", usage: { inputTokens: 0, outputTokens: 0 } };
  const inputsLeft = progress.messages.slice(summarized).filter((message) => message.role === "user" && !message.note);
  const summary = answer.text.trim() || withoutNew(memoryIn(part.messages[0])?.summary);
  const results = canReadAgain(ports.tools) ? namedResults(progress, summarized, contextTokens) : [];
  const entry: SummaryEntry = {
    part: "summary",
    step,
    rules,
    text: memoryText({ summary, ...(results.length > 0 && { results }), inputs: keptInputs(part) }),
    messages: summarized,
    ...(summarized < count && { more: true }),
    throughTurn: input.turn - Math.max(1, inputsLeft.length),
    usage: answer.usage,
    ...(outcome.kind === "answered" && { milliseconds: outcome.milliseconds }),
    ...(contextTokens !== (input.contextTokens ?? defaultContextTokens) && { contextTokens }),
    ...entryCost(answer.usage, input.prices),
    ...askedFallback(state),
    ...(outcome.kind === "answered" && outcome.exchange),
  };
  return { kind: "summarized", entry };
}

/** The summary when the model wrote none. */
function withoutNew(earlier: string | undefined): string {
  return earlier === undefined
    ? "(Summary unavailable.)"
    : `${earlier}\n(Summary unavailable for the messages after this.)`;
}
