import { awsSettings } from "../src/env.ts";
import { executionMetrics } from "../src/observability/metrics.ts";
import { type ExecutionEvent, endFailedExecution } from "../src/workflow/reconcile.ts";
import { emit, statusOnlyRuns } from "../src/platform/aws/functions/lambda.ts";

const deps = { runs: statusOnlyRuns(awsSettings()), now: Date.now };

export async function handler(event: ExecutionEvent): Promise<void> {
  emit(executionMetrics(event.detail.status, await endFailedExecution(deps, event)));
}
