import type { Principal } from "../accounts/authenticate.ts";
import { normalizeId } from "../accounts/ids.ts";
import { ServiceError } from "../errors.ts";
import type { Runs } from "./ports.ts";
import type { Run, RunView } from "./types.ts";

/** A run of the caller's agent. A run of another agent is rejected like one that does not exist. */
export async function findOwnRun(runs: Runs, caller: Principal, id: string): Promise<Run> {
  const run = await runs.head(normalizeId(id));
  if (run && isOwn(run, caller)) return run;
  throw notFound(id);
}

/** As `findOwnRun`, with the transcript. */
export async function readOwnRun(runs: Runs, caller: Principal, id: string): Promise<RunView> {
  const view = await runs.read(normalizeId(id));
  if (view && isOwn(view.run, caller)) return view;
  throw notFound(id);
}

function isOwn(run: Run, { agentId, organizationId }: Principal): boolean {
  return run.agentId === agentId && run.organizationId === organizationId;
}

function notFound(id: string): ServiceError {
  return new ServiceError("run_not_found", `run ${JSON.stringify(id)} does not exist`);
}
