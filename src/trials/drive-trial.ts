import { settleAll } from "../async/settle-all.ts";
import { log } from "../log.ts";
import type { Run } from "../runs/types.ts";
import { budgetLeft } from "./budget.ts";
import { isActive } from "./names.ts";
import { type DriveDeps, isInProgress, settleCase } from "./settle-case.ts";
import { startNext } from "./start-next.ts";
import { attemptNames, type Trial } from "./types.ts";

/**
 * Moves a trial on: evaluates attempts that have ended, starts the next ones, and ends the trial after the last one.
 * Idempotent, and safe beside another process: every change is conditional. Called when a trial starts, when a turn of it ends,
 * and from time to time, so that nothing is lost with a process.
 */
export async function driveTrial(deps: DriveDeps, trialId: string): Promise<void> {
  // Each lost write is one that another writer has made, so this ends.
  while (!(await driveOnce(deps, trialId)));
}

/** False: another process has changed the trial or a case meanwhile, and what is left to do is to be read again. */
async function driveOnce(deps: DriveDeps, trialId: string): Promise<boolean> {
  // Before its cases: the revision tells whether another process has claimed attempts since.
  const trial = await deps.trials.find(trialId);
  if (!trial || !isActive(trial.status)) return true;
  const cases = await deps.trials.listCases(trialId);
  const inProgress: Run[] = [];
  // Together: stores write what is ready at the same time with one commit.
  const settled = await settleAll(cases.map((one) => settleCase(deps, trial, one, inProgress)));
  const left = budgetLeft(trial, settled, inProgress);
  const { missing, revision } =
    trial.status === "running" ? await startNext(deps, trial, settled, left) : { revision: trial.revision };
  if (missing === "claim") return false;
  const busy = settled.some((one) => attemptNames.some((name) => isInProgress(one[name])));
  if (busy) return true;
  const endedBy = trial.status === "stopping" ? "operator" : missing;
  const ended: Trial = { ...trial, status: "finished", updatedAt: deps.now(), revision: revision + 1 };
  if (!(await deps.trials.replace({ ...ended, ...(endedBy && { endedBy }) }))) return false;
  log("info", "trial finished", { trialId, cases: cases.length, ...(endedBy && { endedBy }) });
  return true;
}
