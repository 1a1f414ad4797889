import middy from "@middy/core";
import { awsSettings } from "../src/env.ts";
import { activeTrialsDriver } from "../src/platform/aws/functions/drive-trial.ts";
import { awsExecutions } from "../src/platform/aws/functions/execution-list.ts";
import { emit, measuredStores, stateMachine } from "../src/platform/aws/functions/lambda.ts";
import { afterEach, noEarlyTimeout } from "../src/platform/aws/functions/middlewares.ts";
import { awsWorkflow } from "../src/platform/aws/workflow.ts";
import { trialOf } from "../src/trials/trial-id.ts";
import { abortSeconds } from "../src/workflow/policy.ts";
import { sweep, type SweepResult } from "../src/workflow/sweep.ts";

const settings = awsSettings();
const machine = stateMachine(settings);

const deps = {
  ...measuredStores(settings),
  executions: awsExecutions(machine),
  workflow: awsWorkflow(machine),
  now: Date.now,
  kindOf: trialOf,
};

const driveActiveTrials = activeTrialsDriver(deps);

/** Moves trials on in the time that is left. */
const driveTrials = afterEach<unknown, SweepResult>((_event, context) =>
  driveActiveTrials(context.getRemainingTimeInMillis() - abortSeconds * 1_000),
);

export const handler = middy<unknown, SweepResult>(noEarlyTimeout)
  .use(driveTrials)
  .handler(async () => {
    const swept = await sweep(deps);
    const { running, ended, waiting } = swept;
    // A metric costs money from its first value on, so a service without quotas does not emit it.
    emit({ RunsRunning: running, RunsOrphaned: ended, ...(waiting > 0 && { RunsWaiting: waiting }) });
    return swept;
  });
