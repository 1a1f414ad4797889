import type { Principal } from "../accounts/authenticate.ts";
import { historyFailed, ServiceError, StoreUnavailable } from "../errors.ts";
import type { Runs } from "./ports.ts";
import type { RunView } from "./types.ts";

/** Reads a run's status and transcript. The read runs in parallel with the authentication of the principal. */
export async function readRun(
  { runs }: { runs: Runs },
  principal: Promise<Principal>,
  runId: string,
): Promise<RunView> {
  const [authenticated, found] = await Promise.allSettled([principal, runs.read(runId)]);
  if (authenticated.status === "rejected") throw historyError(authenticated.reason);
  if (found.status === "rejected") throw historyError(found.reason);
  const { agentId, organizationId } = authenticated.value;
  if (found.value?.run.agentId !== agentId || found.value.run.organizationId !== organizationId) {
    throw new ServiceError("run_not_found", "Agent not found");
  }
  return found.value;
}

function historyError(cause: unknown): unknown {
  if (cause instanceof ServiceError) return cause;
  return cause instanceof StoreUnavailable
    ? new ServiceError("history_unavailable", "event history is temporarily unavailable", { cause })
    : new ServiceError("history_failed", historyFailed, { cause });
}
