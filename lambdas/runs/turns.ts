import type { Failure } from "../agent/model.ts";
import { transitions } from "./lifecycle.ts";
import type { Runs, StepRecord } from "./ports.ts";

/** A turn of a run, as the workflow carries it. */
export interface TurnId {
  runId: string;
  turn: number;
}

interface Deps {
  runs: Runs;
  now: () => number;
}

/**
 * Ends a turn: its last step, its output and `finished` in one write. False when the run is no longer in this turn
 * (stopped, or ended by another worker); then nothing was written and there is nothing left to do.
 */
export function finishTurn(deps: Deps, { runId, turn }: TurnId, text: string, last: StepRecord): Promise<boolean> {
  const { from, to } = transitions.turnFinished;
  return deps.runs.change({
    runId,
    expect: { status: from, turn },
    set: { status: to, turn, updatedAt: deps.now() },
    messages: [{ turn, role: "output_from_agent", text }],
    steps: [last],
  });
}

/** Ends a turn with `technical_error` and its reason. False as for `finishTurn`. */
export function failTurn(deps: Deps, { runId, turn }: TurnId, failure: Failure): Promise<boolean> {
  const { from, to } = transitions.turnFailed;
  return deps.runs.change({
    runId,
    expect: { status: from, turn },
    set: { status: to, turn, updatedAt: deps.now(), failure },
  });
}

/** Records a step of a turn in progress. False when the run is no longer in this turn, or the step is recorded. */
export function recordStep({ runs }: Pick<Deps, "runs">, { runId, turn }: TurnId, step: StepRecord): Promise<boolean> {
  return runs.change({ runId, expect: { status: transitions.turnFinished.from, turn }, steps: [step] });
}
