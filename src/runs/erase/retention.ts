import { log } from "../../log.ts";
import { keepingCopies } from "./companions.ts";
import { type DeleteDeps, deleteRun } from "../control/control-run.ts";
import type { Uses } from "../ports.ts";
import type { Run } from "../run-types.ts";

/** Runs that are listed, and deleted, together. */
const pageSize = 100;
const dayMilliseconds = 86_400_000;

/** Continues deletions of runs that a crash has interrupted. */
export async function resumeErasures(deps: DeleteDeps): Promise<void> {
  await deleteAll(deps, await deps.runs.listErasures());
}

/**
 * Deletes the runs and trials of agents with `keepDays` that have not changed for so long, like a deletion by hand. A run in progress is
 * kept. An interrupted call is continued by the next one. One machine only: on AWS, items expire.
 */
export async function deleteExpiredRuns(deps: DeleteDeps & Uses<"accounts">): Promise<void> {
  for (const { id, keepDays } of await deps.accounts.listAgents()) {
    if (keepDays === undefined) continue;
    const before = deps.now() - keepDays * dayMilliseconds;
    let after: { createdAt: number; id: string } | undefined = { createdAt: before, id: "" };
    while (after) {
      const { runs, next } = await deps.runs.list({ agentIds: [id], after, limit: pageSize });
      const expired = runs.filter((run) => !isErased(run) && isExpired(run, before));
      await deleteAll(
        deps,
        expired.map((run) => run.id),
        before,
      );
      after = next;
    }
    await deps.companions.deleteTrials(deps, id, before);
  }
}

function isExpired({ status, updatedAt }: Run, before: number): boolean {
  return status !== "running" && updatedAt < before;
}

function isErased({ status, name, sequence }: Run): boolean {
  return status === "terminated" && name === "" && sequence === 0;
}

class StillUsed extends Error {}

/**
 * Deletes runs together, which share the cost of removing their bytes. Those that fail are deleted the next time. `before`:
 * keeps a run that has changed since then. What suites have kept of the runs stays.
 */
async function deleteAll(given: DeleteDeps, ids: string[], before?: number): Promise<void> {
  const deps = keepingCopies(given);
  const check = (run: Run): void => {
    if (before !== undefined && !isExpired(run, before)) throw new StillUsed();
  };
  await Promise.all(
    ids.map((runId) =>
      deleteRun(deps, runId, check).catch((error: unknown) => {
        if (!(error instanceof StillUsed)) log("error", "a run could not be deleted; retrying later", { runId, error });
      }),
    ),
  );
}
