import { awsSettings, env } from "../env.ts";
import { emitter, measuredRuns } from "../metrics.ts";
import { documentClient } from "../stores/aws/clients.ts";
import { awsRuns } from "../stores/aws/runs.ts";
import { fail } from "../workflow/fail.ts";
import { type FailPayload, reasonOf } from "../workflow/payload.ts";

const table = env("TABLE_NAME");
const runs = awsRuns({
  documents: documentClient(awsSettings()),
  table,
  objects: () => Promise.reject(new Error("fail may only write a run's status; it has no right to texts and files")),
});

const deps = {
  runs: measuredRuns(runs, emitter(table)),
  now: Date.now,
};

export async function handler({ runId, turn, error, cause }: FailPayload): Promise<void> {
  await fail(deps, { runId, turn }, { error, cause: reasonOf(cause) });
}
