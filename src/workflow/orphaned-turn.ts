import type { Failure } from "../agent/model.ts";
import { log } from "../log.ts";
import type { Execution } from "./execution.ts";
import type { Runs } from "../runs/ports.ts";
import { failTurn, notStarted, type TurnId } from "../runs/turn-writes.ts";
import { retriesExhausted } from "./fail.ts";
import { causeLength, reasonOf } from "./payload.ts";
import { turnSeconds } from "./policy.ts";

/**
 * Ends a turn that nobody works on any more: `technical_error`, with the reason. `execution`: the one that is gone;
 * undefined, there never was one. False: the run is no longer in this turn, and nothing was to be done.
 */
export async function endOrphanedTurn(
  deps: { runs: Runs; now: () => number },
  turn: TurnId,
  execution: Omit<Execution, "turn"> | undefined,
): Promise<boolean> {
  const failure = failureOf(execution);
  const ended = await failTurn(deps, turn, failure);
  if (ended) log("error", "lost turn ended", { runId: turn.runId, turn: turn.turn, execution, title: failure.title });
  return ended;
}

const hours = turnSeconds / 3_600;

function failureOf(execution: Omit<Execution, "turn"> | undefined): Failure {
  if (!execution) return notStarted;
  const { ended, error = "no error", cause = "" } = execution;
  const reason = cause ? `${error}: ${reasonOf(cause).slice(0, causeLength)}` : error;
  const look = "Look for the run's id in the log, or for its execution in the Step Functions console.";
  switch (ended) {
    case "failed":
      return (
        retriesExhausted({ error, cause: reasonOf(cause) }) ??
        internal(`The turn's execution failed (${reason}).`, look)
      );
    case "aborted":
      return internal("The turn's execution was aborted by somebody other than this service.", "Create a new run.");
    case "succeeded":
      return internal("The turn's execution succeeded, but no final status was recorded.", look);
    case "timed_out":
    case undefined: // past its deadline, and still going on
      return {
        category: "limit",
        title: `The turn was not done within ${hours} hours, waiting for the model included.`,
        remedy: "Create a new run with less to do, or when the provider works again.",
        retryable: false,
      };
  }
}

function internal(title: string, remedy: string): Failure {
  return { category: "internal", title, remedy, retryable: true };
}
