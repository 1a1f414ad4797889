import type { RunActivity } from "./run-progress.ts";
import type { WrittenText } from "./search/written-text.ts";

/** Receives the answer of one model call while it is written. */
export interface TextWriter {
  /** `text`, `reasoning`: all so far. `reasoning`: what the model's server separates from the text. */
  write: (text: string, reasoning: string) => void;
  end: () => void;
}

/** The answers that models are writing. They are no part of a run's records: the recorded answer replaces them. */
export interface LiveText {
  /** `showsThinking`: readers see what the model thinks, too. */
  open(runId: string, place: Pick<WrittenText, "turn" | "step">, showsThinking: boolean): TextWriter;
  /**
   * Undefined: no model writes an answer of the run, or it has written nothing yet. `activity`: what the run does now.
   * Never rejects.
   */
  of(runId: string, activity: RunActivity | undefined): Promise<WrittenText | undefined>;
  /** Resolves soon after the answer has changed, after so many milliseconds, or when `signal` aborts. */
  changed(runId: string, milliseconds: number, signal: AbortSignal): Promise<void>;
}
