import { fullJitter, pause } from "../../async/backoff.ts";
import { withTimeout } from "../../async/with-timeout.ts";
import type { Failure, ModelAnswer, ModelFailure, ModelRequest, ToolDefinition } from "../model.ts";
import { defaultContextTokens, reducedWindow } from "./context-window.ts";
import { type AnswerEntry, entryCost, nextStep, truncateToolResults, type Truncation } from "./journal.ts";
import { truncatedInput } from "./truncated-input.ts";
import type { TurnOutcome, TurnState } from "./types.ts";

/**
 * How a model call ended, its retries included. `context_overflow`: the provider rejected the conversation as too long;
 * compact it for `contextTokens` and call again.
 */
export type ModelCallOutcome =
  | { kind: "answered"; entry: AnswerEntry }
  | ModelCallFailed
  | { kind: "timed_out" }
  | { kind: "context_overflow"; contextTokens: number };

/** `last`: an answer that cannot be used but has been paid for. */
export type ModelCallFailed = { kind: "failed"; last?: AnswerEntry } & ModelFailure;

interface ModelCall {
  /** A message from the turn itself, added after the conversation. */
  note: string | undefined;
  /** Tool results to truncate from this call on. */
  truncation: Truncation | undefined;
  /** Empty: the model must answer with text. */
  tools: ToolDefinition[];
  /** Milliseconds for the call, its retries included. */
  timeLeft: number;
}

/** Calls the model with the conversation. The entry is not recorded yet. */
export async function callModel(
  state: TurnState,
  { note, truncation, tools, timeLeft }: ModelCall,
): Promise<ModelCallOutcome> {
  const { input, ports, progress } = state;
  const { instructions, parameters, modelName: model, prices } = input;
  const step = nextStep(progress);
  const messages = truncation ? truncateToolResults(progress.messages, truncation.results) : [...progress.messages];
  if (note !== undefined) messages.push({ role: "user", text: note, note: true });
  if (truncation) ports.emit({ type: "conversation-compacted", step, truncatedMessages: truncation.results });
  const request = { instructions, messages, tools, ...(parameters && { parameters }) };
  const outcome = await requestAnswer(state, request, timeLeft);
  if (outcome.kind === "timed_out") return outcome;
  if (outcome.kind === "failed") {
    const fixed = { instructions, tools };
    const contextTokens = outcome.contextOverflow && reducedWindow(progress, state.contextTokens, fixed, truncation);
    return contextTokens === undefined ? outcome : { kind: "context_overflow", contextTokens };
  }
  const { answer, milliseconds, contextWindow } = outcome;
  const planned = input.contextTokens ?? defaultContextTokens;
  const entry: AnswerEntry = {
    part: "answer",
    step,
    answer,
    milliseconds,
    ...(model !== undefined && { model }),
    ...(contextWindow !== undefined && contextWindow < planned && { window: contextWindow }),
    ...(note !== undefined && { note }),
    ...(truncation && { cut: truncation }),
    ...entryCost(answer.usage, prices),
  };
  const reported = { inputTokens: answer.usage.inputTokens, contextWindow, previous: progress.counted?.inputTokens };
  const failure = truncatedInput(request, reported);
  return failure ? { kind: "failed", failure, last: entry } : { kind: "answered", entry };
}

type Request = Pick<ModelRequest, "instructions" | "messages" | "tools" | "parameters">;

/** How a request ended. `milliseconds`: duration of the successful attempt. */
type RequestOutcome =
  | { kind: "answered"; answer: ModelAnswer; milliseconds: number; contextWindow?: number }
  | ModelCallFailed
  | { kind: "timed_out" };

/**
 * Sends a request, with retries while the failure is retryable and all waits together fit `maxRetryWaitMs`. Ends within
 * `timeLeft` milliseconds. Rejects with the signal's reason when the turn is stopped.
 */
export async function requestAnswer(state: TurnState, request: Request, timeLeft: number): Promise<RequestOutcome> {
  const { input, ports, progress } = state;
  const until = ports.now() + timeLeft;
  let waitLeft = Math.min(input.maxRetryWaitMs, timeLeft, input.deadline - ports.now());
  for (let attempt = 1; ; attempt++) {
    const outcome = await requestOnce(state, request, until - ports.now());
    if (outcome.kind !== "failed" || !outcome.failure.retryable) return outcome;
    const delay = retryDelay(attempt, outcome.retryAfterMs);
    waitLeft -= Math.max(delay, 1); // bounds the number of immediate retries, too
    if (waitLeft < 0) return outcome;
    ports.emit({ type: "model-retry-scheduled", step: nextStep(progress), milliseconds: delay });
    await pause(delay, ports.signal);
  }
}

/** Milliseconds before the next attempt: full jitter, and at least what the provider asked for. */
export function retryDelay(attempt: number, retryAfterMs = 0): number {
  return Math.max(retryAfterMs, fullJitter(attempt, { first: 500, max: 8_000 }));
}

async function requestOnce(
  { ports, progress }: TurnState,
  request: Request,
  timeLeft: number,
): Promise<RequestOutcome> {
  const step = nextStep(progress);
  const startedAt = ports.now();
  ports.emit({ type: "model-call-started", step });
  const result = await withTimeout(timeLeft, ports.signal, (signal) =>
    ports.model({ ...request, readAttachment: (name) => ports.files.read(name), signal }),
  );
  const milliseconds = ports.now() - startedAt;
  if (result.timedOut) {
    ports.emit({ type: "model-call-failed", step, milliseconds, failure: timeLimit });
    return { kind: "timed_out" };
  }
  const outcome = result.value;
  if ("failure" in outcome) {
    ports.emit({ type: "model-call-failed", step, milliseconds, failure: outcome.failure });
    return { kind: "failed", ...outcome };
  }
  const { answer, responseModel, contextWindow } = outcome;
  const { finishReason: stopReason, usage } = answer;
  const named = responseModel !== undefined && { responseModel };
  ports.emit({ type: "model-call-completed", step, milliseconds, ...usage, stopReason, ...named });
  return { kind: "answered", answer, milliseconds, ...(contextWindow !== undefined && { contextWindow }) };
}

const timeLimit: Failure = {
  category: "limit",
  title: "The model call was aborted because the turn's limit of seconds is reached.",
  remedy: "Raise the agent's limit of seconds, or use a faster model.",
  retryable: false,
};

/** Ends the turn after a failed model call. `maxWaitMs`: upper bound of `retryAfterMs`, so that limits stay effective. */
export function retryOrFail(failed: ModelFailure & { last?: AnswerEntry }, maxWaitMs: number): TurnOutcome {
  const { failure, retryAfterMs, last } = failed;
  if (!failure.retryable) return { kind: "failed", failure, ...(last && { last }) };
  return {
    kind: "retry",
    failure,
    ...(retryAfterMs !== undefined && { retryAfterMs: Math.min(retryAfterMs, maxWaitMs) }),
  };
}
