import type { Activity } from "./run-progress.ts";

/** The text of an answer that a model is writing, without what the model writes for itself before it. */
export interface WrittenText {
  turn: number;
  step: number;
  /** Characters before `text`, which are not kept. 0 on one machine. */
  from: number;
  /** What is kept of the text so far: its end. */
  text: string;
}

/** Receives the text of one model call while it is written. */
export interface TextWriter {
  /** `text`: the whole text so far. */
  write: (text: string) => void;
  end: () => void;
}

/** The answers that models are writing. They are no part of a run's records: the recorded answer replaces them. */
export interface LiveText {
  open(runId: string, place: Pick<WrittenText, "turn" | "step">): TextWriter;
  /**
   * Undefined: no model writes an answer of the run, or it has written no text yet. `activity`: what the run does now.
   * Never rejects.
   */
  of(runId: string, activity: Activity | undefined): Promise<WrittenText | undefined>;
  /** Resolves soon after the text has changed, after so many milliseconds, or when `signal` aborts. */
  changed(runId: string, milliseconds: number, signal: AbortSignal): Promise<void>;
}
