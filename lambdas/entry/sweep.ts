import { awsSettings, env } from "../env.ts";
import { sfnClient } from "../stores/aws/clients.ts";
import { awsExecutions } from "../stores/aws/executions.ts";
import { awsWorkflow } from "../stores/aws/workflow.ts";
import { sweep, type SweepResult } from "../workflow/sweep.ts";
import { emit, statusOnlyRuns } from "./stores.ts";

const settings = awsSettings();
const home = { sfn: sfnClient(settings), stateMachineArn: env("STATE_MACHINE_ARN") };

const deps = {
  runs: statusOnlyRuns(settings),
  executions: awsExecutions(home),
  workflow: awsWorkflow(home),
  now: Date.now,
};

export async function handler(): Promise<SweepResult> {
  const swept = await sweep(deps);
  emit({ RunsRunning: swept.running, RunsStuck: swept.ended });
  return swept;
}
