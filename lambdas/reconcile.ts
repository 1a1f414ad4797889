import middy from "@middy/core";
import { awsSettings } from "../src/env.ts";
import { executionMetrics } from "../src/observability/metrics.ts";
import { type ExecutionEvent, endFailedExecution } from "../src/workflow/reconcile.ts";
import { emit, statusOnlyRuns } from "../src/platform/aws/functions/lambda.ts";
import { noEarlyTimeout } from "../src/platform/aws/functions/middlewares.ts";

const deps = { runs: statusOnlyRuns(awsSettings()), now: Date.now };

export const handler = middy<ExecutionEvent>(noEarlyTimeout).handler(async (event) => {
  emit(executionMetrics(event.detail.status, await endFailedExecution(deps, event)));
});
