import type { Failure, Message, Model, ModelAnswer, ModelParameters, TokenUsage } from "../model.ts";
import type { Files, Tool } from "../tools/tool.ts";
import type { AnswerEntry, FinishReason, JournalEntry, TurnProgress } from "./journal.ts";
import type { LimitExceeded, Prices, RunLimits, TurnLimits, Usage } from "./limits.ts";

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
  journal: JournalEntry[];
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
export interface TurnState {
  input: TurnInput;
  ports: TurnPorts;
  /** The model's window; less than its agent says when the provider has found a conversation too long. */
  contextTokens: number;
  progress: TurnProgress;
}
