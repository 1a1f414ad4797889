import type { Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { type AttributeValue, type DynamoDBClient, paginateQuery, paginateScan } from "@aws-sdk/client-dynamodb";
import { GetObjectCommand, type S3Client } from "@aws-sdk/client-s3";

/** An item as DynamoDB stores it: numbers keep their digits. */
export type Item = Record<string, AttributeValue>;

/** The items of a table, or of one of its partitions, in pages. */
export async function* itemsOfTable(client: DynamoDBClient, table: string, key?: string): AsyncGenerator<Item[]> {
  const pages =
    key === undefined
      ? paginateScan({ client }, { TableName: table })
      : paginateQuery(
          { client },
          { TableName: table, KeyConditionExpression: "pk = :pk", ExpressionAttributeValues: { ":pk": { S: key } } },
        );
  for await (const { Items = [] } of pages) yield Items;
}

/** Items of an export that are held at a time. */
const page = 1_000;

/**
 * The items of a full export of a table to S3, in pages. `url`: the folder of the export, such as
 * `s3://bucket/AWSDynamoDB/01693685827463-2d8752fd`. Throws if a file has not the number of items that the export's list names.
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/S3DataExport.Output.html
 */
export async function* itemsOfExport(s3: S3Client, url: string, key?: string): AsyncGenerator<Item[]> {
  const [, bucket, folder] = /^s3:\/\/([^/]+)\/(.+?)\/?$/.exec(url) ?? [];
  if (bucket === undefined) throw new Error(`${url} is no folder in S3; accepted: s3://BUCKET/AWSDynamoDB/EXPORT`);
  for await (const line of linesOf(s3, bucket, `${folder}/manifest-files.json`, false)) {
    const { dataFileS3Key: file, itemCount } = JSON.parse(line) as { dataFileS3Key: string; itemCount: number };
    let [count, items]: [number, Item[]] = [0, []];
    for await (const each of linesOf(s3, bucket, file, true)) {
      const { Item: item } = JSON.parse(each) as { Item?: Item };
      if (item === undefined)
        throw new Error(`${file} has changes instead of items; restore a full export, not an incremental one`);
      count++;
      if (key === undefined || item["pk"]?.S === key) items.push(withBytes(item));
      if (items.length === page) yield items.splice(0);
    }
    if (count !== itemCount) throw new Error(`${file} has ${count} items; the export's list names ${itemCount}`);
    yield items;
  }
}

/** Lines that are not empty. They end at `\n` only: readline of Node 24 splits at U+2028 and U+2029, too, which texts in JSON can have. */
async function* linesOf(s3: S3Client, Bucket: string, Key: string, isCompressed: boolean): AsyncGenerator<string> {
  const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key })).catch((error: unknown) => {
    throw new Error(`s3://${Bucket}/${Key} cannot be read: ${String(error)}`);
  });
  const bytes = Body as Readable;
  const input = isCompressed ? bytes.pipe(createGunzip()) : bytes;
  bytes.once("error", (error) => input.destroy(error));
  let line = "";
  for await (const text of input.setEncoding("utf8") as AsyncIterable<string>) {
    const [end = "", ...others] = text.split("\n");
    line += end;
    for (const next of others) {
      if (line !== "") yield line;
      line = next;
    }
  }
  if (line !== "") yield line;
}

/** An export has binary values as base64 text. */
function withBytes(item: Item): Item {
  return Object.fromEntries(Object.entries(item).map(([name, value]) => [name, valueOf(value)]));
}

const bytesOf = (text: unknown): Uint8Array => Buffer.from(String(text), "base64");

function valueOf(value: AttributeValue): AttributeValue {
  const { B: bytes, BS: set, L: list, M: map } = value;
  if (bytes !== undefined) return { B: bytesOf(bytes) };
  if (set !== undefined) return { BS: set.map(bytesOf) };
  if (list !== undefined) return { L: list.map(valueOf) };
  return map === undefined ? value : { M: withBytes(map) };
}
