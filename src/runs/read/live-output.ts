/** What a tool call in progress has printed. It is never stored: the recorded result replaces it. */
export interface CallOutput {
  step: number;
  /** From 0, in the order of the answer. */
  call: number;
  /** The end of the output: at most 4,000 characters. */
  text: string;
  /** All characters so far. */
  characters: number;
}

/** Receives the output of one call while it is written. */
export interface OutputWriter {
  write: (text: string) => void;
  end: () => void;
}

/** The output of calls in progress, in the memory of the process that runs them. */
export interface LiveOutput {
  open(runId: string, place: Pick<CallOutput, "step" | "call">): OutputWriter;
  /** Of the calls of a run, each object replaced when its call prints. */
  of(runId: string): readonly CallOutput[];
}

const keptCharacters = 4_000;

export function liveOutput(): LiveOutput {
  const calls = new Map<string, Map<OutputWriter, CallOutput>>();
  return {
    open(runId, place) {
      const ofRun = calls.get(runId) ?? new Map<OutputWriter, CallOutput>();
      const writer: OutputWriter = {
        write(text) {
          const { text: before = "", characters = 0 } = ofRun.get(writer) ?? {};
          // Cut in the middle of a surrogate pair, the rest is made well-formed.
          const kept = (before + text).slice(-keptCharacters).toWellFormed();
          ofRun.set(writer, { ...place, text: kept, characters: characters + text.length });
          calls.set(runId, ofRun);
        },
        end() {
          ofRun.delete(writer);
          if (ofRun.size === 0) calls.delete(runId);
        },
      };
      return writer;
    },
    of: (runId) => [...(calls.get(runId)?.values() ?? [])],
  };
}
