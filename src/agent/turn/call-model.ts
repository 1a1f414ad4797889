import type { ModelAnswer, ToolDefinition } from "../model.ts";
import { defaultContextTokens, fixedContent, reducedWindow } from "./history/context-window.ts";
import { sentSchema } from "../tools/sent-schema.ts";
import { askedFallback } from "./fallback.ts";
import { type AnswerEntry, entryCost, nextStep, type TurnProgress } from "./journal.ts";
import { newlyRefused } from "./refused-tools.ts";
import { requestAnswer, type RequestRules, type TurnRequest } from "./request-answer.ts";
import { truncatedInput } from "./history/truncated-input.ts";
import { truncateToolResults, type Truncation } from "./history/truncation.ts";
import type { ModelCallFailed, TurnInput, TurnState } from "./turn-types.ts";

/**
 * How a model call ended, its retries included.
 * - `adapted`: call again with the changed state. The provider rejected the conversation as too long, or the definitions of tools.
 * - `stopped`: a failed attempt could not be recorded, because the run has left this turn.
 */
export type ModelCallOutcome =
  | { kind: "answered"; entry: AnswerEntry }
  | ModelCallFailed
  | { kind: "timed_out" }
  | { kind: "stopped" }
  | { kind: "adapted"; change: Pick<TurnState, "contextTokens"> | Pick<TurnState, "refusing"> };

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
  const { input, ports, progress, refusing = [] } = state;
  const { modelName: model, prices } = input;
  const step = nextStep(progress);
  if (truncation) ports.emit({ type: "conversation-compacted", step, truncatedMessages: truncation.results });
  const request = answerRequest(input, progress, { note, truncation, tools });
  const made: RequestRules = {
    ...(note !== undefined && { note }),
    ...(truncation && { cut: truncation }),
    ...(tools.length === 0 && { noTools: true }),
    ...(refusing.length > 0 && { refused: refusing }),
  };
  const outcome = await requestAnswer(state, request, timeLeft, { made, shown: true });
  if (outcome.kind === "timed_out" || outcome.kind === "stopped") return outcome;
  if (outcome.kind === "failed") {
    const fixed = fixedContent(input, tools);
    const contextTokens = outcome.contextOverflow && reducedWindow(progress, state.contextTokens, fixed, truncation);
    if (contextTokens !== undefined) return { kind: "adapted", change: { contextTokens } };
    const refused = newlyRefused(state, outcome);
    return refused.length > 0 ? { kind: "adapted", change: { refusing: [...refusing, ...refused] } } : outcome;
  }
  const { milliseconds, contextWindow, firstTokenMs } = outcome;
  const answer = input.recordReasoning === false ? withoutReasoning(outcome.answer) : outcome.answer;
  const planned = input.contextTokens ?? defaultContextTokens;
  const entry: AnswerEntry = {
    part: "answer",
    step,
    answer,
    milliseconds,
    ...(firstTokenMs !== undefined && { firstTokenMs }),
    ...(model !== undefined && { model }),
    ...(contextWindow !== undefined && contextWindow < planned && { window: contextWindow }),
    ...(note !== undefined && { note }),
    ...(truncation && { cut: truncation }),
    ...(refusing.length > 0 && { refused: refusing }),
    ...entryCost(answer.usage, prices),
    ...askedFallback(state),
    ...outcome.exchange,
  };
  const inputTokens = answer.usage.estimated ? 0 : answer.usage.inputTokens;
  const reported = { inputTokens, contextWindow, previous: progress.counted?.inputTokens };
  const failure = truncatedInput(request, reported);
  return failure ? { kind: "failed", failure, last: entry } : { kind: "answered", entry };
}

/** The answer without its reasoning, which stays in the original message that is sent back to the provider. */
function withoutReasoning(answer: ModelAnswer): ModelAnswer {
  const { reasoning: _, ...others } = answer;
  return others;
}

/** The request for an answer to the conversation. */
export function answerRequest(
  { instructions, parameters, resultSchema }: Pick<TurnInput, "instructions" | "parameters" | "resultSchema">,
  progress: TurnProgress,
  { note, truncation, tools }: Omit<ModelCall, "timeLeft">,
): TurnRequest {
  const messages = truncation ? truncateToolResults(progress, truncation) : [...progress.messages];
  if (note !== undefined) messages.push({ role: "user", text: note, note: true });
  return {
    instructions,
    messages,
    tools,
    ...(parameters && { parameters }),
    ...(resultSchema && { result: sentSchema(resultSchema) }),
  };
}
