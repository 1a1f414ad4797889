import { normalizeId } from "../../accounts/ids.ts";
import { ServiceError } from "../../errors.ts";
import type { Runs } from "../ports.ts";
import type { Run, RunView } from "../run-types.ts";

/** Reads a run for an operator. `readRun` is for API clients. */
export async function findRun(runs: Runs, id: string): Promise<RunView> {
  return found(await runs.read(normalizeId(id)), id);
}

/** As `findRun`, without the transcript, which can have many megabytes. */
export async function findRunHead(runs: Pick<Runs, "head">, id: string): Promise<Run> {
  return found(await runs.head(normalizeId(id)), id);
}

function found<Value>(value: Value | undefined, id: string): Value {
  if (value === undefined) throw new ServiceError("run_not_found", `run ${JSON.stringify(id)} does not exist`);
  return value;
}
