import { contextPlan, defaultContextTokens } from "./context-window.ts";
import { finalAnswer, lastAnswerMilliseconds } from "./final-answer.ts";
import {
  type Prices,
  type LimitExceeded,
  exceededLimit,
  type RunLimits,
  type TurnLimits,
  type Usage,
} from "./limits.ts";
import type {
  Failure,
  Message,
  Model,
  ModelAnswer,
  ModelFailure,
  ModelParameters,
  ToolDefinition,
  TokenUsage,
} from "../model.ts";
import { callModel } from "./call-model.ts";
import { done, emptyAgain, failed, paused, refused, stopped, unsuccessful } from "./outcomes.ts";
import {
  type AnswerEntry,
  type ContextCut,
  type FinishReason,
  foldEntry,
  isEmpty,
  type PendingCalls,
  type TurnProgress,
  startProgress,
  type JournalEntry,
} from "./journal.ts";
import { compact } from "./compaction.ts";
import { executeTools } from "./execute-tools.ts";
import { filesNote } from "../tools/list-files.ts";
import { type Files, offered, type Tool } from "../tools/tool.ts";

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
  record(part: JournalEntry): Promise<boolean>;
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
  recorded: JournalEntry[];
  limits: TurnLimits;
  runLimits?: RunLimits;
  /** What the run's earlier turns used up. */
  usedBefore: Usage;
  prices?: Prices;
  /** The model's window. */
  contextTokens?: number;
  /** When this turn's input was accepted, in milliseconds since 1970. */
  startedAt: number;
  /** Milliseconds since 1970 from which on no new step is begun. */
  deadline: number;
  /** Milliseconds that may be waited, for each step, for a provider that is busy. */
  maxRetryWaitMs: number;
}

/**
 * How a call of `runTurn` ended. `done`: `last` is not recorded yet, so that the caller can write it together with the
 * output, and so is that of `failed`, an answer that was paid for all the same. `retry`: waiting may help (`after`:
 * milliseconds the provider asked for, but not beyond the turn's own time). `paused`: the deadline has come.
 * `stopped`: the signal, or another worker.
 */
export type TurnOutcome =
  | { kind: "done"; text: string; last: AnswerEntry; ended: FinishReason }
  | { kind: "failed"; failure: Failure; last?: AnswerEntry }
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
    } & TokenUsage)
  | { type: "model-failed"; step: number; milliseconds: number; failure: Failure }
  | { type: "model-awaited"; step: number; milliseconds: number }
  | { type: "context-cut"; step: number; shortened?: number; summarised?: number }
  | { type: "tool-called"; step: number; callId: string; name: string }
  | { type: "tool-ended"; step: number; callId: string; name: string; milliseconds: number; error: boolean }
  | ({ type: "limit-reached"; step: number } & Pick<LimitExceeded, "reason" | "of">);

/** A turn in progress: what it was given, and where it stands. */
export interface Turn {
  input: TurnInput;
  ports: TurnPorts;
  /** The model's window; less than its agent says when the provider has found a conversation too long. */
  contextTokens: number;
  progress: TurnProgress;
}

/**
 * Works on a turn until it ends, its deadline comes, or it is stopped. Continues after the last of `recorded`: a step
 * whose answer is recorded costs no second model call, tools whose results are recorded do not run again.
 *
 * At a limit the model is called once more, without tools and beyond the limit, to answer with what it has. An answer
 * with neither text nor tool calls is asked for once more; the second one in a row fails the turn.
 *
 * Rejects only with what `record`, `files` or a tool reject with: trouble that is not the model's to fix.
 */
export async function runTurn(input: TurnInput, ports: TurnPorts): Promise<TurnOutcome> {
  const { history, recorded, contextTokens = defaultContextTokens } = input;
  const turn: Turn = { input, ports, contextTokens, progress: recorded.reduce(foldEntry, startProgress(history)) };
  try {
    for (;;) {
      ports.signal.throwIfAborted();
      const outcome = await proceed(turn);
      if (outcome) return outcome;
    }
  } catch (error) {
    if (ports.signal.aborted) return stopped;
    throw error;
  }
}

/** Does the next thing: of an answer its calls, of a long conversation its summary, or a step. Undefined: it goes on. */
async function proceed(turn: Turn): Promise<TurnOutcome | undefined> {
  const { input, ports, progress } = turn;
  if (progress.last) return done(progress.last);
  if (progress.pending) return callTools(turn, progress.pending);
  if (ports.now() >= input.deadline) return paused;

  const used = { ...progress.used, milliseconds: ports.now() - input.startedAt };
  const reached = exceededLimit(used, input.usedBefore, input.limits, input.runLimits);
  const tools = reached ? [] : offered(ports.tools);
  const plan = contextPlan(progress, turn.contextTokens, { instructions: input.instructions, tools });
  if (plan.summarise !== undefined) {
    return shortenHistory(turn, plan.summarise, reached);
  }
  return reached ? finalAnswer(turn, reached, plan.shorten) : takeStep(turn, tools, plan.shorten);
}

async function callTools(turn: Turn, pending: PendingCalls): Promise<TurnOutcome | undefined> {
  const results = await executeTools(turn, pending, timeLeft(turn));
  if (results === "stopped") return stopped;
  turn.progress = results.reduce(foldEntry, turn.progress);
  return undefined;
}

async function shortenHistory(
  turn: Turn,
  messages: number,
  reached: LimitExceeded | undefined,
): Promise<TurnOutcome | undefined> {
  const part = await compact(turn, messages, reached ? lastAnswerMilliseconds : timeLeft(turn));
  if (part === "timed-out") return finalAnswer(turn, reached ?? outOfSeconds(turn), undefined);
  return "failure" in part ? afterFailure(turn, part) : keep(turn, part);
}

/** Asks for the next answer, and judges what it means for the turn. */
async function takeStep(
  turn: Turn,
  tools: ToolDefinition[],
  cut: ContextCut | undefined,
): Promise<TurnOutcome | undefined> {
  const note = await noteBefore(turn);
  const part = await callModel(turn, { note, cut, tools, timeLeft: timeLeft(turn) });
  if (part === "timed-out") return finalAnswer(turn, outOfSeconds(turn), cut);
  if (part === "too-long") return undefined;
  if ("failure" in part) return afterFailure(turn, part);

  const { toolCalls, finishReason } = part.answer;
  if (toolCalls.length > 0) return keep(turn, part);
  const ended = cutEnds[finishReason];
  if (!isEmpty(part.answer)) return done(ended ? { ...part, ended } : part);
  if (finishReason === "content-filter") return failed(refused, part);
  return turn.progress.emptyAnswers > 0 ? failed(emptyAgain, part) : keep(turn, part);
}

/** What an answer that may not be whole ends its turn with. */
const cutEnds: { [Reason in ModelAnswer["finishReason"]]?: "answer_length" | "answer_filtered" } = {
  length: "answer_length",
  "content-filter": "answer_filtered",
};

/** Records a part before the turn goes on with it. */
async function keep(turn: Turn, part: JournalEntry): Promise<TurnOutcome | undefined> {
  if (!(await turn.ports.record(part))) return stopped;
  turn.progress = foldEntry(turn.progress, part);
  return undefined;
}

/** What the model is told before its next answer: at the start the files there are, after an empty answer to go on. */
async function noteBefore({ ports, progress }: Turn): Promise<string | undefined> {
  if (progress.messages.length === progress.inputAt + 1) {
    return offered(ports.tools).length > 0 ? filesNote(await ports.files.list()) : undefined;
  }
  if (progress.emptyAnswers === 0) return undefined;
  return "Your last answer was empty. Use a tool, or answer the input with text.";
}

/** Milliseconds of the turn's limit of seconds that are left. */
function timeLeft({ input, ports }: Turn): number {
  return input.limits.seconds * 1_000 - (ports.now() - input.startedAt);
}

function outOfSeconds({ input }: Turn): LimitExceeded {
  return { reason: "seconds", of: "turn", limit: input.limits.seconds };
}

function afterFailure(turn: Turn, failure: ModelFailure): TurnOutcome {
  return unsuccessful(failure, Math.max(timeLeft(turn), lastAnswerMilliseconds));
}
