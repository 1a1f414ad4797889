import { log } from "../log.ts";
import { type DeleteDeps, deleteRun } from "./control-run.ts";

/** Continues deletions of runs that a crash has interrupted. */
export async function resumeErasures(deps: DeleteDeps): Promise<void> {
  await deleteAll(deps, await deps.runs.listErasures());
}

/** Deletes runs together, which share the cost of removing their bytes. Those that fail are deleted the next time. */
async function deleteAll(deps: DeleteDeps, ids: string[]): Promise<void> {
  await Promise.all(
    ids.map((id) =>
      deleteRun(deps, id).catch((error: unknown) => {
        log("error", "a run could not be deleted; retrying later", { runId: id, error });
      }),
    ),
  );
}
