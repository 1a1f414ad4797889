// The events of a run as the management API sends them. Times are RFC 3339; null means "not recorded".

export interface TokenUsage {
  input_tokens: number;
  output_tokens: number;
  cached_input_tokens?: number;
  cache_write_input_tokens?: number;
  reasoning_tokens?: number;
}

export interface FileChange {
  name: string;
  size: number;
  sha256?: string | null;
  /** The call deleted it. */
  deleted?: boolean;
}

/** What each event has. `cut`: full length in characters of each shortened text, by its path in the event. */
interface EventBase {
  sequence: number | null;
  at: string | null;
  turn: number;
  cut?: Record<string, number>;
}

export type InputEvent = EventBase & { type: "input"; text: string; agent_version: number | null };
export type OutputEvent = EventBase & { type: "output"; text: string };
export type ModelCallEvent = EventBase & {
  type: "model_call";
  step: number;
  text: string;
  tool_calls: { name: string; arguments: string }[];
  model: string | null;
  finish_reason: string | null;
  ended: string | null;
  usage: TokenUsage;
  dollars: number | null;
  milliseconds: number | null;
  note: string | null;
  configuration: string | null;
  agent_version: number | null;
  truncated_results: number | null;
};
export type ToolStartedEvent = EventBase & { type: "tool_started"; step: number; call: number };
export type ToolResultEvent = EventBase & {
  type: "tool_result";
  step: number;
  call: number;
  text: string;
  is_error: boolean;
  milliseconds: number | null;
  files: FileChange[];
  attachments: { name: string; media_type?: string }[];
};
export type SummaryEvent = EventBase & {
  type: "summary";
  step: number;
  text: string;
  messages: number;
  through_turn: number;
  usage: TokenUsage;
  milliseconds: number | null;
  dollars: number | null;
};
export type FailedEvent = EventBase & {
  type: "model_call_failed";
  step: number;
  category: string;
  title: string;
  attempt: number;
  milliseconds: number | null;
  wait_ms: number | null;
  last: boolean;
};

export type RunEvent =
  | InputEvent
  | OutputEvent
  | ModelCallEvent
  | ToolStartedEvent
  | ToolResultEvent
  | SummaryEvent
  | FailedEvent;

/** What a call of the current turn has printed so far. It is not recorded: the call's result replaces it. */
export interface CallOutput {
  step: number;
  call: number;
  /** The end of the output. */
  text: string;
  /** All characters so far. */
  characters: number;
}
