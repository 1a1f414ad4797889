import { narrowerWindow } from "./context-window.ts";
import type { Failure, ModelAnswer, ModelFailure, ModelRequest, ToolDefinition } from "../model.ts";
import { withRetries } from "./retry.ts";
import { type AnswerEntry, type ContextCut, nextStep, entryCost, shortened } from "./journal.ts";
import type { TurnState } from "./types.ts";
import { withTimeout } from "../../async/with-timeout.ts";

interface ModelCall {
  /** What the turn tells the model beyond the conversation. */
  note: string | undefined;
  /** What is left out of the conversation from this call on. */
  cut: ContextCut | undefined;
  /** Empty: the model has to answer with text. */
  tools: ToolDefinition[];
  /** Milliseconds after which the call is cut off, its retries included. */
  timeLeft: number;
}

/**
 * The model's next answer to the conversation, as it is to be recorded. `too-long`: the provider refuses so much of it,
 * and the turn's window is smaller from now on, so that more is left out.
 */
export async function callModel(
  turn: TurnState,
  { note, cut, tools, timeLeft }: ModelCall,
): Promise<AnswerEntry | ModelFailure | "timed-out" | "too-long"> {
  const { input, ports, progress } = turn;
  const { instructions, parameters, modelName: model, prices } = input;
  const step = nextStep(progress);
  const messages = cut ? shortened(progress.messages, cut.results) : [...progress.messages];
  if (note !== undefined) messages.push({ role: "user", text: note, note: true });
  if (cut) ports.emit({ type: "context-cut", step, shortened: cut.results });
  const outcome = await ask(turn, { instructions, messages, tools, ...(parameters && { parameters }) }, timeLeft);
  if (outcome === "timed-out") return outcome;
  if ("failure" in outcome) {
    const narrower =
      outcome.contextOverflow && narrowerWindow(progress, turn.contextTokens, { instructions, tools }, cut);
    if (narrower === undefined) return outcome;
    turn.contextTokens = narrower;
    return "too-long";
  }
  return {
    part: "answer",
    step,
    ...outcome,
    ...(model !== undefined && { model }),
    ...(note !== undefined && { note }),
    ...(cut && { cut }),
    ...entryCost(outcome.answer.usage, prices),
  };
}

type Request = Pick<ModelRequest, "instructions" | "messages" | "tools" | "parameters">;
/** `milliseconds`: how long the call took that brought the answer. */
type Answered = { answer: ModelAnswer; milliseconds: number };
type Asked = Answered | ModelFailure | "timed-out";

/** One model call with its retries, cut off in time or by the turn's signal, even if the model ignores both. */
export function ask(turn: TurnState, request: Request, timeLeft: number): Promise<Asked> {
  const { input, ports, progress } = turn;
  const until = ports.now() + timeLeft;
  return withRetries<Answered>(() => askOnce(turn, request, until - ports.now()), {
    patience: Math.min(input.maxRetryWaitMs, timeLeft, input.deadline - ports.now()),
    signal: ports.signal,
    onWait: (milliseconds) => ports.emit({ type: "model-awaited", step: nextStep(progress), milliseconds }),
  });
}

async function askOnce({ ports, progress }: TurnState, request: Request, timeLeft: number): Promise<Asked> {
  const step = nextStep(progress);
  const begun = ports.now();
  ports.emit({ type: "model-called", step });
  const outcome = await withTimeout(timeLeft, ports.signal, (signal) =>
    ports.model({ ...request, readAttachment: (name) => ports.files.read(name), signal }),
  );
  const milliseconds = ports.now() - begun;
  if (outcome === "timed-out" || "failure" in outcome) {
    const failure = outcome === "timed-out" ? cutOff : outcome.failure;
    ports.emit({ type: "model-failed", step, milliseconds, failure });
    return outcome;
  }
  const { finishReason, usage } = outcome.answer;
  ports.emit({ type: "model-answered", step, milliseconds, ...usage, finishReason });
  return { ...outcome, milliseconds };
}

const cutOff: Failure = {
  category: "limit",
  title: "The model call was cut off because the turn's seconds are used up.",
  remedy: "Raise the agent's limit of seconds, or use a faster model.",
  retryable: false,
};
