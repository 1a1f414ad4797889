import { awsSettings } from "../src/env.ts";
import { activeTrialsDriver } from "../src/platform/aws/functions/drive-trial.ts";
import { awsExecutions } from "../src/platform/aws/functions/execution-list.ts";
import { emit, measuredStores, stateMachine } from "../src/platform/aws/functions/lambda.ts";
import { awsWorkflow } from "../src/platform/aws/workflow.ts";
import { abortSeconds, sweepSeconds } from "../src/workflow/policy.ts";
import { sweep, type SweepResult } from "../src/workflow/sweep.ts";

const settings = awsSettings();
const machine = stateMachine(settings);

const deps = {
  ...measuredStores(settings),
  executions: awsExecutions(machine),
  workflow: awsWorkflow(machine),
  now: Date.now,
};

const driveActiveTrials = activeTrialsDriver(deps);

export async function handler(): Promise<SweepResult> {
  const end = Date.now() + (sweepSeconds - abortSeconds) * 1_000;
  try {
    const swept = await sweep(deps);
    const { running, ended, waiting } = swept;
    // A metric costs money from its first value on, so a service without quotas does not emit it.
    emit({ RunsRunning: running, RunsOrphaned: ended, ...(waiting > 0 && { RunsWaiting: waiting }) });
    return swept;
  } finally {
    await driveActiveTrials(end - Date.now());
  }
}
