import type { RunningRun } from "../runs/run-types.ts";

/** A Step Functions execution that drives, or drove, a turn. */
export interface Execution {
  /** The turn that the execution was started for; queued inputs may have taken it to a later turn. */
  turn: number;
  /** How the execution ended. Undefined: it is running. */
  ended: "succeeded" | "failed" | "timed_out" | "aborted" | undefined;
  /** Error name and cause of a failed execution, as Step Functions reports them. */
  error?: string;
  cause?: string;
}

/** Looks up executions. Rejects as `Runs` does. */
export interface Executions {
  /** Ids of the runs that have a running execution. */
  runningRuns(): Promise<Set<string>>;
  /** The execution that the run's turn belongs to. Undefined: it was never started, or not since the last answer. */
  find(run: Pick<RunningRun, "id" | "turn" | "pauses">): Promise<Execution | undefined>;
}
