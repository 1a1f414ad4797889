import { SFNClient } from "@aws-sdk/client-sfn";
import { withTimeout } from "../../../async/with-timeout.ts";
import { log } from "../../../log.ts";
import { trialDriver } from "../../../trials/trial-driver.ts";
import type { DriveDeps } from "../../../trials/drive-trial.ts";
import { type ClientSettings, tuned } from "../sdk/clients.ts";
import { awsWorkflow } from "../workflow.ts";

/**
 * Returns a function that moves a trial on and never rejects. A file apart from `clients.ts`, for `advance`: it loads the Step
 * Functions client only when a turn of a trial has ended.
 */
export function turnTrialDriver(
  settings: ClientSettings,
  deps: Omit<DriveDeps, "workflow">,
  stateMachineArn: string,
): (trialId: string) => Promise<void> {
  const workflow = awsWorkflow({ sfn: new SFNClient(tuned(settings, 5_000)), stateMachineArn });
  const trials = trialDriver({ ...deps, workflow });
  return (trialId) => trials.drive(trialId);
}

/**
 * Returns a function that moves all trials in progress on, for at most `milliseconds`, and never rejects: those whose last turn
 * did not, because its process was killed or `fail` ended it.
 */
export function activeTrialsDriver(deps: DriveDeps): (milliseconds: number) => Promise<void> {
  const trials = trialDriver(deps);
  const { signal } = new AbortController();
  return async (milliseconds) => {
    trials.driveAll();
    const { timedOut } = await withTimeout(milliseconds, signal, () => trials.settled());
    if (timedOut) log("error", "not all trials were moved on in time; the next sweep continues", {});
  };
}
