import type { Principal } from "../../accounts/authenticate.ts";
import { normalizeId } from "../../accounts/ids.ts";
import { hasAgent } from "../../accounts/key-agents.ts";
import { ServiceError } from "../../errors.ts";
import type { Runs } from "../ports.ts";
import type { Run, RunOwner, RunReader } from "../run-types.ts";

/** A run of the caller's agents. A run of another agent is rejected like one that does not exist. */
export async function findOwnRun(runs: Runs, caller: Principal, id: string): Promise<Run> {
  const run = await runs.head(normalizeId(id));
  if (isOwn(run, caller) && (caller.onlyRun ?? run.id) === run.id) return run;
  throw new ServiceError("run_not_found", `run ${JSON.stringify(id)} does not exist`);
}

/** Whether there is a run and it is one of this reader. Nobody with an API key has imported runs: operators brought them. */
export function isOwn<Owned extends RunOwner & Pick<Run, "imported">>(
  run: Owned | undefined,
  reader: RunReader,
): run is Owned {
  if (run === undefined || run.imported) return false;
  return hasAgent(reader, run.agentId) && run.organizationId === reader.organizationId;
}

/** Output of the last turn that ended. Undefined: none ended, or that turn failed or was stopped. */
export async function lastOutput(runs: Runs, run: Run): Promise<string | undefined> {
  return runs.output(run, run.status === "running" ? run.turn - 1 : run.turn);
}
