import type { Runs } from "../runs/ports.ts";
import type { RunStatus } from "../runs/status.ts";
import type { TurnId } from "../runs/turn-writes.ts";
import type { Execution } from "./execution.ts";
import { endOrphanedTurn } from "./orphaned-turn.ts";

/** The used fields of an EventBridge event "Step Functions Execution Status Change". */
export interface ExecutionEvent {
  detail: {
    name: string;
    status: "FAILED" | "TIMED_OUT" | "ABORTED";
    /** The execution's input as JSON. Null when it is too large, which ids never are. */
    input: string | null;
    error?: string | null;
    cause?: string | null;
  };
}

/**
 * Ends the turn of an execution that the state machine could not end itself. Returns the status of the run.
 * - No-op when the run was stopped, or when its failure is recorded.
 * - A later turn that the execution had advanced to is left to the sweep, which knows whether it has its own execution.
 */
export async function endFailedExecution(
  deps: { runs: Runs; now: () => number },
  { detail }: ExecutionEvent,
): Promise<RunStatus | undefined> {
  const { name, status, input, error, cause } = detail;
  const { runId, turn } = JSON.parse(input ?? "{}") as Partial<TurnId>;
  if (typeof runId !== "string" || typeof turn !== "number") {
    throw new Error(`execution ${name} has no run: its input is ${JSON.stringify(input)}`);
  }
  const execution = { ended: endings[status], ...(error && { error }), ...(cause && { cause }) };
  return (await endOrphanedTurn(deps, { runId, turn }, execution)) ? "technical_error" : deps.runs.status(runId);
}

const endings: Record<ExecutionEvent["detail"]["status"], NonNullable<Execution["ended"]>> = {
  FAILED: "failed",
  TIMED_OUT: "timed_out",
  ABORTED: "aborted",
};
