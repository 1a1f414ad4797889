import type { TrialCase, Verdict } from "./trial-calls.ts";

/** The verdict of a case, or its progress. */
export type CaseState = Verdict | "running" | "stopped" | "open";

interface StateWords {
  word: string;
  /** Colour of icon and word. */
  tone: "warn" | "bad" | "ok" | "live" | "plain";
  /** Lines on a grid of 16 × 16 pixels. */
  drawing: string;
}

const circle = "M8 2a6 6 0 1 1 0 12A6 6 0 0 1 8 2z";
const equal = "M3.5 6h9M3.5 10h9";
const warning = "M8 2.5l6 11H2zM8 6.5v3.5M8 11.8h.01";

/** In the order of bars and tabs: states that need review come first. */
const states: Record<CaseState, StateWords> = {
  left_record: { word: "Left the record", tone: "warn", drawing: "M3 13l5-5h5M10.5 5.5L13 8l-2.5 2.5M3 3l3 3" },
  failed: { word: "Failed", tone: "bad", drawing: warning },
  assertion_broken: { word: "Broke an assertion", tone: "bad", drawing: "M4 4l8 8M12 4l-8 8" },
  worse: { word: "Worse", tone: "bad", drawing: "M8 3v10M4 9l4 4 4-4" },
  unclear: { word: "Unclear", tone: "plain", drawing: "M5.5 6a2.5 2.5 0 1 1 3.5 2.3c-.7.3-1 .8-1 1.7M8 12.5h.01" },
  different: { word: "Different", tone: "plain", drawing: `${equal}M10.5 3l-5 10` },
  better: { word: "Better", tone: "ok", drawing: "M8 13V3M4 7l4-4 4 4" },
  same: { word: "Same", tone: "plain", drawing: equal },
  equal: { word: "Equal", tone: "plain", drawing: equal },
  running: { word: "Running", tone: "live", drawing: "M8 2a6 6 0 0 1 6 6" },
  stopped: { word: "Stopped", tone: "plain", drawing: "M4 4h8v8H4z" },
  open: { word: "Not started", tone: "plain", drawing: circle },
  cannot_be_tried: { word: "Cannot be tried", tone: "plain", drawing: `${circle}M5.5 8h5` },
};

const order = Object.keys(states) as CaseState[];

export function stateOf({ verdict, candidate }: TrialCase): CaseState {
  if (verdict !== null) return verdict;
  if (!candidate) return "open";
  // A turn that has finished without a verdict is being judged.
  return candidate.ended === null || candidate.ended === "finished" ? "running" : "stopped";
}

export const wordOf = (state: CaseState): string => states[state].word;

/** Counts of cases by state, in the order of `states`. States without cases are left out. */
export function countStates(cases: TrialCase[]): [CaseState, number][] {
  const counts = Map.groupBy(cases, stateOf);
  return order.flatMap((state): [CaseState, number][] => {
    const count = counts.get(state)?.length ?? 0;
    return count > 0 ? [[state, count]] : [];
  });
}

/** The state of a case: icon, word and colour. */
export function StateMark({ state }: { state: CaseState }) {
  const { word, tone, drawing } = states[state];
  return (
    <span class={`verdict ${tone}`}>
      <svg class={`icon ${state === "running" ? "spin" : ""}`} viewBox="0 0 16 16" aria-hidden="true">
        <path d={drawing} />
      </svg>
      {word}
    </span>
  );
}

/** The cases of a trial as a bar, by state. Hidden from assistive technologies: the counts beside it say the same. */
export function VerdictBar({ cases }: { cases: TrialCase[] }) {
  return (
    <div class="verdict-bar" aria-hidden="true">
      {countStates(cases).map(([state, count]) => (
        <i key={state} class={state} style={{ "--n": count }} />
      ))}
    </div>
  );
}
