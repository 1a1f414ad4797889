import type { Event, FileInput, RunStatus } from "./types.ts";
import type { TextPlace } from "./written-text.ts";

export interface EventsOptions {
  /** The `sequence` of the last event that is known. Null, as events of earlier releases have: begin with the first. */
  after?: number | null;
  /**
   * Called with the text that a model writes: the whole text of the step so far, again and again, and once with the whole text
   * before the event `model_call` of the step. Servers of earlier releases send the latter only.
   */
  onText?: (text: string, place: TextPlace) => unknown;
  /** Milliseconds. Then, `WaitTimeout` is thrown. */
  timeout?: number;
  /** Stops waiting. The run continues. */
  signal?: AbortSignal;
}

export interface WaitOptions {
  /** Milliseconds, for all requests and waits together. 30 minutes by default. Then, `WaitTimeout` is thrown. */
  timeout?: number;
  /** Begin after this event: the `sequence` of the last one that is known. By default, and with null, all are passed on. */
  after?: number | null;
  /** Called with each event, in order. */
  onEvent?: (event: Event) => unknown;
  /** Called with the text that a model writes, as `onText` of `events`. */
  onText?: (text: string, place: TextPlace) => unknown;
  /** Throw `RunFailed` unless the run is `finished`. Otherwise, read `run.status`. */
  raiseOnFailure?: boolean;
  /** Stops waiting. The run continues. */
  signal?: AbortSignal;
}

export interface ListOptions {
  /** The runs of one of the key's agents. By default, those of all of them. */
  templateId?: string;
  /** With one of several statuses. */
  status?: RunStatus | RunStatus[];
  /** A label, as `KEY=VALUE`. With all of several labels. */
  label?: string | string[];
  /** Created at or after this time. */
  since?: Date;
  /** Created before this time. */
  until?: Date;
  /** Text in the name or the first input. */
  q?: string;
}

export interface PageOptions extends ListOptions {
  /** `next` of the previous page. By default, the first page. */
  cursor?: string | undefined;
  /** Runs of one page, up to 200. 50 by default. */
  limit?: number;
}

export interface DownloadOptions {
  /** A path, or a folder. */
  to?: string;
  /** The file as it was after this step, as `TURN.STEP`. */
  at?: string;
}

export interface TokenOptions {
  /** Seconds until it expires: 60 to 2,592,000. Default: an hour. */
  expiresIn?: number;
}

export interface InputOptions {
  /**
   * A text of up to 255 visible ASCII characters. Inputs of a run with the same key and text are accepted once. By default, each
   * call has its own key.
   */
  idempotencyKey?: string;
}

/**
 * The answer to an open call. An approval has a `decision`; a client tool and a question have an `output`, which is a text or
 * JSON, or an `error`. The model reads all texts. `files`: at most 10 MiB, for the workspace of the run.
 */
export type CallAnswer =
  | { decision: "allow" }
  | { decision: "deny"; reason?: string }
  | { output: unknown; files?: readonly FileInput[] }
  | { error: string };

/**
 * Functions by the names of client tools; `ask_person` answers questions. Each gets the arguments of a call, and returns a
 * text or JSON, a `ToolOutput` with files, or a promise of one.
 */
// oxlint-disable-next-line typescript/no-explicit-any -- the agent file describes the arguments
export type ClientTools = Record<string, (args: any) => unknown>;
