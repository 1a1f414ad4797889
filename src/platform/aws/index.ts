import type { S3Client } from "@aws-sdk/client-s3";
import type { Stores } from "../../runs/ports.ts";
import { awsAccounts } from "./accounts.ts";
import type { DynamoTable } from "./clients.ts";
import type { Objects } from "./bucket.ts";
import { awsRuns } from "./runs.ts";
import { awsWorkspace } from "./workspace.ts";

/** `s3` is called when an object is first touched, so that a request that touches none does not pay for the client. */
export interface AwsConfig extends DynamoTable {
  s3: () => Promise<S3Client>;
  bucket: string;
  /** Of what is written to runs: see `awsRuns`. */
  retentionDays?: number;
}

/** The stores on AWS: one DynamoDB table (its layout is in `table.ts`) and one bucket. */
export function awsStores({ documents, s3, table, bucket, retentionDays }: AwsConfig): Stores {
  let opened: Promise<Objects> | undefined;
  const open = async (): Promise<Objects> => {
    const [{ bucketObjects }, client] = await Promise.all([import("./bucket.ts"), s3()]);
    return bucketObjects(client, bucket);
  };
  const objects = (): Promise<Objects> => (opened ??= open());
  return {
    accounts: awsAccounts({ documents, table }),
    runs: awsRuns({ documents, table, objects, ...(retentionDays !== undefined && { retentionDays }) }),
    workspace: awsWorkspace(objects),
  };
}
