import { awsSettings } from "../src/env.ts";
import { awsExecutions } from "../src/platform/aws/functions/execution-list.ts";
import { awsWorkflow } from "../src/platform/aws/workflow.ts";
import { sweep, type SweepResult } from "../src/workflow/sweep.ts";
import { emit, readAccounts, stateMachine, statusOnlyRuns } from "../src/platform/aws/functions/lambda.ts";

const settings = awsSettings();
const machine = stateMachine(settings);

const deps = {
  runs: statusOnlyRuns(settings),
  accounts: readAccounts(settings),
  executions: awsExecutions(machine),
  workflow: awsWorkflow(machine),
  now: Date.now,
};

export async function handler(): Promise<SweepResult> {
  const swept = await sweep(deps);
  const { running, ended, waiting } = swept;
  // A metric costs money from its first value on, so a service without quotas does not emit it.
  emit({ RunsRunning: running, RunsOrphaned: ended, ...(waiting > 0 && { RunsWaiting: waiting }) });
  return swept;
}
