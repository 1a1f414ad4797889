import { awsSettings, env } from "../src/env.ts";
import { sfnClient } from "../src/platform/aws/clients.ts";
import { awsExecutions } from "../src/platform/aws/execution-list.ts";
import { awsWorkflow } from "../src/platform/aws/workflow.ts";
import { sweep, type SweepResult } from "../src/workflow/sweep.ts";
import { emit, statusOnlyRuns } from "../src/platform/aws/lambda-stores.ts";

const settings = awsSettings();
const stepFunctions = { sfn: sfnClient(settings), stateMachineArn: env("STATE_MACHINE_ARN") };

const deps = {
  runs: statusOnlyRuns(settings),
  executions: awsExecutions(stepFunctions),
  workflow: awsWorkflow(stepFunctions),
  now: Date.now,
};

export async function handler(): Promise<SweepResult> {
  const swept = await sweep(deps);
  emit({ RunsRunning: swept.running, RunsStuck: swept.ended });
  return swept;
}
