import { growingParts } from "../../agent/reasoning.ts";
import type { LiveText } from "../../runs/read/live-text.ts";
import type { WrittenText } from "../../runs/read/search/written-text.ts";

/** Milliseconds from a change until watchers are told: tokens that arrive meanwhile are one message. */
const gatherMilliseconds = 40;

interface Written {
  place: Pick<WrittenText, "turn" | "step">;
  showsThinking: boolean;
  text: string;
  reasoning: string;
}

/**
 * The answers in the memory of the process that runs the turns. A writer keeps a reference to the text, and wakes watchers
 * if there are some: a run that nobody watches costs nothing more.
 */
export function liveText(): LiveText {
  const texts = new Map<string, Written>();
  const watchers = new Map<string, Set<() => void>>();

  return {
    open(runId, place, showsThinking) {
      const written: Written = { place, showsThinking, text: "", reasoning: "" };
      return {
        write(text, reasoning) {
          written.text = text;
          written.reasoning = reasoning;
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
      if (!written) return undefined;
      const { place, showsThinking } = written;
      const { text, thinking } = growingParts(written.text, written.reasoning);
      return {
        ...place,
        from: 0,
        text,
        ...(showsThinking && thinking !== "" && { thinking: { from: 0, text: thinking } }),
      };
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
