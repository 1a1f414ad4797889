import type { Runs } from "../../runs/ports.ts";
import { withMappedErrors } from "./errors.ts";
import { awsLeases } from "./leases.ts";
import type { RunsTable } from "./run-items.ts";
import { awsRunReads } from "./run-reads.ts";
import { awsRunWrites } from "./run-writes.ts";

/** Runs as items of the table (`table.ts` has the picture), with their large texts in the bucket. */
export function awsRuns(home: RunsTable): Runs {
  return withMappedErrors<Runs>("DynamoDB or S3", {
    ...awsRunReads(home),
    ...awsRunWrites(home),
    ...awsLeases(home),
  });
}
