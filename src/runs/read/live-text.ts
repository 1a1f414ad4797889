import { splitThinking } from "../../agent/reasoning.ts";
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
      const written: WrittenText = { ...place, from: 0, text: "" };
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

    async of(runId) {
      const written = texts.get(runId);
      return written && { ...written, text: splitThinking(written.text, true).text };
    },

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
