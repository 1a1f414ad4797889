import { noUsage } from "../agent/turn/limits.ts";
import type { Run } from "../runs/types.ts";
import { evaluateArm, type EvaluateDeps } from "./evaluate-arm.ts";
import { evaluateVote } from "./judge/evaluate-vote.ts";
import { startVote } from "./judge/start-vote.ts";
import type { Trials } from "./ports.ts";
import { startArm, type StartDeps } from "./start-arm.ts";
import {
  type Arm,
  type ArmOutcome,
  type Assertion,
  type AttemptName,
  attemptNames,
  type Trial,
  type TrialCase,
  type Vote,
  type VoteOutcome,
} from "./types.ts";

export interface DriveDeps extends StartDeps, EvaluateDeps {
  trials: Trials;
}

export function isInProgress(attempt: Arm | Vote | undefined): boolean {
  return attempt !== undefined && !attempt.outcome;
}

/** Of an attempt whose run was not created before the trial was stopped. */
const notStarted: ArmOutcome = { ending: { kind: "stopped" }, assertions: [], used: noUsage };

/**
 * Evaluates the attempts of a case and the votes on it that have ended, and starts those again whose creation was interrupted.
 * Adds the runs of the others to `inProgress`.
 */
export async function settleCase(
  deps: DriveDeps,
  trial: Trial,
  given: TrialCase,
  inProgress: Run[],
): Promise<TrialCase> {
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
      const outcome = await evaluate(deps, trial, one, { name, attempt, run });
      one = await changed(deps, one, { [name]: { ...attempt, outcome } });
    }
  }
  return one;
}

function evaluate(
  deps: DriveDeps,
  trial: Trial,
  { source }: TrialCase,
  { name, attempt: { budget }, run }: { name: AttemptName; attempt: Arm | Vote; run: Run },
): Promise<ArmOutcome | VoteOutcome> {
  return name === "candidate" || name === "control"
    ? evaluateArm(deps, trial, { source, budget }, run)
    : evaluateVote(deps, name, run);
}

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
  if (name !== "candidate" && name !== "control") return false;
  if (checkResultOf || status !== "finished" || now() - updatedAt >= ownEvaluation) return false;
  return settings.assertions.some(({ kind }) => checked.has(kind));
}

/**
 * Creates and starts the run of an attempt that is stored. A case that cannot be tried loses its attempts. A vote for which the
 * judge cannot be asked ends without one.
 */
export async function begin(deps: DriveDeps, trial: Trial, one: TrialCase, name: AttemptName): Promise<TrialCase> {
  const attempt = one[name];
  if (!attempt) return one;
  const { runId, budget } = attempt;
  if (name === "candidate" || name === "control") {
    const problem = await startArm(deps, trial, one, { place: { case: one.number, arm: name }, runId, budget });
    if (!problem) return one;
    const { [name]: _, ...others } = one;
    return changed(deps, others, problem);
  }
  const vote = { runId, budget };
  const reason = await startVote(deps, trial, one, { name, vote });
  if (reason === undefined) return one;
  const outcome: VoteOutcome = { ending: { kind: "no_vote", reason }, used: noUsage };
  return changed(deps, one, { [name]: { ...vote, outcome } });
}

/** Stores a changed case. Resolves with it, or with what another process has stored instead. */
export async function changed(
  { trials }: Pick<DriveDeps, "trials">,
  before: TrialCase,
  change: Partial<TrialCase>,
): Promise<TrialCase> {
  const next = { ...before, ...change, revision: before.revision + 1 };
  if (await trials.replaceCase(next)) return next;
  return (await trials.findCase(before.trialId, before.number)) ?? before;
}
