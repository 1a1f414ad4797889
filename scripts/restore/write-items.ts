import {
  BatchWriteItemCommand,
  ConditionalCheckFailedException,
  type DynamoDBClient,
  PutItemCommand,
  type WriteRequest,
} from "@aws-sdk/client-dynamodb";
import type { Item } from "./items.ts";

/** Calls at a time. The SDK's client has as many connections. */
const parallel = 50;

/** Items that a `BatchWriteItem` accepts. */
const batch = 25;

interface Counts {
  found: number;
  written: number;
  kept: number;
}

/** Writes the items of all pages to a table. `overwrite`: replaces existing items; otherwise they are kept. */
export async function writeItems(
  client: DynamoDBClient,
  table: string,
  pages: AsyncIterable<Item[]>,
  { overwrite, dryRun, onProgress }: { overwrite: boolean; dryRun: boolean; onProgress: (counts: Counts) => void },
): Promise<Counts> {
  const counts: Counts = { found: 0, written: 0, kept: 0 };
  const calls = new Set<Promise<void>>();
  const failures: unknown[] = [];

  async function replace(items: Item[]): Promise<void> {
    let requests: WriteRequest[] | undefined = items.map((item) => ({ PutRequest: { Item: item } }));
    while (requests !== undefined && requests.length > 0) requests = await tried(requests);
    counts.written += items.length;
  }

  /** Resolves with what is left because the table is throttled. */
  async function tried(requests: WriteRequest[]): Promise<WriteRequest[] | undefined> {
    const command = new BatchWriteItemCommand({ RequestItems: { [table]: requests } });
    const left = (await client.send(command)).UnprocessedItems?.[table];
    if (left !== undefined) await new Promise((resolve) => setTimeout(resolve, 500 + Math.random() * 1_000));
    return left;
  }

  async function add(item: Item): Promise<void> {
    try {
      const condition = { ConditionExpression: "attribute_not_exists(pk)" };
      await client.send(new PutItemCommand({ TableName: table, Item: item, ...condition }));
      counts.written++;
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
      counts.kept++;
    }
  }

  async function start(call: Promise<void>): Promise<void> {
    const running: Promise<void> = call
      .catch((error: unknown) => void failures.push(error))
      .finally(() => calls.delete(running));
    calls.add(running);
    if (calls.size >= parallel) await Promise.race(calls);
    if (failures.length > 0) throw failures[0];
  }

  for await (const items of pages) {
    counts.found += items.length;
    if (!dryRun) {
      const size = overwrite ? batch : 1;
      for (let first = 0; first < items.length; first += size) {
        const some = items.slice(first, first + size);
        await start(overwrite ? replace(some) : add(some[0] ?? {}));
      }
    }
    onProgress(counts);
  }
  await Promise.all(calls);
  if (failures.length > 0) throw failures[0];
  return counts;
}
