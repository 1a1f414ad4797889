import { awsSettings, env } from "../env.ts";
import { emitter, measuredRuns } from "../metrics.ts";
import { documentClient, sfnClient } from "../stores/aws/clients.ts";
import { awsExecutions } from "../stores/aws/executions.ts";
import { awsRuns } from "../stores/aws/runs.ts";
import { awsWorkflow } from "../stores/aws/workflow.ts";
import { sweep, type Swept } from "../workflow/sweep.ts";

const settings = awsSettings();

const table = env("TABLE_NAME");
const runs = awsRuns({
  documents: documentClient(settings),
  table,
  objects: () => Promise.reject(new Error("sweep may only write a run's status; it has no right to its texts")),
});
const home = { sfn: sfnClient(settings), stateMachineArn: env("STATE_MACHINE_ARN") };

const emit = emitter(table);
const deps = {
  runs: measuredRuns(runs, emit),
  executions: awsExecutions(home),
  workflow: awsWorkflow(home),
  now: Date.now,
};

export async function handler(): Promise<Swept> {
  const swept = await sweep(deps);
  emit({ RunsRunning: swept.running, RunsStuck: swept.ended });
  return swept;
}
