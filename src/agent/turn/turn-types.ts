import type {
  Failure,
  Message,
  Model,
  ModelFailure,
  ModelParameters,
  StopReason,
  TokenUsage,
  ModelOutcome,
  ModelRequest,
} from "../model.ts";
import type { CheckResult } from "../../results/result-types.ts";
import type { Tool, ToolContext, ToolOutput } from "../tools/tool.ts";
import type { AnswerEntry, AskedEntry, FinishReason, JournalEntry, TurnProgress } from "./journal.ts";
import type { ManifestFile } from "./files/manifest.ts";
import type { ResultWrites } from "./files/result-writes.ts";
import type { ReachedLimit, Prices, RunLimits, TurnLimits, Usage } from "./turn-limits.ts";
import type { TurnFiles } from "./files/workspace-types.ts";

/** A failed call of a model, after its retries. `last`: an answer that cannot be used but has been paid for. */
export type ModelCallFailed = { kind: "failed"; last?: AnswerEntry } & ModelFailure;

/** What a turn knows of a model that it can ask. */
export interface AskedModel {
  /** Stored in the journal. */
  modelName?: string;
  /** Name of its model configuration. Absent: it is the organization's model. */
  modelConfiguration?: string;
  /** Name of its provider, for traces. */
  provider?: string;
  parameters?: ModelParameters;
  prices?: Prices;
  /** Context window of the model, in tokens. */
  contextTokens?: number;
}

/** What a turn works on. Times are milliseconds since 1970. */
export interface TurnInput extends AskedModel {
  /** Counts from 1 within the run. */
  turn: number;
  /** System prompt. */
  instructions: string;
  /** The model that is asked after the retries of the first one. Absent: there is none. */
  fallback?: AskedModel;
  /** JSON Schema of the turn's result. Absent: the output is any text. */
  resultSchema?: object;
  /** Earlier turns and, last, this turn's input. */
  history: Message[];
  /** This turn's journal so far, in the order of recording. */
  journal: JournalEntry[];
  /** The process that worked on the turn before was killed, perhaps by a program of it. */
  killed?: boolean;
  limits: TurnLimits;
  runLimits?: RunLimits;
  /** Usage of the run's earlier turns. */
  usedBefore: Usage;
  /** Whether the model's reasoning is recorded for readers. Default: true. */
  recordReasoning?: boolean;
  /** When this turn's input was accepted. */
  startedAt: number;
  /** No step starts after this time. */
  deadline: number;
  /** Milliseconds that a tool call waits for an answer. */
  answerMs: number;
  /** Milliseconds that one model call may wait for retries. */
  maxRetryWaitMs: number;
}

/** What a turn needs from its environment. */
export interface TurnPorts extends Pick<ToolContext, "owner" | "results"> {
  model: Model;
  /** The model of `TurnInput.fallback`. */
  fallback?: Model;
  tools: Tool[];
  files: TurnFiles;
  /** Checks a result against the schema. Absent: it cannot be checked. */
  checkResult?: CheckResult;
  /** Milliseconds since 1970, by a clock that is not set during the turn: see `steadyClock`. */
  now(): number;
  /** Milliseconds since 1970 by the machine's clock, for times at which others act. */
  date(): number;
  /** Stops the turn immediately: closes the model connection and abandons running tools. */
  signal: AbortSignal;
  /**
   * Writes an entry to the journal. Resolves when it is durable. False: the run has left this turn, or the worker has
   * lost its lease; the turn must stop. Entries of one step can be written concurrently: they are recorded, and the calls
   * resolve, in the order of the calls. After a rejection, no later entry is recorded.
   */
  record(entry: JournalEntry): Promise<boolean>;
  emit(event: TurnEvent): void;
  /** Takes the input and output of each call, right before the event of its end. Absent: they are not needed. */
  observe?: (details: CallDetails) => void;
  /** Shows a step's answer while it is written: `write` gets its text and reasoning so far. Absent: nobody can watch. */
  showText?: (step: number) => { write: (text: string, reasoning: string) => void; end: () => void };
  /** Shows what a call prints while it runs. Absent: nobody can watch. */
  showOutput?: (call: { step: number; call: number }) => { write: (text: string) => void; end: () => void };
}

/**
 * How a call of `runTurn` ended.
 * - `done`: the turn has its output. `last` is not in the journal yet: the caller writes it together with the output.
 *   `files`: the files after the turn, if it changed some.
 * - `failed`: the turn cannot continue. `last`, when present, is not in the journal yet but has been paid for.
 * - `retry`: a later call can succeed. `retryAfterMs`: the delay that the provider asked for, within the turn's time.
 * - `asks`: tool calls wait for answers. `calls` are not in the journal yet: the caller writes them together, and ends the
 *   invocation. All other calls of the answer have their results.
 * - `paused`: the deadline has passed.
 * - `stopped`: the signal aborted, or `record` returned false.
 */
export type TurnOutcome =
  | { kind: "done"; text: string; last: AnswerEntry; finishReason: FinishReason; files?: ManifestFile[] }
  | { kind: "failed"; failure: Failure; last?: AnswerEntry }
  | { kind: "retry"; failure: Failure; retryAfterMs?: number }
  | { kind: "asks"; calls: AskedEntry[] }
  | { kind: "paused" }
  | { kind: "stopped" };

/** A turn in progress. Never mutated: each action returns the next state. */
export interface TurnState {
  /** The turn's input, with the settings of the model that is asked now. */
  input: TurnInput;
  /** The turn's ports, with the model that is asked now. */
  ports: TurnPorts;
  /** What `runTurn` was called with: the settings and the model are those of the first model. */
  given: { input: TurnInput; ports: TurnPorts };
  /** Whether the fallback is asked now. */
  isFallback: boolean;
  /** Context window to plan with. Smaller than configured after the provider rejected a conversation as too long. */
  contextTokens: number;
  progress: TurnProgress;
  /**
   * Failed calls of the turn that the server had answered, by model, and what those of this invocation have cost. Changed within
   * actions, so all states share it.
   */
  begun: { failures: number; ofFallback: number; used: Usage };
  /** Tools whose definitions the provider did not accept, and that no entry of an answer names yet. */
  refusing?: string[];
  /** Shared by all states. */
  writes: ResultWrites;
}

/** The result of one action of the turn: the next state, or the outcome that ends the loop. */
export type ActionResult = { kind: "continue"; state: TurnState } | TurnOutcome;

/** A model call or a tool call, with its texts. `outcome` is absent for a model call that was aborted. */
export type CallDetails =
  | {
      of: "model";
      request: Pick<ModelRequest, "instructions" | "messages" | "tools" | "parameters" | "result">;
      outcome?: ModelOutcome;
    }
  | { of: "tool"; input: unknown; output: ToolOutput };

/** Progress of a turn for logs and traces. Contains no prompts, outputs or file contents. Durations in milliseconds. */
export type TurnEvent =
  | { type: "model-call-started"; step: number }
  | ({
      type: "model-call-completed";
      step: number;
      milliseconds: number;
      stopReason: StopReason;
      responseModel?: string;
      /** Cost of the call. Absent: the model has no prices. */
      dollars?: number;
      fallback?: Pick<AskedModel, "modelName" | "provider">;
    } & TokenUsage)
  | {
      type: "model-call-failed";
      step: number;
      milliseconds: number;
      failure: Failure;
      fallback?: Pick<AskedModel, "modelName" | "provider">;
    }
  | { type: "fallback-asked"; step: number; failure: Failure }
  | { type: "model-retry-scheduled"; step: number; milliseconds: number }
  | { type: "conversation-compacted"; step: number; truncatedMessages?: number; summarizedMessages?: number }
  | { type: "tool-call-started"; step: number; callId: string; name: string }
  | { type: "tool-call-completed"; step: number; callId: string; name: string; milliseconds: number; error: boolean }
  | ({ type: "limit-reached"; step: number } & Pick<ReachedLimit, "reason" | "of">);
