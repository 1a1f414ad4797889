import { isKept } from "../../runs/kept.ts";
import type { Run } from "../../runs/types.ts";
import { caseIn } from "../suites/suites.ts";

/** The key of the provider's cache that the requests of a recorded run had: the id of the run that sent them. */
export function cacheKeyOf(run: Run): string {
  return isKept(run.id) ? caseIn(run).origin.runId : (run.imported?.runId ?? run.id);
}
