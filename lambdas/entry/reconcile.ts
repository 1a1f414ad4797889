import { awsSettings, env } from "../env.ts";
import { emitter, measuredRuns, ofEndedExecution } from "../metrics.ts";
import { documentClient } from "../stores/aws/clients.ts";
import { awsRuns } from "../stores/aws/runs.ts";
import { type ExecutionEvent, reconcile } from "../workflow/reconcile.ts";

const table = env("TABLE_NAME");
const runs = awsRuns({
  documents: documentClient(awsSettings()),
  table,
  objects: () => Promise.reject(new Error("reconcile may only write a run's status; it has no right to its texts")),
});

const emit = emitter(table);
const deps = { runs: measuredRuns(runs, emit), now: Date.now };

export async function handler(event: ExecutionEvent): Promise<void> {
  emit(ofEndedExecution(event.detail.status, await reconcile(deps, event)));
}
