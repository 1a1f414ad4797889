import { gzipSync } from "node:zlib";
import { CloudFormationClient, DescribeStacksCommand } from "@aws-sdk/client-cloudformation";
import { type AttributeValue, DynamoDBClient, paginateScan } from "@aws-sdk/client-dynamodb";
import {
  CreateBucketCommand,
  GetObjectCommand,
  paginateListObjectsV2,
  PutObjectCommand,
  S3Client,
} from "@aws-sdk/client-s3";
import { environment } from "./processes.ts";
import { emulated } from "./service.ts";

// Copies of a service in another region, as docs/operations.md#restore-in-another-region has them.

export const region = "eu-west-1";

/** The environment of commands in that region. */
export function inRegion(): NodeJS.ProcessEnv {
  return environment({ AWS_REGION: region, AWS_DEFAULT_REGION: region });
}

const settings = () => ({ ...emulated(), region, forcePathStyle: true });

/** The outputs of a stack in that region. */
export async function outputsInRegion(StackName: string): Promise<Record<string, string>> {
  const cloudFormation = new CloudFormationClient(settings());
  const { Stacks = [] } = await cloudFormation.send(new DescribeStacksCommand({ StackName }));
  cloudFormation.destroy();
  return Object.fromEntries((Stacks[0]?.Outputs ?? []).map(({ OutputKey, OutputValue }) => [OutputKey, OutputValue]));
}

/**
 * Writes an export of a table to a new bucket in that region, in the format that AWS documents and in two files: the emulator's export
 * writes none. Resolves with the folder of the export, and the number of items.
 */
export async function exportTable(TableName: string): Promise<{ url: string; count: number }> {
  const [table, s3] = [new DynamoDBClient(emulated()), new S3Client(settings())];
  const items: Record<string, AttributeValue>[] = [];
  for await (const { Items = [] } of paginateScan({ client: table }, { TableName })) items.push(...Items);
  const [Bucket, folder] = ["copies-of-the-service", "AWSDynamoDB/01764345600000-2d8752fd"];
  await s3.send(new CreateBucketCommand({ Bucket }));
  const half = Math.ceil(items.length / 2);
  const lines: string[] = [];
  for (const [index, part] of [items.slice(0, half), items.slice(half)].entries()) {
    const Key = `${folder}/data/${index}.json.gz`;
    const Body = gzipSync(part.map((Item) => `${JSON.stringify({ Item })}\n`).join(""));
    await s3.send(new PutObjectCommand({ Bucket, Key, Body }));
    lines.push(`${JSON.stringify({ itemCount: part.length, dataFileS3Key: Key })}\n`);
  }
  await s3.send(new PutObjectCommand({ Bucket, Key: `${folder}/manifest-files.json`, Body: lines.join("") }));
  table.destroy();
  s3.destroy();
  return { url: `s3://${Bucket}/${folder}`, count: items.length };
}

/** Copies all objects to a bucket in that region, as `aws s3 sync` does. */
export async function copyObjects(from: string, to: string): Promise<void> {
  const [source, target] = [new S3Client({ ...settings(), region: "us-east-1" }), new S3Client(settings())];
  for await (const { Contents = [] } of paginateListObjectsV2({ client: source }, { Bucket: from })) {
    for (const { Key = "" } of Contents) {
      const { Body } = await source.send(new GetObjectCommand({ Bucket: from, Key }));
      const content = (await Body?.transformToByteArray()) ?? new Uint8Array();
      await target.send(new PutObjectCommand({ Bucket: to, Key, Body: content }));
    }
  }
  source.destroy();
  target.destroy();
}
