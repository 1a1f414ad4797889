import { awsSettings } from "../env.ts";
import { ofEndedExecution } from "../metrics.ts";
import { type ExecutionEvent, reconcile } from "../workflow/reconcile.ts";
import { emit, statusOnlyRuns } from "./stores.ts";

const deps = { runs: statusOnlyRuns(awsSettings()), now: Date.now };

export async function handler(event: ExecutionEvent): Promise<void> {
  emit(ofEndedExecution(event.detail.status, await reconcile(deps, event)));
}
