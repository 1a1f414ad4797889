import { contextPlan, defaultContextTokens } from "./context.ts";
import {
  limitName,
  type Prices,
  type Reached,
  reachedLimit,
  type RunLimits,
  type TurnLimits,
  type Used,
} from "./limits.ts";
import type { Failure, Message, Model, ModelAnswer, ModelOutcome, ModelParameters, Usage } from "./model.ts";
import { callModel, summarise, wrapUpMilliseconds } from "./model-calls.ts";
import {
  type AnswerPart,
  type ContextCut,
  type Ended,
  foldStep,
  isEmpty,
  priced,
  type Progress,
  startProgress,
  type StepPart,
} from "./steps.ts";
import { runCalls } from "./tool-calls.ts";
import { filesNote } from "./tools/list-files.ts";
import type { Files, Tool } from "./tools/tool.ts";

export interface TurnPorts {
  model: Model;
  tools: Tool[];
  files: Files;
  /** Milliseconds since 1970. */
  now(): number;
  /** Stops the turn wherever it is: the model call's connection is closed, running tools are not waited for. */
  signal: AbortSignal;
  /**
   * Makes a part durable. False: somebody else moved the run on, and this turn is no longer ours. Parts of one step
   * may be given while earlier ones are still being written.
   */
  record(part: StepPart): Promise<boolean>;
  emit(event: TurnEvent): void;
}

export interface TurnInput {
  /** Counts from 1 within its run. */
  turn: number;
  instructions: string;
  /** The model's name, for the records. */
  modelName?: string;
  parameters?: ModelParameters;
  /** Earlier turns and, last, this turn's input. */
  history: Message[];
  /** This turn's records so far, by step, part and call. */
  recorded: StepPart[];
  limits: TurnLimits;
  runLimits?: RunLimits;
  /** What the run's earlier turns used up. */
  usedBefore: Used;
  prices?: Prices;
  /** The model's window. */
  contextTokens?: number;
  /** When this turn's input was accepted, in milliseconds since 1970. */
  startedAt: number;
  /** Milliseconds since 1970 from which on no new step is begun. */
  deadline: number;
  /** Milliseconds that may be waited, for each step, for a provider that is busy. */
  patience: number;
}

/**
 * How a call of `runTurn` ended. `done`: `last` is not recorded yet, so that the caller can write it together with the
 * output, and so is that of `failed`, an answer that was paid for all the same. `retry`: waiting may help (`after`:
 * milliseconds the provider asked for, but not beyond the turn's own time). `paused`: the deadline has come.
 * `stopped`: the signal, or another worker.
 */
export type TurnOutcome =
  | { kind: "done"; text: string; last: AnswerPart; ended: Ended }
  | { kind: "failed"; failure: Failure; last?: AnswerPart }
  | { kind: "retry"; failure: Failure; after?: number }
  | { kind: "paused" }
  | { kind: "stopped" };

/** What happens in a turn, without any content of prompts, answers and files. Durations are in milliseconds. */
export type TurnEvent =
  | { type: "model-called"; step: number }
  | ({
      type: "model-answered";
      step: number;
      milliseconds: number;
      finishReason: ModelAnswer["finishReason"];
    } & Usage)
  | { type: "model-failed"; step: number; milliseconds: number; failure: Failure }
  | { type: "model-awaited"; step: number; milliseconds: number }
  | { type: "context-cut"; step: number; shortened?: number; summarised?: number }
  | { type: "tool-called"; step: number; callId: string; name: string }
  | { type: "tool-ended"; step: number; callId: string; name: string; milliseconds: number; error: boolean }
  | ({ type: "limit-reached"; step: number } & Pick<Reached, "reason" | "of">);

/** A turn in progress: what it was given, and where it stands. */
export interface Turn {
  input: TurnInput;
  ports: TurnPorts;
  progress: Progress;
}

/**
 * Works on a turn until it ends, its deadline comes, or it is stopped. Continues after the last of `recorded`: a step
 * whose answer is recorded costs no second model call, tools whose results are recorded do not run again.
 *
 * At a limit the model is called once more, without tools and beyond the limit, to answer with what it has. An answer
 * with neither text nor tool calls is asked for once more in the same turn; the second one fails it.
 *
 * Rejects only with what `record`, `files` or a tool reject with: trouble that is not the model's to mend.
 */
export async function runTurn(input: TurnInput, ports: TurnPorts): Promise<TurnOutcome> {
  const turn: Turn = { input, ports, progress: input.recorded.reduce(foldStep, startProgress(input.history)) };
  try {
    for (;;) {
      ports.signal.throwIfAborted();
      const outcome = await proceed(turn);
      if (outcome) return outcome;
    }
  } catch (error) {
    if (ports.signal.aborted) return { kind: "stopped" };
    throw error;
  }
}

/** Does the next thing. Undefined: the turn goes on. */
async function proceed(turn: Turn): Promise<TurnOutcome | undefined> {
  const { input, ports, progress } = turn;
  const milliseconds = ports.now() - input.startedAt;
  const timeLeft = input.limits.seconds * 1000 - milliseconds;
  if (progress.last) return done(progress.last);
  if (progress.pending) {
    const results = await runCalls(turn, progress.pending, timeLeft);
    if (results === "stopped") return { kind: "stopped" };
    turn.progress = results.reduce(foldStep, progress);
    return undefined;
  }
  if (ports.now() >= input.deadline) return { kind: "paused" };

  const used = { ...progress.used, milliseconds };
  const reached = reachedLimit(used, input.usedBefore, input.limits, input.runLimits);
  const tools = reached ? [] : ports.tools.map(({ definition }) => definition);
  const plan = contextPlan(progress, input.contextTokens ?? defaultContextTokens, { ...input, tools });
  if (plan && "summarise" in plan) {
    const summary = await summarise(turn, plan.summarise, reached ? wrapUpMilliseconds : timeLeft);
    if (summary === "timed-out") return wrapUp(turn, overdue(input), undefined);
    return "failure" in summary ? unsuccessful(summary, timeLeft) : keep(turn, summary);
  }
  if (reached) return wrapUp(turn, reached, plan?.shorten);

  const step = progress.used.steps + 1;
  const note = await noteBefore(turn);
  const outcome = await callModel(turn, { note, cut: plan?.shorten, tools, timeLeft });
  if (outcome === "timed-out") return wrapUp(turn, overdue(input), plan?.shorten);
  if ("failure" in outcome) return unsuccessful(outcome, timeLeft);

  const part = answerPart(turn, step, outcome, note, plan?.shorten);
  const { answer } = part;
  if (answer.toolCalls.length > 0) return keep(turn, part);
  if (!isEmpty(answer)) return done(answer.finishReason === "length" ? { ...part, ended: "answer_length" } : part);
  if (answer.finishReason === "content-filter") return { kind: "failed", failure: refused, last: part };
  return progress.emptyAnswers > 0 ? { kind: "failed", failure: emptyAgain, last: part } : keep(turn, part);
}

async function keep(turn: Turn, part: StepPart): Promise<TurnOutcome | undefined> {
  if (!(await turn.ports.record(part))) return { kind: "stopped" };
  turn.progress = foldStep(turn.progress, part);
  return undefined;
}

function answerPart(
  { input }: Turn,
  step: number,
  { answer, milliseconds }: { answer: ModelAnswer; milliseconds: number },
  note: string | undefined,
  cut: ContextCut | undefined,
): AnswerPart {
  const { modelName: model } = input;
  const optional = {
    ...(model !== undefined && { model }),
    ...(note !== undefined && { note }),
    ...(cut && { cut }),
    ...priced(answer.usage, input.prices),
  };
  return { part: "answer", step, answer, milliseconds, ...optional };
}

function done(last: AnswerPart): TurnOutcome {
  return { kind: "done", text: last.answer.text, last, ended: last.ended ?? "normally" };
}

/** A wait that goes beyond the turn's time would keep the run from hearing of its limit. */
function unsuccessful(
  { failure, retryAfter }: Extract<ModelOutcome, { failure: Failure }>,
  timeLeft: number,
): TurnOutcome {
  if (!failure.retryable) return { kind: "failed", failure };
  const longest = Math.max(timeLeft, wrapUpMilliseconds);
  return { kind: "retry", failure, ...(retryAfter !== undefined && { after: Math.min(retryAfter, longest) }) };
}

function overdue({ limits }: TurnInput): Reached {
  return { reason: "seconds", of: "turn", limit: limits.seconds };
}

/** What the model is told before its next answer: at the start the files there are, after an empty answer to go on. */
async function noteBefore({ ports, progress }: Turn): Promise<string | undefined> {
  if (progress.messages.length === progress.inputAt + 1) {
    return ports.tools.length > 0 ? filesNote(await ports.files.list()) : undefined;
  }
  const last = progress.messages.at(-1);
  if (last?.role !== "assistant") return undefined;
  return "Your last answer was empty. Use a tool, or answer the input with text.";
}

/** One last call without tools. Its text is the turn's output; only without any is the limit a failure. */
async function wrapUp(turn: Turn, reached: Reached, cut: ContextCut | undefined): Promise<TurnOutcome> {
  const limit = limitName(reached);
  const step = turn.progress.used.steps + 1;
  const note =
    `The ${limit} is reached. Tools can no longer be used. ` +
    "Answer the input now with what you have found so far, and say what is missing.";
  turn.ports.emit({ type: "limit-reached", step, reason: reached.reason, of: reached.of });
  const outcome = await callModel(turn, { note, cut, tools: [], timeLeft: wrapUpMilliseconds });
  if (outcome === "timed-out") return { kind: "failed", failure: limitFailure(limit, "it took too long", false) };
  if ("failure" in outcome) {
    const failure = limitFailure(limit, outcome.failure.title, outcome.failure.retryable);
    return unsuccessful({ ...outcome, failure }, 0);
  }
  const { text, finishReason, usage, echo, toolCalls } = outcome.answer;
  // Calls that it made all the same stay undone; the echo would repeat them.
  const kept = echo !== undefined && toolCalls.length === 0 && { echo };
  const answer: ModelAnswer = { text, toolCalls: [], finishReason, usage, ...kept };
  const ended = reached.of === "run" ? (`run_${reached.reason}` as const) : reached.reason;
  const { milliseconds } = outcome;
  const last = { ...answerPart(turn, step, { answer, milliseconds }, note, cut), ended };
  if (text.trim() !== "") return done(last);
  return { kind: "failed", failure: limitFailure(limit, "its answer was empty", false), last };
}

const refused: Failure = {
  category: "model_refused",
  title: "The model provider's content filter withheld the whole answer.",
  remedy: "Change the input or the agent's instructions, or use a model with another filter.",
  retryable: false,
};

const emptyAgain: Failure = {
  category: "model_answer",
  title: "The model answered twice with neither text nor a tool call.",
  remedy: "Try the input on another model, or raise the most output tokens that the model server allows.",
  retryable: false,
};

function limitFailure(limit: string, why: string, retryable: boolean): Failure {
  return {
    category: "limit",
    title: `The ${limit} was reached, and the model gave no last answer: ${why}`.replace(/\.?$/, "."),
    remedy: "Raise the agent's limits, or give it a smaller task.",
    retryable,
  };
}
