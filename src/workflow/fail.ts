import type { Failure } from "../agent/model.ts";
import { log } from "../log.ts";
import { claimOnly } from "../runs/leases.ts";
import type { Runs } from "../runs/ports.ts";
import { failTurn, type TurnId } from "../runs/turn-writes.ts";
import { causeLength, type FailCause } from "./payload.ts";
import { retriesExhausted } from "./retry-later.ts";

/** Ends a turn that `advance` could not finish: sets `technical_error` with the reason. */
export async function fail(
  deps: { runs: Runs; now: () => number },
  turn: TurnId,
  { error, cause }: FailCause,
): Promise<void> {
  log("error", "turn failed", { ...turn, error, cause: cause.slice(0, causeLength) });
  const failure = retriesExhausted({ error, cause }) ?? unexpectedError(error);
  if (await failTurn(deps, turn, failure)) return;
  // A queued input may have started a later turn in this execution. Its lease shows whether a worker advances it.
  const later = await claimOnly(deps, turn.runId, "fail");
  if (later && later.turn > turn.turn) await failTurn(deps, later, failure);
  else if (later) await deps.runs.release(later);
}

function unexpectedError(error: string): Failure {
  return {
    category: "internal",
    title: `The turn stopped with an unexpected error (${error}).`,
    remedy: "Search the log for the run id; the entry “turn failed” contains the whole error.",
    retryable: false,
  };
}
