import type { Failure } from "../agent/model.ts";
import { log } from "../log.ts";
import type { Runs } from "../runs/ports.ts";
import { failTurn, notStarted, type TurnId } from "../runs/turn-writes.ts";
import type { Execution } from "./execution.ts";
import { causeLength, reasonOf } from "./payload.ts";
import { turnSeconds } from "./policy.ts";
import { retriesExhausted } from "./retry-later.ts";

/**
 * Ends an orphaned turn: sets `technical_error` with the reason.
 * - `execution`: the turn's execution. Undefined: it was never started.
 * - False: the run has left this turn, and nothing was written.
 */
export async function endOrphanedTurn(
  deps: { runs: Runs; now: () => number },
  { runId, turn }: TurnId,
  execution: Omit<Execution, "turn"> | undefined,
): Promise<boolean> {
  const failure = failureOf(execution);
  const ended = await failTurn(deps, { runId, turn }, failure);
  if (ended) log("error", "orphaned turn ended", { runId, turn, execution, title: failure.title });
  return ended;
}

function failureOf(execution: Omit<Execution, "turn"> | undefined): Failure {
  if (!execution) return notStarted;
  const { ended, error = "no error", cause = "" } = execution;
  const reason = cause ? `${error}: ${reasonOf(cause).slice(0, causeLength)}` : error;
  const search = "Search the log for the run id, or open the execution in the Step Functions console.";
  switch (ended) {
    case "failed":
      return (
        retriesExhausted({ error, cause: reasonOf(cause) }) ??
        internal(`The turn's execution failed (${reason}).`, search)
      );
    case "aborted":
      return internal("The turn's execution was aborted outside this service.", "Create a new run.");
    case "succeeded":
      return internal("The turn's execution succeeded, but no final status was recorded.", search);
    case "timed_out":
    case undefined: // still running past its deadline
      return {
        category: "limit",
        title: `The turn exceeded the ${turnSeconds / 3_600}-hour limit (including time waiting for the model).`,
        remedy: "Create a new run with a smaller task, or once the provider has recovered.",
        retryable: false,
      };
  }
}

function internal(title: string, remedy: string): Failure {
  return { category: "internal", title, remedy, retryable: true };
}
