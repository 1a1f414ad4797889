import type { Principal } from "../../accounts/authenticate.ts";
import { historyFailed, ServiceError, StoreUnavailable } from "../../errors.ts";
import type { Runs } from "../ports.ts";
import type { PiecewiseRun, WholeRun } from "../run-types.ts";

/** Opens a run's status and transcript, for the principal whose key is being looked up. */
export async function readRun(
  { runs }: { runs: Runs },
  principal: Promise<Principal>,
  runId: string,
): Promise<WholeRun | PiecewiseRun> {
  const found = await runs.open(runId, principal).catch((error: unknown) => {
    throw historyError(error);
  });
  if (!found) throw new ServiceError("run_not_found", "Agent not found");
  return found;
}

function historyError(cause: unknown): unknown {
  if (cause instanceof ServiceError) return cause;
  return cause instanceof StoreUnavailable
    ? new ServiceError("history_unavailable", "event history is temporarily unavailable", { cause })
    : new ServiceError("history_failed", historyFailed, { cause });
}
