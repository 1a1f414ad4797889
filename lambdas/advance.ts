import type { Context } from "aws-lambda";
import packageFile from "../package.json" with { type: "json" };
import { awsSettings, envIfSet, numberIfSet, traceSettings } from "../src/env.ts";
import { sandboxFunctions } from "../src/platform/aws/functions/sandbox-functions.ts";
import { advance, type AdvanceDeps } from "../src/workflow/advance.ts";
import type { AdvancePayload, AdvanceResponse } from "../src/workflow/payload.ts";
import { abortSeconds, lastStepSeconds } from "../src/workflow/policy.ts";
import { retryAfterResponse } from "../src/workflow/retry-later.ts";
import type { Telemetry } from "../src/observability/tracing.ts";
import { measuredStores, readSecrets } from "../src/platform/aws/functions/lambda.ts";

const settings = awsSettings();
const traces = traceSettings();
const defaultProgramSeconds = numberIfSet("PROGRAM_SECONDS");
const { linuxOf, ...sandbox } = sandboxFunctions(settings);

const addresses = envIfSet("PRIVATE_ADDRESSES") === "allowed" ? ("private" as const) : ("public" as const);

const deps = {
  ...measuredStores(settings),
  now: Date.now,
  ...readSecrets(settings),
  ...sandbox,
  addresses,
  release: packageFile.version,
  ...(defaultProgramSeconds !== undefined && { defaultProgramSeconds }),
};

let telemetry: Telemetry | undefined;

let startNext: ((organizationId: string) => Promise<number>) | undefined;
let driveTrial: ((trialId: string) => Promise<void>) | undefined;

export async function handler(payload: AdvancePayload, context: Context): Promise<AdvanceResponse> {
  const { stateMachineArn, ...turn } = payload;
  // In executions of an earlier version, which do not pass the ARN, the sweep starts what is next.
  async function onSlotFreed(organizationId: string): Promise<void> {
    if (stateMachineArn === undefined) return;
    const { nextStarter } = await import("../src/platform/aws/functions/start-next.ts");
    startNext ??= nextStarter(settings, deps, stateMachineArn);
    await startNext(organizationId);
  }
  async function onTriedTurnEnded(trialId: string): Promise<void> {
    if (stateMachineArn === undefined) return;
    const { turnTrialDriver } = await import("../src/platform/aws/functions/drive-trial.ts");
    driveTrial ??= turnTrialDriver(settings, deps, stateMachineArn);
    await driveTrial(trialId);
  }
  if (traces) telemetry ??= await (await import("../src/observability/tracing.ts")).openTelemetry(traces);
  const remaining = context.getRemainingTimeInMillis();
  try {
    const end = Date.now() + remaining - abortSeconds * 1_000;
    const linux: Pick<AdvanceDeps, "linuxOf"> = linuxOf
      ? { linuxOf: (run, environment) => linuxOf(run, environment, end) }
      : {};
    const result = await advance({ ...deps, ...linux, telemetry, onSlotFreed, onTriedTurnEnded }, turn, {
      signal: AbortSignal.timeout(remaining - abortSeconds * 1_000),
      deadline: Date.now() + remaining - lastStepSeconds * 1_000,
    });
    return { ...result, waitSeconds: 0, waits: 0 };
  } catch (error) {
    return retryAfterResponse(error, turn);
  } finally {
    await telemetry?.flush(); // Lambda may freeze the process after the response
  }
}
