import type {
  AnsweredEvent,
  AskedEvent,
  FileChange,
  ForkedEvent,
  ModelCallEvent,
  ResumedEvent,
  SummaryEvent,
  TokenUsage,
  ToolResultEvent,
} from "../../api/types.ts";

// What the page shows of a run. Times are milliseconds since 1970; undefined means "not recorded".

/** A text of the run. `length`: its length in characters. `text` is shorter when the server cut it. */
export interface LoadedText {
  text: string;
  length: number;
}

/** What a call waited for before it ran, and the answer. */
export interface Asked {
  kind: AskedEvent["kind"];
  at?: number;
  /** Absent: it waits, or its run ended before. */
  answer?: Pick<AnsweredEvent, "answer" | "answered_by" | "answered_by_name"> & {
    text: LoadedText;
    at?: number;
    sequence?: number;
  };
}

/** One tool call. Calls of one step ran in parallel. */
export interface Call {
  turn: number;
  step: number;
  /** From 0 in the order of the answer. */
  index: number;
  name: string;
  arguments: LoadedText;
  /** The name and the arguments that the model sent, if they were repaired. */
  sent?: string;
  startedAt?: number;
  endedAt?: number;
  milliseconds?: number;
  /** Absent: it needed no answer. */
  asked?: Asked;
  /** Absent while the call runs. */
  result?: LoadedText;
  /** The end of what it has printed so far, while it runs. */
  printed?: LoadedText;
  failed: boolean;
  files: FileChange[];
  attachments: ToolResultEvent["attachments"];
  /** Sequence number of the result's event. */
  sequence?: number;
  /** How often the start of the call was recorded. Only calls with effects record it. */
  starts: number;
  /** The call was interrupted: it may have run twice, or it is unknown whether it took effect. */
  interrupted?: "repeated" | "unknown";
}

/** A failed attempt of a model call, and the wait after it. */
export interface Attempt {
  category: string;
  title: string;
  attempt: number;
  startedAt?: number;
  endedAt?: number;
  /** Planned wait before the next attempt. */
  waitMs?: number;
  /** When the next attempt started. Absent: the wait lasts, or there was none. */
  resumedAt?: number;
  last: boolean;
}

/** One model call with its failed attempts and the tool calls that it asked for. */
export interface Step {
  turn: number;
  step: number;
  /** Position in the run, from 0. */
  index: number;
  /** Sequence number of the answer's event. */
  sequence?: number;
  text: LoadedText;
  /** The model's reasoning before the answer. Absent: there was none, or it is not recorded. */
  reasoning?: LoadedText;
  reasoningMs?: number;
  firstTokenMs?: number;
  /** False until the model has answered. */
  answered: boolean;
  model?: string;
  /** Start and end of the successful attempt. */
  startedAt?: number;
  endedAt?: number;
  milliseconds?: number;
  /** As the provider reported it, or an estimate. */
  usage?: TokenUsage;
  /** Whether `usage` and `dollars` are estimated. */
  estimated?: boolean;
  dollars?: number;
  finishReason?: string;
  /** Why the turn ended with this step. Absent: it did not, or normally. */
  ended?: string;
  /** The service's message to the model before this call. */
  note?: string;
  truncatedResults?: number;
  /** The fallback was asked, and why. Absent: the first model was. */
  fallback?: NonNullable<ModelCallEvent["fallback"]>;
  /** Where the answer does not fit the schema of the turn. Empty: it fits. Absent: it was not checked. */
  problems?: NonNullable<ModelCallEvent["result_problems"]>;
  calls: Call[];
  attempts: Attempt[];
}

/** A recorded interruption of a turn. */
export interface Gap {
  turn: number;
  /** The step in which the work continued. */
  step: number;
  reason: ResumedEvent["reason"];
  /** The last event before. The interruption came later. */
  from: number;
  /** When the work continued. */
  until: number;
  /** Answered steps of the run before the gap. */
  stepsKept: number;
  /** What may have been done twice. */
  repeats: ResumedEvent["repeats"];
  /** Tool calls that had no result. `interrupted` says what became of each. */
  calls: Call[];
}

export interface Message {
  turn: number;
  role: "input" | "output";
  text: LoadedText;
  at?: number;
  sequence?: number;
}

export interface Turn {
  /** When the fork of another run began. Its seconds count from there. */
  forkedAt?: number;
  turn: number;
  startedAt?: number;
  endedAt?: number;
  agentVersion?: number;
  steps: Step[];
  input?: Message;
  output?: Message;
  /** Why the turn ended. Absent: normally, or not yet. */
  ended?: string;
  tokens: number;
  dollars?: number;
}

/** A row of the timeline. `key` is stable. */
export type Row =
  | { kind: "turn"; key: string; turn: Turn }
  | { kind: "message"; key: string; message: Message }
  | { kind: "idle"; key: string; from: number; until: number }
  | { kind: "gap"; key: string; gap: Gap }
  | { kind: "step"; key: string; step: Step }
  | { kind: "summary"; key: string; summary: SummaryEvent }
  | { kind: "forked"; key: string; forked: ForkedEvent }
  | { kind: "limit"; key: string; turn: Turn; reason: string };

/** What all calls of one tool took. */
export interface ToolTotal {
  name: string;
  calls: number;
  failed: number;
  milliseconds: number;
  slowest: number;
  /** Durations of all ended calls, in the order of the results. */
  durations: number[];
  first: Call;
}

/** Totals of the run after a step, for the charts. */
export interface Point {
  turn: number;
  step: number;
  at?: number;
  tokens: number;
  /** Parts of the tokens: read from the provider's cache, other input, output. */
  cached: number;
  input: number;
  output: number;
  dollars: number;
  /** Of this step. Null: not recorded. */
  stepDollars: number | null;
  /** False: the cost of a step up to here is not recorded. */
  priced: boolean;
}
