import { GetCommand, PutCommand } from "@aws-sdk/lib-dynamodb";
import { cachedConfigurations } from "../../runs/cached-configurations.ts";
import type { Configurations } from "../../runs/ports.ts";
import { withMappedErrors } from "./errors.ts";
import { readText, type StoredText, storeText } from "./large-text.ts";
import type { RunsTable } from "./run-items.ts";
import { ttlAttribute } from "./table.ts";

const daySeconds = 86_400;

/** A process stores a configuration again after this time, which extends its expiry. */
const refreshMs = daySeconds * 1_000;

/**
 * Configurations as items of the table, with large texts in the bucket. They expire two days later than a run that is
 * created when they are stored: a process uses one for a day before it stores it again. The bucket's lifecycle rule counts
 * from the same write and deletes after `retentionDays` + 1 days, at the next midnight.
 */
export function awsConfigurations({ documents, table, objects, retentionDays }: RunsTable): Configurations {
  const store = withMappedErrors<Configurations>("DynamoDB or S3", {
    async put(agentId, { hash, text }) {
      const expiresAt = Math.ceil(Date.now() / 1_000) + ((retentionDays ?? 0) + 2) * daySeconds;
      const Item = {
        ...keyOf(agentId, hash),
        ...(await storeText(objects, agentId, text)),
        ...(retentionDays !== undefined && { [ttlAttribute]: expiresAt }),
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

/** A partition of its own, so that the function that writes configurations cannot write agents. */
function keyOf(agentId: string, hash: string) {
  return { pk: `CONFIG#${agentId}`, sk: hash };
}
