import { DeleteCommand, GetCommand, paginateQuery, PutCommand } from "@aws-sdk/lib-dynamodb";
import { requireFlatName } from "../../filenames.ts";
import { refusalOf } from "../../runs/files/pending-uploads.ts";
import type { PendingUpload, PendingUploads } from "../../runs/ports.ts";
import { sendConditional } from "./dynamodb/conditional-write.ts";
import { awsPendingUse, type CountedUpload } from "./dynamodb/pending-use.ts";
import { withMappedErrors } from "./sdk/sdk-errors.ts";
import { partition, type RunsTable } from "./dynamodb/run-items.ts";
import { head, objectPrefixes, ttlAttribute } from "./dynamodb/table.ts";
import { contentKey } from "./workspace.ts";

/** Pending uploads as items that expire, and their contents as objects that a lifecycle rule deletes. */
export function awsPendingUploads({
  documents,
  table,
  objects,
}: Pick<RunsTable, "documents" | "table" | "objects">): PendingUploads {
  const uses = awsPendingUse({ documents, table });
  return withMappedErrors<PendingUploads>("DynamoDB or S3", {
    async add({ expiresAt, ...upload }, { organizationId, limits }) {
      const stored = { ...upload, organizationId, expiresAtMs: expiresAt };
      const before = await read(upload.id);
      if (limits && !(before && before.expiresAtMs > upload.createdAt)) {
        const refusal = refusalOf(upload.size, await uses.of(stored), limits);
        if (refusal) return refusal;
      }
      const isCounted = before && uses.isSame(before, stored);
      if (!isCounted) await uses.add(stored); // first: after a crash, the count is too high for a day, and never too low
      const Item = { ...keyOf(upload.id), ...stored, [ttlAttribute]: Math.ceil(expiresAt / 1_000) };
      const replaced = before && { ":before": before.expiresAtMs };
      const put = new PutCommand({
        TableName: table,
        Item,
        ConditionExpression: replaced ? "expiresAtMs = :before" : "attribute_not_exists(pk)",
        ...(replaced && { ExpressionAttributeValues: replaced }),
      });
      const isStored = (await sendConditional(() => documents.send(put))) !== undefined;
      // Not stored: another call has just registered the same file.
      const toRemove = isStored ? before : stored;
      if (!isCounted && toRemove) await uses.remove(toRemove);
      return undefined;
    },

    pendingUse: (owner) => uses.of(owner),

    async find(id) {
      const item = await read(id);
      if (!item) return undefined;
      const { agentId, name, size, sha256, createdAt, expiresAtMs: expiresAt } = item;
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
        const named = await sortKeys(keyOf(id).pk, runPrefix);
        if (named.every((use) => use === runPrefix + runId)) {
          await (await objects()).remove([uploadKey({ agentId, id })]);
          const removed = (await removeItem(keyOf(id))) as StoredUpload | undefined;
          if (removed) await uses.remove(removed);
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

  /** Resolves with the item. */
  async function removeItem(Key: ItemKey): Promise<object | undefined> {
    const { Attributes } = await documents.send(new DeleteCommand({ TableName: table, Key, ReturnValues: "ALL_OLD" }));
    return Attributes;
  }

  async function read(id: string): Promise<StoredUpload | undefined> {
    const { Item } = await documents.send(new GetCommand({ TableName: table, Key: keyOf(id), ConsistentRead: true }));
    return Item as StoredUpload | undefined;
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
type StoredUpload = Omit<PendingUpload, "id" | "expiresAt"> & CountedUpload;

function keyOf(id: string): ItemKey {
  return { pk: `UPLOAD#${id}`, sk: head };
}

/** Key of the object with the content of a pending upload. */
export function uploadKey({ agentId, id }: Pick<PendingUpload, "agentId" | "id">): string {
  return `${objectPrefixes.uploads}${requireFlatName(agentId)}/${requireFlatName(id)}`;
}
