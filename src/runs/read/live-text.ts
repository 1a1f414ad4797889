/** The text of an answer that a model is writing. */
export interface WrittenText {
  turn: number;
  step: number;
  /** As it is so far. Text that a model writes for itself comes first, as in a recorded answer before it is split. */
  text: string;
}

/** Receives the text of one model call while it is written. */
export interface TextWriter {
  /** `text`: the whole text so far. */
  write: (text: string) => void;
  end: () => void;
}

/** The answers that models are writing. They are never stored: the recorded answer replaces them. */
export interface LiveText {
  open(runId: string, place: Pick<WrittenText, "turn" | "step">): TextWriter;
  /** Undefined: no model writes an answer of the run, or it has written no text yet. A new object for each model call. */
  of(runId: string): WrittenText | undefined;
  /** Resolves soon after the text has changed, after so many milliseconds, or when `signal` aborts. */
  changed(runId: string, milliseconds: number, signal: AbortSignal): Promise<void>;
}

/** Milliseconds from a change until watchers are told: tokens that arrive meanwhile are one message. */
const gatherMilliseconds = 40;

/**
 * The answers in the memory of the process that runs the turns. A writer keeps a reference to the text, and wakes watchers
 * if there are some: a run that nobody watches costs nothing more.
 */
export function liveText(): LiveText {
  const texts = new Map<string, WrittenText>();
  const watchers = new Map<string, Set<() => void>>();

  return {
    open(runId, place) {
      const written: WrittenText = { ...place, text: "" };
      return {
        write(text) {
          written.text = text;
          texts.set(runId, written);
          for (const wake of watchers.get(runId) ?? []) wake();
        },
        end() {
          if (texts.get(runId) === written) texts.delete(runId);
        },
      };
    },

    of: (runId) => texts.get(runId),

    async changed(runId, milliseconds, signal) {
      if (signal.aborted) return;
      const ofRun = watchers.get(runId) ?? new Set();
      watchers.set(runId, ofRun);
      await new Promise<void>((resolve) => {
        let timer = setTimeout(end, milliseconds);
        function wake(): void {
          ofRun.delete(wake);
          clearTimeout(timer);
          timer = setTimeout(end, Math.min(gatherMilliseconds, milliseconds));
        }
        function end(): void {
          ofRun.delete(wake);
          clearTimeout(timer);
          signal.removeEventListener("abort", end);
          resolve();
        }
        ofRun.add(wake);
        signal.addEventListener("abort", end, { once: true });
      });
      if (ofRun.size === 0 && watchers.get(runId) === ofRun) watchers.delete(runId);
    },
  };
}
