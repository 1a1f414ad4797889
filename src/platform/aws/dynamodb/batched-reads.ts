import { BatchGetCommand } from "@aws-sdk/lib-dynamodb";
import { pause } from "../../../async/backoff.ts";
import { StoreUnavailable } from "../../../errors.ts";
import type { DynamoTable } from "../sdk/clients.ts";
import { attempts, backOff } from "./conditional-write.ts";
import type { Item, ReadItem } from "./run-items.ts";

/** Milliseconds during which reads are gathered for one request. */
const gatherMilliseconds = 5;
/** Items of one BatchGetItem. DynamoDB accepts 100. */
const batchSize = 100;

type Key = Parameters<ReadItem>[0];

/** Reads that go out together. `keys`: until they do, more are added. */
interface Batch {
  keys: Map<string, Key>;
  items: Promise<Map<string, Item>>;
}

/**
 * Reads single items in batches, for a server with many streams that look at the same moments: a request for 100 items takes
 * about as much of the processor as one for a single item. DynamoDB bills the same for both. Reads of one item at one moment are
 * one. No read begins before it is asked for.
 */
export function batchedReads({ documents, table }: DynamoTable): ReadItem {
  const gathering = new Map<boolean, Batch>();

  function begin(consistent: boolean): Batch {
    const keys: Batch["keys"] = new Map();
    const items = pause(gatherMilliseconds).then(() => {
      if (gathering.get(consistent) === batch) gathering.delete(consistent);
      return readAll([...keys.values()], consistent);
    });
    const batch = { keys, items };
    gathering.set(consistent, batch);
    return batch;
  }

  async function readAll(keys: Key[], ConsistentRead: boolean): Promise<Map<string, Item>> {
    const found = new Map<string, Item>();
    let left: Item[] = keys;
    for (let attempt = 1; attempt <= attempts; attempt++) {
      const request = new BatchGetCommand({ RequestItems: { [table]: { Keys: left, ConsistentRead } } });
      const { Responses = {}, UnprocessedKeys = {} } = await documents.send(request);
      for (const item of Responses[table] ?? []) found.set(nameOf(item as Key), item);
      left = UnprocessedKeys[table]?.Keys ?? [];
      if (left.length === 0) return found;
      await backOff(attempt);
    }
    throw new StoreUnavailable("DynamoDB did not return all runs that are watched; try again later");
  }

  return async ({ pk, sk }, consistent) => {
    const batch = gathering.get(consistent) ?? begin(consistent);
    const name = nameOf({ pk, sk });
    batch.keys.set(name, { pk, sk });
    if (batch.keys.size === batchSize) gathering.delete(consistent);
    return (await batch.items).get(name);
  };
}

function nameOf({ pk, sk }: Key): string {
  return `${pk} ${sk}`;
}
