import type { Runs } from "../../runs/ports.ts";
import { withMappedErrors } from "./sdk/sdk-errors.ts";
import { awsLeases } from "./leases.ts";
import { awsQuotas } from "./quotas.ts";
import { awsRunEvents } from "./run-events.ts";
import type { RunsTable } from "./dynamodb/run-items.ts";
import { awsRunList } from "./dynamodb/run-list.ts";
import { awsRunReads } from "./run-reads.ts";
import { awsRunWrites } from "./run-writes.ts";
import { awsStoredBytes } from "./dynamodb/stored-bytes.ts";

/** Runs as items of the table (layout in `table.ts`), with large texts in the bucket. */
export function awsRuns(table: RunsTable): Runs {
  return withMappedErrors<Runs>("DynamoDB or S3", {
    ...awsRunReads(table),
    ...awsRunEvents(table),
    ...awsRunList(table),
    ...awsRunWrites(table),
    ...awsLeases(table),
    ...awsQuotas(table),
    ...awsStoredBytes(table),
  });
}
