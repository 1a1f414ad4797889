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

/** A read of an item, for all callers that ask for it in the same batch. */
interface Read extends Pick<PromiseWithResolvers<Item | undefined>, "promise" | "resolve" | "reject"> {
  key: Key;
}

/** Reads that go out together, by name. Until they do, more are added. */
type Batch = Map<string, Read>;

/**
 * Reads single items in batches, for a server with many streams that read at the same time: a request for 100 items takes
 * about as much of the processor as one for a single item. DynamoDB bills the same for both. An item is read once per batch. No read begins before it is asked for. A read that DynamoDB does not answer rejects with `StoreUnavailable`, and no other does.
 */
export function batchedReads({ documents, table }: DynamoTable): ReadItem {
  const gathering = new Map<boolean, Batch>();

  function begin(consistent: boolean): Batch {
    const batch: Batch = new Map();
    gathering.set(consistent, batch);
    void pause(gatherMilliseconds).then(async () => {
      if (gathering.get(consistent) === batch) gathering.delete(consistent);
      await readAll(batch, consistent).catch((error: unknown) => batch.forEach(({ reject }) => reject(error)));
    });
    return batch;
  }

  /** Settles each read when its item arrives. */
  async function readAll(batch: Batch, ConsistentRead: boolean): Promise<void> {
    let left = new Map(batch);
    for (let attempt = 1; attempt <= attempts; attempt++) {
      const Keys = [...left.values()].map(({ key }) => key);
      const request = new BatchGetCommand({ RequestItems: { [table]: { Keys, ConsistentRead } } });
      const { Responses = {}, UnprocessedKeys = {} } = await documents.send(request);
      for (const item of Responses[table] ?? []) batch.get(nameOf(item as Key))?.resolve(item);
      const unread = new Set((UnprocessedKeys[table]?.Keys ?? []).map((key) => nameOf(key as Key)));
      for (const [name, { resolve }] of left) if (!unread.has(name)) resolve(undefined); // no effect on one that has its item
      left = new Map([...left].filter(([name]) => unread.has(name)));
      if (left.size === 0) return;
      await backOff(attempt);
    }
    throw new StoreUnavailable("DynamoDB did not return a run that is watched; try again later");
  }

  return ({ pk, sk }, consistent) => {
    const batch = gathering.get(consistent) ?? begin(consistent);
    const name = nameOf({ pk, sk });
    const read = batch.get(name) ?? { key: { pk, sk }, ...Promise.withResolvers<Item | undefined>() };
    batch.set(name, read);
    if (batch.size === batchSize) gathering.delete(consistent);
    return read.promise;
  };
}

function nameOf({ pk, sk }: Key): string {
  return `${pk} ${sk}`;
}
