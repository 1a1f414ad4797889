import { awsSettings } from "../src/env.ts";
import { awsExecutions } from "../src/platform/aws/execution-list.ts";
import { awsWorkflow } from "../src/platform/aws/workflow.ts";
import { sweep, type SweepResult } from "../src/workflow/sweep.ts";
import { emit, stateMachine, statusOnlyRuns } from "../src/platform/aws/lambda.ts";

const settings = awsSettings();
const machine = stateMachine(settings);

const deps = {
  runs: statusOnlyRuns(settings),
  executions: awsExecutions(machine),
  workflow: awsWorkflow(machine),
  now: Date.now,
};

export async function handler(): Promise<SweepResult> {
  const swept = await sweep(deps);
  emit({ RunsRunning: swept.running, RunsStuck: swept.ended });
  return swept;
}
