import type { Activity } from "./run-progress.ts";
import type { WrittenText } from "./written-text.ts";

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
