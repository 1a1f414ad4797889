import { type Failure, failureCategories } from "../agent/model.ts";
import { log } from "../log.ts";
import { claimOnly } from "../runs/leases.ts";
import type { Runs } from "../runs/ports.ts";
import { failTurn } from "../runs/turn-writes.ts";
import { causeLength, type FailCause, type TurnPayload } from "./payload.ts";
import { retryPolicy } from "./policy.ts";

/** The last task of a turn that could not be brought to its end: `technical_error`, with the reason for operators. */
export async function fail(
  deps: { runs: Runs; now: () => number },
  turn: TurnPayload,
  { error, cause }: FailCause,
): Promise<void> {
  log("error", "turn given up", { ...turn, error, cause: cause.slice(0, causeLength) });
  const failure = retriesExhausted({ error, cause }) ?? internal(error);
  if (await failTurn(deps, turn, failure)) return;
  // The execution may have come to a later turn, from an input that waited; one that is worked on is left alone.
  const later = await claimOnly(deps, turn.runId, "fail");
  if (later && later.turn > turn.turn) await failTurn(deps, later, failure);
  else if (later) await deps.runs.release(later);
}

/** What `advance` waited for in vain, from the message of its `RetryLater`; undefined for any other error. */
export function retriesExhausted({ error, cause }: FailCause): Failure | undefined {
  if (error !== retryPolicy.errorName) return undefined;
  const [, named = "", why = cause] = /^(\w+): (.*)$/s.exec(cause) ?? [];
  const category = failureCategories.find((each) => each === named) ?? "internal";
  return {
    category,
    title: `Given up after ${retryPolicy.maxAttempts} attempts: ${why.slice(0, causeLength)}`,
    remedy: "Create a new run when the trouble is over.",
    retryable: true,
  };
}

function internal(error: string): Failure {
  return {
    category: "internal",
    title: `The turn could not be continued (${error}).`,
    remedy: "Look for the run's id in the log; the entry “turn given up” has the error in full.",
    retryable: false,
  };
}
