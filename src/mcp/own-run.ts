import type { Principal } from "../accounts/authenticate.ts";
import { normalizeId } from "../accounts/ids.ts";
import { ServiceError } from "../errors.ts";
import type { Runs } from "../runs/ports.ts";
import type { Run, RunView } from "../runs/types.ts";

/** The head of a run of the key's agent. Throws `run_not_found` for an unknown id and for another agent's run alike. */
export async function ownRun(runs: Runs, principal: Principal, id: string): Promise<Run> {
  const run = await runs.head(normalizeId(id));
  if (run && isOwn(run, principal)) return run;
  throw notFound(id);
}

/** As `ownRun`, with the transcript. */
export async function ownRunView(runs: Runs, principal: Principal, id: string): Promise<RunView> {
  const view = await runs.read(normalizeId(id));
  if (view && isOwn(view.run, principal)) return view;
  throw notFound(id);
}

function isOwn({ agentId, organizationId }: Run, principal: Principal): boolean {
  return agentId === principal.agentId && organizationId === principal.organizationId;
}

function notFound(id: string): ServiceError {
  return new ServiceError("run_not_found", `run ${JSON.stringify(id)} does not exist; use the run_id of start_run`);
}
