import { type Actor, along } from "../accounts/audit.ts";
import { ServiceError } from "../errors.ts";
import type { Labels } from "./labels.ts";
import type { Runs } from "./ports.ts";
import { findRunHead } from "./read/find-run.ts";
import type { Run } from "./types.ts";

interface Deps {
  runs: Runs;
  now: () => number;
  /** The operator, for the audit. */
  actor?: Actor;
}

/** Replaces the labels of a run, whatever its status. Rejects for a deleted run. Resolves with the changed run. */
export async function setLabels(deps: Deps, id: string, labels: Labels): Promise<Run> {
  // Repeats when the run changes between the read and the write: its turn may end.
  for (;;) {
    const run = await findRunHead(deps.runs, id);
    const { id: runId, organizationId, status, turn, labels: _before, ...others } = run;
    if (status === "terminated" && run.name === "") {
      throw new ServiceError("run_ended", `run ${runId} was deleted; a deleted run has no labels`);
    }
    const audited = along(deps.actor, "run.label", runId, deps.now(), { organizationId });
    if (!(await deps.runs.change({ runId, expect: { status, turn }, labels, ...audited }))) continue;
    const set = Object.keys(labels).length > 0 && { labels };
    return { ...others, id: runId, organizationId, status, turn, ...set };
  }
}
