import type { RunModel } from "./run-model.ts";
import type { Step, Turn } from "./run-model-types.ts";

/** The last result of a run, whether it fits or not. */
export interface LastResult {
  turn: Turn;
  /** Its answer, which has problems if it does not fit. */
  step: Step;
}

/** The result of the last turn that has one. Before its output, it is an answer that did not fit. Undefined: no turn had a schema. */
export function lastResult({ turns, steps }: RunModel): LastResult | undefined {
  const ended = turns.findLast(({ output, steps: its }) => output && its.at(-1)?.problems);
  const step = ended ? ended.steps.at(-1) : steps.findLast(({ problems }) => problems);
  const turn = ended ?? turns.find((each) => each.turn === step?.turn);
  return turn && step && { turn, step };
}
