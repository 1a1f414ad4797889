import { noUsage } from "../agent/turn/turn-limits.ts";
import { settleAll } from "../async/settle-all.ts";
import { log } from "../log.ts";
import type { Run } from "../runs/run-types.ts";
import { budgetLeft } from "./budget.ts";
import { evaluateAttempt, type EvaluateDeps } from "./evaluate-attempt.ts";
import { isActive } from "./names.ts";
import type { StartDeps } from "./start-attempt.ts";
import { begin, changed, isInProgress, startNext } from "./start-next.ts";
import {
  type Assertion,
  attemptNames,
  type AttemptName,
  attemptsOf,
  isVote,
  type Trial,
  type TrialCase,
} from "./trial-types.ts";

export interface DriveDeps extends StartDeps, EvaluateDeps {}

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
  const found = await deps.trials.find(trialId);
  if (!found || !isActive(found.status)) return true;
  // What an earlier release has begun with another mode ends.
  const trial: Trial = found.mode ? { ...found, status: "stopping" } : found;
  const cases = await deps.trials.listCases(trialId);
  const inProgress: Run[] = [];
  // Together: stores write what is ready at the same time with one commit.
  const settled = await settleAll(cases.map((one) => settleCase(deps, trial, one, inProgress)));
  const left = budgetLeft(trial, settled, inProgress);
  const { missing, revision } =
    trial.status === "running" ? await startNext(deps, trial, settled, left) : { revision: trial.revision };
  if (missing === "claim") return false;
  const busy = settled.flatMap(attemptsOf).some(isInProgress);
  if (busy) return true;
  const endedBy = trial.status === "stopping" ? "operator" : missing;
  const ended: Trial = { ...trial, status: "finished", updatedAt: deps.now(), revision: revision + 1 };
  if (!(await deps.trials.replace({ ...ended, ...(endedBy && { endedBy }) }))) return false;
  log("info", "trial finished", { trialId, cases: cases.length, ...(endedBy && { endedBy }) });
  return true;
}

/**
 * Evaluates the attempts at a case that have ended, and starts those again whose creation was interrupted. Adds the runs of the
 * others to `inProgress`.
 */
async function settleCase(deps: DriveDeps, trial: Trial, given: TrialCase, inProgress: Run[]): Promise<TrialCase> {
  let one = given;
  for (const name of attemptNames) {
    const attempt = one[name];
    if (!attempt || attempt.outcome) continue;
    const run = await deps.runs.head(attempt.runId);
    if (!run && trial.status === "stopping") {
      one = await changed(deps, one, { [name]: { ...attempt, outcome: notStarted } });
    } else if (!run) {
      one = await begin(deps, trial, one, name);
    } else if (run.status === "running" || isLeftToOthers(deps, trial, name, run)) {
      inProgress.push(run);
    } else {
      const outcome = await evaluateAttempt(deps, trial, one, { name, attempt, run });
      one = await changed(deps, one, { [name]: { ...attempt, outcome } });
    }
  }
  return one;
}

/** Of an attempt whose run was not created before the trial was stopped. */
const notStarted = { ending: { kind: "stopped" }, assertions: [], used: noUsage } as const;

/** Milliseconds in which a turn that has ended is evaluated by the process that ran it, or by its repetition. */
const ownEvaluation = 600_000;
const checked = new Set<Assertion["kind"]>(["output_fits", "output_matches", "file_matches"]);

/** Whether an ended attempt needs checks that this process cannot make, and another one soon will. */
function isLeftToOthers(
  { checkResultOf, now }: DriveDeps,
  { settings }: Trial,
  name: AttemptName,
  { status, updatedAt }: Run,
): boolean {
  if (isVote(name) || checkResultOf || status !== "finished" || now() - updatedAt >= ownEvaluation) return false;
  return settings.assertions.some(({ kind }) => checked.has(kind));
}
