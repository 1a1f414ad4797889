import { normalizeId } from "../accounts/ids.ts";
import { ServiceError } from "../errors.ts";
import type { Runs } from "./ports.ts";
import type { RunView } from "./types.ts";

/** Reads a run for an operator. `readRun` is the same for API clients. */
export async function findRun(runs: Runs, id: string): Promise<RunView> {
  const found = await runs.read(normalizeId(id));
  if (!found) throw new ServiceError("run_not_found", `run ${JSON.stringify(id)} does not exist`);
  return found;
}
