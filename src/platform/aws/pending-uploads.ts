import { DeleteCommand, GetCommand, paginateQuery, PutCommand } from "@aws-sdk/lib-dynamodb";
import { requireFlatName } from "../../filenames.ts";
import type { PendingUpload, PendingUploads } from "../../runs/ports.ts";
import { withMappedErrors } from "./sdk/errors.ts";
import { partition, type RunsTable } from "./dynamodb/run-items.ts";
import { head, objectPrefixes, ttlAttribute } from "./dynamodb/table.ts";
import { contentKey } from "./workspace.ts";

/** Pending uploads as items that expire, and their contents as objects that a lifecycle rule deletes. */
export function awsPendingUploads({
  documents,
  table,
  objects,
}: Pick<RunsTable, "documents" | "table" | "objects">): PendingUploads {
  return withMappedErrors<PendingUploads>("DynamoDB or S3", {
    async add({ expiresAt, ...upload }): Promise<undefined> {
      const expiry = { [ttlAttribute]: Math.ceil(expiresAt / 1_000), expiresAtMs: expiresAt };
      await documents.send(new PutCommand({ TableName: table, Item: { ...keyOf(upload.id), ...upload, ...expiry } }));
    },

    pendingUse: async () => undefined,

    async find(id) {
      const { Item } = await documents.send(new GetCommand({ TableName: table, Key: keyOf(id), ConsistentRead: true }));
      if (!Item) return undefined;
      const { agentId, name, size, sha256, createdAt, expiresAtMs: expiresAt } = Item as StoredUpload;
      return { id, agentId, name, size, sha256, createdAt, expiresAt };
    },

    async copyTo(runId, upload) {
      const { id, expiresAt } = upload;
      const [from, to] = [uploadKey(upload), contentKey(runId, upload.sha256)];
      const expiry = { [ttlAttribute]: Math.ceil(expiresAt / 1_000) };
      await Promise.all(
        useKeys(runId, id).map((key) =>
          documents.send(new PutCommand({ TableName: table, Item: { ...key, ...expiry } })),
        ),
      );
      return (await objects()).copy(from, to);
    },

    async release({ id: runId, agentId }) {
      for (const sk of await sortKeys(partition(runId), usedPrefix)) {
        const id = sk.slice(usedPrefix.length);
        const uses = await sortKeys(keyOf(id).pk, runPrefix);
        if (uses.every((use) => use === runPrefix + runId)) {
          await (await objects()).remove([uploadKey({ agentId, id })]);
          await removeItem(keyOf(id));
        }
        for (const key of useKeys(runId, id).toReversed()) await removeItem(key);
      }
    },
  });

  async function sortKeys(pk: string, prefix: string): Promise<string[]> {
    const found: string[] = [];
    const pages = paginateQuery(
      { client: documents },
      {
        TableName: table,
        KeyConditionExpression: "pk = :pk AND begins_with(sk, :prefix)",
        ProjectionExpression: "sk",
        ExpressionAttributeValues: { ":pk": pk, ":prefix": prefix },
        ConsistentRead: true,
      },
    );
    for await (const { Items = [] } of pages) found.push(...Items.map(({ sk }) => String(sk)));
    return found;
  }

  async function removeItem(Key: ItemKey): Promise<void> {
    await documents.send(new DeleteCommand({ TableName: table, Key }));
  }
}

type ItemKey = Record<"pk" | "sk", string>;

/** Sort key prefixes of the items that say which runs were created with which pending uploads: of a run, of an upload. */
const [usedPrefix, runPrefix] = ["SAVED#PENDING#", "RUN#"];

function useKeys(runId: string, uploadId: string): ItemKey[] {
  return [
    { pk: partition(runId), sk: usedPrefix + uploadId },
    { pk: keyOf(uploadId).pk, sk: runPrefix + runId },
  ];
}

/** The time in milliseconds has its own attribute, because DynamoDB expects seconds in `expiresAt`. */
type StoredUpload = Omit<PendingUpload, "id"> & { expiresAtMs: number };

function keyOf(id: string): ItemKey {
  return { pk: `UPLOAD#${id}`, sk: head };
}

/** Key of the object with the content of a pending upload. */
export function uploadKey({ agentId, id }: Pick<PendingUpload, "agentId" | "id">): string {
  return `${objectPrefixes.uploads}${requireFlatName(agentId)}/${requireFlatName(id)}`;
}
