import { env } from "../../env.ts";
import { emitter, measuredRuns } from "../../observability/metrics.ts";
import type { Runs, Stores } from "../../runs/ports.ts";
import { type ClientSettings, documentClient, s3Client } from "./clients.ts";
import { awsStores } from "./index.ts";
import { awsRuns } from "./runs.ts";

const table = env("TABLE_NAME");
export const emit = emitter(table);

/** For functions that make runs or work on them: what they write is measured, and expires. */
export function measuredStores(settings: ClientSettings): Stores {
  const stores = awsStores({
    documents: documentClient(settings),
    s3: () => s3Client(settings),
    table,
    bucket: env("BUCKET_NAME"),
    retentionDays: Number(env("RETENTION_DAYS")),
  });
  return { ...stores, runs: measuredRuns(stores.runs, emit) };
}

/** For functions that only end runs: a status is all they write, and they have no right to texts and files. */
export function statusOnlyRuns(settings: ClientSettings): Runs {
  const noRight = new Error("this function may only write a run's status; it has no right to texts and files");
  const runs = awsRuns({ documents: documentClient(settings), table, objects: () => Promise.reject(noRight) });
  return measuredRuns(runs, emit);
}
