import { fullJitter, pause } from "../../async/backoff.ts";
import { type TimedResult, withTimeout } from "../../async/with-timeout.ts";
import type { Failure, ModelAnswer, ModelFailure, ModelOutcome, ModelRequest, SentRequest } from "../model.ts";
import { estimateBrokenOff, estimateUsage } from "./history/context-window.ts";
import { askedFallback, hasFallback, maxBegunFailures } from "./fallback.ts";
import {
  type AnswerEntry,
  entryCost,
  type FailedEntry,
  nextStep,
  type RecordedExchange,
  usageOfEntry,
} from "./journal.ts";
import { addUsage, noUsage } from "./turn-limits.ts";
import type { ModelCallFailed, TurnOutcome, TurnState } from "./turn-types.ts";

/** The part of a model request that the turn decides. */
export type TurnRequest = Pick<ModelRequest, "instructions" | "messages" | "tools" | "parameters" | "result">;

interface Answered {
  kind: "answered";
  answer: ModelAnswer;
  /** Duration of the successful attempt. */
  milliseconds: number;
  contextWindow?: number;
  firstTokenMs?: number;
  exchange: RecordedExchange;
}

/** How a request for an answer was made, as entries of failed calls record it. */
export type RequestRules = Pick<FailedEntry, "note" | "cut" | "noTools" | "refused">;

/** How a request ended. */
type RequestOutcome = Answered | ModelCallFailed | { kind: "timed_out" } | { kind: "stopped" };

/** How one attempt ended. */
type AttemptOutcome = Answered | (ModelCallFailed & Attempt) | ({ kind: "timed_out"; failure: Failure } & Attempt);

interface Attempt {
  milliseconds: number;
  exchange: RecordedExchange;
}

/**
 * Sends a request, with retries while the failure is retryable and all waits together fit `maxRetryWaitMs`. With a fallback,
 * the time of failed attempts counts as a wait. Records each failed attempt. Ends within `timeLeft` milliseconds. Rejects with
 * the signal's reason when the turn is stopped. `shown`: people who watch the run see the text while it is written.
 */
export async function requestAnswer(
  state: TurnState,
  request: TurnRequest,
  timeLeft: number,
  { made = {}, shown = false }: { made?: RequestRules; shown?: boolean } = {},
): Promise<RequestOutcome> {
  const { input, ports, progress } = state;
  const until = ports.now() + timeLeft;
  let waitLeft = Math.min(input.maxRetryWaitMs, timeLeft, input.deadline - ports.now());
  for (let attempt = 1; ; attempt++) {
    const outcome = withinBegun(state, await requestOnce(state, { request, shown }, until - ports.now()));
    if (outcome.kind === "answered") return outcome;
    const retryAfterMs = outcome.kind === "failed" ? outcome.retryAfterMs : undefined;
    const delay = retryDelay(attempt, retryAfterMs);
    if (outcome.failure.retryable) waitLeft -= Math.max(delay, 1); // bounds the number of immediate retries, too
    // A server that is silent for minutes is not asked again while another model can answer.
    if (hasFallback(state, outcome.failure)) waitLeft -= outcome.milliseconds;
    const last = !outcome.failure.retryable || waitLeft < 0;
    const waitMs = last ? retryAfterMs : delay;
    const failed = {
      ...failedEntry(state, outcome, { attempt, waitMs, last }),
      ...costOfFailed(state, request, outcome),
    };
    state.begun.used = addUsage(state.begun.used, usageOfEntry(failed) ?? noUsage);
    if (!(await ports.record(last ? { ...failed, ...made } : failed))) return { kind: "stopped" };
    if (last) return outcome;
    ports.emit({ type: "model-retry-scheduled", step: nextStep(progress), milliseconds: delay });
    await pause(delay, ports.signal);
  }
}

/** The outcome of an attempt. Counts failed ones that were answered, and makes the last one that a turn may have final. */
function withinBegun({ begun, isFallback }: TurnState, outcome: AttemptOutcome): AttemptOutcome {
  if (outcome.kind !== "failed" || !outcome.begun) return outcome;
  const failures = isFallback ? ++begun.ofFallback : ++begun.failures;
  if (failures < maxBegunFailures) return outcome;
  const failure: Failure = {
    category: "model_answer",
    title: `The model's answer broke off ${failures} times in this turn, and it is not asked again. Last: ${outcome.failure.title}`,
    remedy:
      "The provider may have charged for these calls. Check the model server and the network to it, then start a new run.",
    retryable: false,
  };
  return { ...outcome, failure };
}

/** What a failed call that was answered has cost: what the server reported, else by what was sent and what arrived. */
function costOfFailed(
  { input }: TurnState,
  request: TurnRequest,
  outcome: Exclude<AttemptOutcome, Answered>,
): Pick<FailedEntry, "usage" | "dollars"> {
  if (outcome.kind !== "failed" || !outcome.begun) return {};
  const { usage: reported, characters = 0 } = outcome;
  const usage = reported && reported.inputTokens > 0 ? reported : estimateBrokenOff(request, { characters, reported });
  return { usage, ...entryCost(usage, input.prices) };
}

function failedEntry(
  state: TurnState,
  { failure: { category, title }, milliseconds, exchange, ...more }: Exclude<AttemptOutcome, Answered>,
  { attempt, waitMs, last }: { attempt: number; waitMs: number | undefined; last: boolean },
): FailedEntry {
  return {
    part: "failed",
    step: nextStep(state.progress),
    failure: { category, title },
    attempt,
    milliseconds,
    ...(waitMs !== undefined && { waitMs }),
    ...(last && { last }),
    ...("begun" in more && more.begun && { begun: more.begun }),
    ...askedFallback(state),
    ...exchange,
  };
}

/** Milliseconds before the next attempt: full jitter, and at least what the provider asked for. */
export function retryDelay(attempt: number, retryAfterMs = 0): number {
  return Math.max(retryAfterMs, fullJitter(attempt, { first: 500, max: 8_000 }));
}

async function requestOnce(
  { ports, progress, input: { modelName, provider, prices }, isFallback }: TurnState,
  { request, shown }: { request: TurnRequest; shown: boolean },
  timeLeft: number,
): Promise<AttemptOutcome> {
  const step = nextStep(progress);
  const startedAt = ports.now();
  const requests: SentRequest[] = [];
  const onSent = (sent: SentRequest): void => void requests.push(sent);
  const asked = isFallback && {
    fallback: { ...(modelName !== undefined && { modelName }), ...(provider !== undefined && { provider }) },
  };
  ports.emit({ type: "model-call-started", step });
  const text = shown ? ports.showText?.(step) : undefined;
  const watched = text && { onText: text.write };
  const clientTools = ports.tools.filter(({ asks }) => asks === "client_tool").map(({ definition }) => definition.name);
  let result: TimedResult<ModelOutcome>;
  try {
    result = await withTimeout(timeLeft, ports.signal, (signal) =>
      ports.model({ ...request, clientTools, readAttachment: ports.files.readAttachment, signal, onSent, ...watched }),
    );
  } finally {
    text?.end();
  }
  const milliseconds = ports.now() - startedAt;
  const exchange = requests.length > 0 ? { sent: requests } : {};
  ports.observe?.({ of: "model", request, ...(!result.timedOut && { outcome: result.value }) });
  if (result.timedOut) {
    ports.emit({ type: "model-call-failed", step, milliseconds, failure: timeLimit, ...asked });
    return { kind: "timed_out", failure: timeLimit, milliseconds, exchange };
  }
  const outcome = result.value;
  if ("failure" in outcome) {
    ports.emit({ type: "model-call-failed", step, milliseconds, failure: outcome.failure, ...asked });
    return { kind: "failed", milliseconds, exchange, ...outcome };
  }
  const { received, contextWindow, firstTokenMs } = outcome;
  const answer = withUsage(outcome.answer, request);
  const { finishReason: stopReason, usage } = answer;
  const named = received?.model !== undefined && { responseModel: received.model };
  const cost = entryCost(usage, prices);
  ports.emit({ type: "model-call-completed", step, milliseconds, ...usage, ...cost, stopReason, ...named, ...asked });
  const measured = firstTokenMs !== undefined && { firstTokenMs };
  const window = contextWindow !== undefined && { contextWindow };
  return {
    kind: "answered",
    answer,
    milliseconds,
    ...measured,
    ...window,
    exchange: { ...exchange, ...(received && { received }) },
  };
}

/** The answer with an estimate where the provider reported no tokens: limits act on it, and nothing is counted as free. */
function withUsage(answer: ModelAnswer, request: TurnRequest): ModelAnswer {
  return answer.usage.inputTokens > 0 ? answer : { ...answer, usage: estimateUsage(request, answer) };
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
