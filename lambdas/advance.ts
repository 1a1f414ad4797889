import middy, { type MiddlewareObj } from "@middy/core";
import type { Context } from "aws-lambda";
import packageFile from "../package.json" with { type: "json" };
import { awsSettings, envIfSet, traceSettings } from "../src/env.ts";
import { sandboxFunctions } from "../src/platform/aws/functions/sandbox-functions.ts";
import { trialTurns } from "../src/trials/turn-kind.ts";
import { advance, type AdvanceDeps } from "../src/workflow/advance.ts";
import type { AdvancePayload, AdvanceResponse } from "../src/workflow/payload.ts";
import { abortSeconds, lastStepSeconds } from "../src/workflow/policy.ts";
import { retryAfterResponse } from "../src/workflow/retry-later.ts";
import type { Telemetry } from "../src/observability/tracing.ts";
import { measuredStores, readSecrets } from "../src/platform/aws/functions/lambda.ts";
import { afterEach, noEarlyTimeout } from "../src/platform/aws/functions/middlewares.ts";

const settings = awsSettings();
const traces = traceSettings();
const { linuxOf, ...sandbox } = sandboxFunctions(settings);

const addresses = envIfSet("PRIVATE_ADDRESSES") === "allowed" ? ("private" as const) : ("public" as const);

const deps = {
  ...measuredStores(settings),
  now: Date.now,
  ...readSecrets(settings),
  ...sandbox,
  addresses,
  release: packageFile.version,
};

let telemetry: Telemetry | undefined;

/** Opens telemetry before the first turn, and sends the traces of each turn: Lambda may freeze the process after the response. */
const sendTraces: AdvanceMiddleware = {
  async before() {
    if (traces) telemetry ??= await (await import("../src/observability/tracing.ts")).openTelemetry(traces);
  },
  ...afterEach(async () => telemetry?.flush()),
};

/** What to start after an invocation: the next run of these organizations, and the next step of these trials. */
interface Ended {
  organizations: string[];
  trials: string[];
}

type AdvanceContext = Context & { ended: Ended };
type AdvanceMiddleware = MiddlewareObj<AdvancePayload, AdvanceResponse, Error, AdvanceContext>;

let startNextRun: ((organizationId: string) => Promise<number>) | undefined;
let driveTrial: ((trialId: string) => Promise<void>) | undefined;

/** Starts what waited for the end of the turn. In executions without the ARN, the sweep does it. */
const startNext: AdvanceMiddleware = {
  before({ context }) {
    context.ended = { organizations: [], trials: [] };
  },
  async after({ event: { stateMachineArn }, context: { ended } }) {
    if (stateMachineArn === undefined) return;
    for (const trialId of ended.trials) {
      const { turnTrialDriver } = await import("../src/platform/aws/functions/drive-trial.ts");
      driveTrial ??= turnTrialDriver(settings, deps, stateMachineArn);
      await driveTrial(trialId);
    }
    for (const organizationId of ended.organizations) {
      const { nextStarter } = await import("../src/platform/aws/functions/start-next.ts");
      startNextRun ??= nextStarter(settings, deps, stateMachineArn);
      await startNextRun(organizationId);
    }
  },
};

/** Makes the state machine wait as long as a provider asked. */
const waitForProvider: AdvanceMiddleware = {
  onError(invocation) {
    invocation.response = retryAfterResponse(invocation.error, invocation.event);
  },
};

export const handler = middy<AdvancePayload, AdvanceResponse, Error, AdvanceContext>(noEarlyTimeout)
  .use(waitForProvider)
  .use(startNext)
  .use(sendTraces)
  .handler(async ({ stateMachineArn: _arn, ...turn }, context) => {
    const remaining = context.getRemainingTimeInMillis();
    const end = Date.now() + remaining - abortSeconds * 1_000;
    const { ended } = context;
    const invocation = {
      ...deps,
      ...(linuxOf && { linuxOf: (run, environment) => linuxOf(run, environment, end) }),
      telemetry,
      onSlotFreed: async (id) => void ended.organizations.push(id),
      kindOf: trialTurns(deps, async (id) => void ended.trials.push(id)),
    } satisfies AdvanceDeps;
    const result = await advance(invocation, turn, {
      signal: AbortSignal.timeout(remaining - abortSeconds * 1_000),
      deadline: Date.now() + remaining - lastStepSeconds * 1_000,
    });
    return { ...result, waitSeconds: 0, waits: 0 };
  });
