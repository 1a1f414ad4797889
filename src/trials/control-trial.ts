import { type Actor, along } from "../accounts/audit.ts";
import type { AuditEntry } from "../accounts/types.ts";
import { ServiceError } from "../errors.ts";
import { type DeleteDeps, stopRun } from "../runs/control-run.ts";
import type { Removal } from "../runs/ports.ts";
import { type DriveDeps, driveTrial } from "./drive-trial.ts";
import { deleteRunsOf, ignoreEnded } from "./erase-trials.ts";
import { findCase, findTrial } from "./find-trial.ts";
import type { Trials } from "./ports.ts";
import type { Verdict } from "./names.ts";
import { armNames, type Trial, type TrialCase } from "./types.ts";

export interface ControlTrialDeps extends DriveDeps, DeleteDeps {
  trials: Trials;
  removal: Removal;
  /** The operator, for the audit. */
  actor?: Actor;
}

/** Starts the cases of a trial. From here on, models are called. No-op for a trial that was started. */
export async function startTrial(deps: ControlTrialDeps, id: string): Promise<Trial> {
  const started = await modifyTrial(deps, id, "trial.start", (trial) =>
    trial.status === "estimated" ? { ...trial, status: "running" } : trial,
  );
  await driveTrial(deps, started.id);
  return findTrial(deps.trials, id);
}

/** Stops a trial: no case starts any more, and those in progress are stopped. Verdicts are kept. No-op for a trial that has ended. */
export async function stopTrial(deps: ControlTrialDeps, id: string): Promise<Trial> {
  const stopped = await modifyTrial(deps, id, "trial.stop", (trial) => {
    if (trial.status === "estimated") return { ...trial, status: "finished", endedBy: "operator" };
    return trial.status === "running" ? { ...trial, status: "stopping" } : trial;
  });
  if (stopped.status === "stopping") {
    const { actor: _, ...service } = deps; // the audit has the stop of the trial
    // Twice: another process may have been creating the run of an attempt.
    for (let pass = 1; pass <= 2; pass++) {
      for (const runId of await runsToStop(deps.trials, stopped.id)) await stopRun(service, runId).catch(ignoreEnded);
      await driveTrial(deps, stopped.id);
    }
  }
  return findTrial(deps.trials, id);
}

/** Deletes a trial with its runs. Rejects for a trial in progress. */
export async function deleteTrial(deps: ControlTrialDeps, id: string): Promise<void> {
  const trial = await findTrial(deps.trials, id);
  if (trial.status === "running" || trial.status === "stopping") {
    throw new ServiceError("trial_running", `trial ${trial.id} is ${trial.status}; stop it before you delete it`);
  }
  await deleteRunsOf(deps, trial.id);
  const { organizationId } = trial;
  await deps.trials.remove(trial.id, along(deps.actor, "trial.delete", trial.id, deps.now(), { organizationId }));
}

/** Sets a person's verdict on a case, in place of the computed one. Undefined: removes it. */
export async function judgeCase(
  { trials, actor, now }: Pick<ControlTrialDeps, "trials" | "actor" | "now">,
  { trialId, number }: Pick<TrialCase, "trialId" | "number">,
  given: Verdict | undefined,
): Promise<TrialCase> {
  for (;;) {
    const { verdict: _, ...one } = await findCase(trials, trialId, number);
    const at = now();
    const verdict = given && { given, ...(actor !== undefined && { by: actor }), at };
    const next = { ...one, ...(verdict && { verdict }), revision: one.revision + 1 };
    if (await trials.replaceCase(next, along(actor, "trial.judge", one.trialId, at))) return next;
  }
}

async function modifyTrial(
  { trials, now, actor }: Pick<ControlTrialDeps, "trials" | "now" | "actor">,
  id: string,
  action: AuditEntry["action"],
  change: (trial: Trial) => Trial,
): Promise<Trial> {
  for (;;) {
    const trial = await findTrial(trials, id);
    const changed = change(trial);
    if (changed === trial) return trial;
    const next = { ...changed, updatedAt: now(), revision: trial.revision + 1 };
    const { organizationId } = trial;
    if (await trials.replace(next, along(actor, action, trial.id, next.updatedAt, { organizationId }))) return next;
  }
}

/** Runs of attempts that have no outcome, or that were stopped. */
async function runsToStop(trials: Trials, trialId: string): Promise<string[]> {
  const attempts = (await trials.listCases(trialId)).flatMap((one) => armNames.flatMap((arm) => one[arm] ?? []));
  const open = attempts.filter(({ outcome }) => !outcome || outcome.ending.kind === "stopped");
  return open.map(({ runId }) => runId);
}
