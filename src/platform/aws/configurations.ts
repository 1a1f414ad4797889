import { GetCommand, PutCommand } from "@aws-sdk/lib-dynamodb";
import { cachedConfigurations } from "../../runs/cached-configurations.ts";
import { isKept } from "../../runs/erase/kept.ts";
import type { Configurations } from "../../runs/ports.ts";
import { withMappedErrors } from "./sdk/sdk-errors.ts";
import { readText, type StoredText, storeText } from "./dynamodb/large-text.ts";
import type { RunsTable } from "./dynamodb/run-items.ts";
import { ttlAttribute } from "./dynamodb/table.ts";

const daySeconds = 86_400;

/** A process stores a configuration again after this time, which extends its expiry. */
const refreshMs = daySeconds * 1_000;

/** Days by which a configuration outlives a run that is created when it is stored. */
const extraDays = 3;

/**
 * Configurations as items of the table, with large texts in the bucket. An item that was stored within a day is not stored
 * again, and a process uses it for another day: the third day is the margin. The bucket's lifecycle rule deletes a large
 * text `retentionDays` + 1 days after its last write, at the next midnight, so each process writes it once a day.
 */
export function awsConfigurations({ documents, table, objects, retentionDays }: RunsTable): Configurations {
  /**
   * Whether the item was stored within a day. A read comes before the write, because a write of 10 KB costs 40 times as
   * much, and a partition accepts 1,000 KB of writes a second: too few for a thousand cold starts at once.
   */
  async function isFresh(key: object, expiresAt: number): Promise<boolean> {
    const { Item } = await documents.send(
      new GetCommand({ TableName: table, Key: key, ProjectionExpression: `textKey, ${ttlAttribute}` }),
    );
    return Item !== undefined && !("textKey" in Item) && Number(Item[ttlAttribute]) >= expiresAt - daySeconds;
  }

  const store = withMappedErrors<Configurations>("DynamoDB or S3", {
    async put(agentId, { hash, text }) {
      const expiresAt = Math.ceil(Date.now() / 1_000) + ((retentionDays ?? 0) + extraDays) * daySeconds;
      const key = keyOf(agentId, hash);
      if (await isFresh(key, expiresAt)) return;
      const expires = retentionDays !== undefined && !isKept(agentId);
      const Item = {
        ...key,
        ...(await storeText(objects, agentId, text)),
        ...(expires && { [ttlAttribute]: expiresAt }),
      };
      await documents.send(new PutCommand({ TableName: table, Item }));
    },

    async get(agentId, hash) {
      const { Item } = await documents.send(
        new GetCommand({ TableName: table, Key: keyOf(agentId, hash), ConsistentRead: true }),
      );
      return Item && readText(objects, Item as StoredText);
    },
  });
  return cachedConfigurations(store, { refreshMs, now: Date.now });
}

/** A separate partition, so that the function that writes configurations cannot write agents. */
function keyOf(agentId: string, hash: string) {
  return { pk: `CONFIG#${agentId}`, sk: hash };
}
