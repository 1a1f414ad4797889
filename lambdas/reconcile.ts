import { awsSettings } from "../src/env.ts";
import { ofEndedExecution } from "../src/observability/metrics.ts";
import { type ExecutionEvent, reconcile } from "../src/workflow/reconcile.ts";
import { emit, statusOnlyRuns } from "../src/platform/aws/lambda-stores.ts";

const deps = { runs: statusOnlyRuns(awsSettings()), now: Date.now };

export async function handler(event: ExecutionEvent): Promise<void> {
  emit(ofEndedExecution(event.detail.status, await reconcile(deps, event)));
}
