import type { RunStatus } from "../runs/status.ts";
import type { Execution } from "./execution.ts";
import type { Runs } from "../runs/ports.ts";
import { endOrphanedTurn } from "./orphaned-turn.ts";
import type { TurnPayload } from "./payload.ts";

/** What is used of a "Step Functions Execution Status Change" event. */
export interface ExecutionEvent {
  detail: {
    name: string;
    status: "FAILED" | "TIMED_OUT" | "ABORTED";
    /** The `TurnPayload` as JSON; null when it was too large, which ids never are. */
    input: string | null;
    error?: string | null;
    cause?: string | null;
  };
}

/** `lost`: nobody worked on the turn any more, and it was ended here. Otherwise the run's status, if it is there. */
export type ReconcileResult = "lost" | RunStatus | undefined;

/**
 * Ends the turn of an execution that the state machine itself could not bring to its end. An execution that was
 * aborted because its run was stopped, or whose failure is recorded, finds nothing to do; one that had come to a later
 * turn is the sweep's, which can tell it from a later turn's own.
 */
export async function reconcile(
  deps: { runs: Runs; now: () => number },
  { detail }: ExecutionEvent,
): Promise<ReconcileResult> {
  const { name, status, input, error, cause } = detail;
  const { runId, turn } = JSON.parse(input ?? "{}") as Partial<TurnPayload>;
  if (typeof runId !== "string" || typeof turn !== "number") {
    throw new Error(`execution ${name} carries no run: its input is ${JSON.stringify(input)}`);
  }
  const execution = { ended: endings[status], ...(error && { error }), ...(cause && { cause }) };
  return (await endOrphanedTurn(deps, { runId, turn }, execution)) ? "lost" : deps.runs.status(runId);
}

const endings: Record<ExecutionEvent["detail"]["status"], NonNullable<Execution["ended"]>> = {
  FAILED: "failed",
  TIMED_OUT: "timed_out",
  ABORTED: "aborted",
};
