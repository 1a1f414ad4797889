import { along } from "../accounts/audit.ts";
import type { AuditEntry } from "../accounts/account-types.ts";
import { ServiceError } from "../errors.ts";
import { requireNotImported } from "./imported.ts";
import type { Uses } from "./ports.ts";
import { findRunHead } from "./read/find-run.ts";
import type { Run, RunChange } from "./run-types.ts";

type Attributes = Pick<RunChange, "labels" | "tokens">;

/**
 * Changes what a run has in every status. Rejects for a deleted run. `change` returns undefined when nothing is to change, and is
 * called again if the run changes between the read and the write: its turn may end. Resolves with the run as it was before.
 */
export async function changeAttributes(
  { runs, now, actor }: Uses<"runs" | "now" | "actor">,
  id: string,
  { action, name }: { action: AuditEntry["action"]; name: keyof Attributes },
  change: (run: Run) => Attributes | undefined,
): Promise<Run> {
  for (;;) {
    const run = await findRunHead(runs, id);
    const { id: runId, organizationId, status, turn } = run;
    if (status === "terminated" && run.name === "") {
      throw new ServiceError("run_ended", `run ${runId} was deleted; a deleted run has no ${name}`);
    }
    requireNotImported(run);
    const changed = change(run);
    if (!changed) return run;
    const audited = along(actor, action, runId, now(), { organizationId });
    if (await runs.change({ runId, expect: { status, turn }, ...changed, ...audited })) return run;
  }
}
