import { noUsage } from "../agent/turn/limits.ts";
import { log } from "../log.ts";
import { newRunId } from "../runs/run-id.ts";
import type { Run } from "../runs/types.ts";
import { type BudgetLeft, budgetLeft } from "./budget.ts";
import { controlCases } from "./estimate.ts";
import { evaluateArm, type EvaluateDeps } from "./evaluate-arm.ts";
import { isActive } from "./names.ts";
import type { Trials } from "./ports.ts";
import { startArm, type StartDeps } from "./start-arm.ts";
import {
  type Arm,
  type ArmName,
  armNames,
  type ArmOutcome,
  type Assertion,
  type Trial,
  type TrialCase,
} from "./types.ts";

export interface DriveDeps extends StartDeps, EvaluateDeps {
  trials: Trials;
}

/**
 * Moves a trial on: evaluates attempts that have ended, starts the next ones, and ends the trial after the last one.
 * Idempotent, and safe beside another process: every change is conditional. Called when a trial starts, when a turn of it ends,
 * and from time to time, so that nothing is lost with a process.
 */
export async function driveTrial(deps: DriveDeps, trialId: string): Promise<void> {
  const trial = await deps.trials.find(trialId);
  if (!trial || !isActive(trial.status)) return;
  const cases = await deps.trials.listCases(trialId);
  const inProgress: Run[] = [];
  for (const [index, one] of cases.entries()) {
    cases[index] = await settleCase(deps, trial, one, inProgress);
  }
  const left = budgetLeft(trial, cases, inProgress);
  const waiting = trial.status === "running" ? await startNext(deps, trial, cases, left) : false;
  const busy = cases.some((one) => armNames.some((arm) => isInProgress(one[arm])));
  if (busy) return;
  const endedBy = trial.status === "stopping" ? "operator" : waiting ? "budget" : undefined;
  const ended: Trial = { ...trial, status: "finished", updatedAt: deps.now(), revision: trial.revision + 1 };
  if (await deps.trials.replace({ ...ended, ...(endedBy && { endedBy }) })) {
    log("info", "trial finished", { trialId, cases: cases.length, ...(endedBy && { endedBy }) });
  }
}

/** Moves trials on for one process: calls for a trial that come while it is moved on become one. Never rejects. */
export interface TrialDriver {
  drive(trialId: string): Promise<void>;
  /** Moves all trials on that are in progress, in the background. */
  driveAll(): void;
  /** Resolves when no trial is being moved on. */
  settled(): Promise<void>;
}

export function trialDriver(deps: DriveDeps): TrialDriver {
  const driving = new Map<string, { again: boolean; ended: Promise<void> }>();
  let listing: Promise<void> = Promise.resolve();

  async function driveUntilQuiet(trialId: string, state: { again: boolean }): Promise<void> {
    do {
      state.again = false;
      await driveTrial(deps, trialId).catch((error: unknown) => {
        log("error", "the trial could not be moved on; it is tried again", { trialId, error });
      });
    } while (state.again);
    driving.delete(trialId);
  }

  const driver: TrialDriver = {
    drive(trialId) {
      const current = driving.get(trialId);
      if (current) {
        current.again = true;
        return current.ended;
      }
      const state = { again: false, ended: Promise.resolve() };
      driving.set(trialId, state);
      state.ended = driveUntilQuiet(trialId, state);
      return state.ended;
    },
    driveAll() {
      listing = deps.trials.listActive().then(
        (active) => active.forEach((trialId) => void driver.drive(trialId)),
        (error: unknown) => log("error", "trials in progress could not be listed; this is tried again", { error }),
      );
    },
    async settled() {
      await listing;
      await Promise.all([...driving.values()].map(({ ended }) => ended));
    },
  };
  return driver;
}

function isInProgress(arm: Arm | undefined): boolean {
  return arm !== undefined && !arm.outcome;
}

/** Of an attempt whose run was not created before the trial was stopped. */
const notStarted: ArmOutcome = { ending: { kind: "stopped" }, assertions: [], used: noUsage };

/** Evaluates the attempts of a case that have ended, and starts those again whose creation was interrupted. */
async function settleCase(deps: DriveDeps, trial: Trial, given: TrialCase, inProgress: Run[]): Promise<TrialCase> {
  let one = given;
  for (const arm of armNames) {
    const attempt = one[arm];
    if (!attempt || attempt.outcome) continue;
    const run = await deps.runs.head(attempt.runId);
    if (!run && trial.status === "stopping") {
      one = await changed(deps, one, { [arm]: { ...attempt, outcome: notStarted } });
    } else if (!run) {
      one = await begin(deps, trial, one, { arm, attempt });
    } else if (run.status === "running" || isLeftToOthers(deps, trial, run)) {
      inProgress.push(run);
    } else {
      const outcome = await evaluateArm(deps, trial, { source: one.source, budget: attempt.budget }, run);
      one = await changed(deps, one, { [arm]: { ...attempt, outcome } });
    }
  }
  return one;
}

/** Milliseconds in which a turn that has ended is evaluated by the process that ran it, or by its repetition. */
const ownEvaluation = 600_000;
const checked = new Set<Assertion["kind"]>(["output_fits", "output_matches", "file_matches"]);

/** Whether an ended attempt needs checks that this process cannot make, and another one soon will. */
function isLeftToOthers({ checkResultOf, now }: DriveDeps, { settings }: Trial, { status, updatedAt }: Run): boolean {
  if (checkResultOf || status !== "finished" || now() - updatedAt >= ownEvaluation) return false;
  return settings.assertions.some(({ kind }) => checked.has(kind));
}

/**
 * Starts attempts as places and budget allow, candidates and controls of a case together. Resolves with whether attempts are left
 * for which nothing but the budget was missing.
 */
async function startNext(deps: DriveDeps, trial: Trial, cases: TrialCase[], left: BudgetLeft): Promise<boolean> {
  const controlled = new Set(controlCases(cases, trial.settings).map(({ number }) => number));
  let free =
    trial.settings.concurrency - cases.flatMap((one) => armNames.filter((arm) => isInProgress(one[arm]))).length;
  for (const [index, found] of cases.entries()) {
    for (const arm of armNames) {
      const one = cases[index] ?? found;
      if (one.cannotBeTried !== undefined || one[arm] || (arm === "control" && !controlled.has(one.number))) continue;
      if (free <= 0) return false;
      const budget = left.take(free, one);
      if (!budget) return true;
      const attempt = { runId: newRunId(deps.now()), budget };
      const claimed = await changed(deps, one, { [arm]: attempt });
      cases[index] = claimed;
      if (claimed[arm]?.runId !== attempt.runId) return false; // another process moves the trial on
      // Read after the claim: who stops the trial either sees the claim, or has set the status before.
      if ((await deps.trials.find(trial.id))?.status !== "running") {
        cases[index] = await changed(deps, claimed, { [arm]: { ...attempt, outcome: notStarted } });
        return false;
      }
      cases[index] = await begin(deps, trial, claimed, { arm, attempt });
      if (isInProgress(cases[index]?.[arm])) free--;
      else left.giveBack(budget);
    }
  }
  return false;
}

/** Creates and starts the run of an attempt that is stored. A case that cannot be tried loses its attempts. */
async function begin(
  deps: DriveDeps,
  trial: Trial,
  one: TrialCase,
  { arm, attempt: { runId, budget } }: { arm: ArmName; attempt: Arm },
): Promise<TrialCase> {
  const start = { place: { case: one.number, arm }, runId, budget };
  const problem = await startArm(deps, trial, one, start);
  if (!problem) return one;
  const { [arm]: _, ...others } = one;
  return changed(deps, others, problem);
}

/** Stores a changed case. Resolves with it, or with what another process has stored instead. */
async function changed({ trials }: DriveDeps, before: TrialCase, change: Partial<TrialCase>): Promise<TrialCase> {
  const next = { ...before, ...change, revision: before.revision + 1 };
  if (await trials.replaceCase(next)) return next;
  return (await trials.findCase(before.trialId, before.number)) ?? before;
}
