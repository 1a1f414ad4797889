import { type Actor, along } from "../accounts/audit.ts";
import { modify } from "../accounts/modify.ts";
import type { AuditEntry } from "../accounts/account-types.ts";
import { ServiceError } from "../errors.ts";
import { type DeleteDeps, stopRun } from "../runs/control/control-run.ts";
import type { Removal } from "../runs/ports.ts";
import { driveTrial, type DriveDeps } from "./drive-trial.ts";
import { deleteRunsOf, ignoreEnded } from "./erase-trials.ts";
import { findCase, findTrial } from "./find-trial.ts";
import { isActive, type Verdict } from "./names.ts";
import type { Trials } from "./ports.ts";
import { attemptsOf, type Trial, type TrialCase } from "./trial-types.ts";

export interface ControlTrialDeps extends DriveDeps, DeleteDeps {
  trials: Trials;
  removal: Removal;
  /** The operator, for the audit. */
  actor?: Actor;
}

/** Starts the cases of a trial. From here on, models are called. No-op for a trial that was started. */
export async function startTrial(deps: ControlTrialDeps, id: string): Promise<Trial> {
  const started = await modifyTrial(deps, id, "trial.start", (trial) => {
    if (trial.status !== "estimated") return trial;
    if (trial.mode) throw new ServiceError("trial_mismatch", `trial ${trial.id} ${modeGone}`);
    return { ...trial, status: "running" };
  });
  await driveTrial(deps, started.id);
  return findTrial(deps.trials, id);
}

const modeGone = "was created by an earlier release with a mode that this one does not have; create a new trial";

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
  if (isActive(trial.status)) {
    throw new ServiceError("trial_running", `trial ${trial.id} is ${trial.status}; stop it before you delete it`);
  }
  await deleteRunsOf(deps, trial.id);
  const { organizationId } = trial;
  await deps.trials.remove(trial.id, along(deps.actor, "trial.delete", trial.id, deps.now(), { organizationId }));
}

/** Sets a person's verdict on a case, in place of the computed one. Undefined: removes it. */
export function judgeCase(
  { trials, actor, now }: Pick<ControlTrialDeps, "trials" | "actor" | "now">,
  { trialId, number }: Pick<TrialCase, "trialId" | "number">,
  given: Verdict | undefined,
): Promise<TrialCase> {
  const at = now();
  return modify(
    `case ${number} of trial ${trialId}`,
    () => findCase(trials, trialId, number),
    ({ verdict: _before, ...one }): TrialCase => ({
      ...one,
      ...(given && { verdict: { given, ...(actor !== undefined && { by: actor }), at } }),
    }),
    async (judged) => {
      const next = { ...judged, revision: judged.revision + 1 };
      return (await trials.replaceCase(next, along(actor, "trial.judge", trialId, at))) ? next : undefined;
    },
  );
}

/** `change` returns the trial itself to change nothing. */
function modifyTrial(
  { trials, now, actor }: Pick<ControlTrialDeps, "trials" | "now" | "actor">,
  id: string,
  action: AuditEntry["action"],
  change: (trial: Trial) => Trial,
): Promise<Trial> {
  return modify(
    `trial ${id}`,
    () => findTrial(trials, id),
    change,
    async (changed) => {
      const next = { ...changed, updatedAt: now(), revision: changed.revision + 1 };
      const { organizationId } = next;
      const audited = along(actor, action, next.id, next.updatedAt, { organizationId });
      return (await trials.replace(next, audited)) ? next : undefined;
    },
  );
}

/** Runs of attempts that have no outcome, or that were stopped. */
async function runsToStop(trials: Trials, trialId: string): Promise<string[]> {
  const attempts = (await trials.listCases(trialId)).flatMap(attemptsOf);
  const open = attempts.filter(({ outcome }) => !outcome || outcome.ending.kind === "stopped");
  return open.map(({ runId }) => runId);
}
