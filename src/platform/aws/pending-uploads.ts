import { GetCommand, PutCommand } from "@aws-sdk/lib-dynamodb";
import { requireFlatName } from "../../filenames.ts";
import type { PendingUpload, PendingUploads } from "../../runs/ports.ts";
import { withMappedErrors } from "./errors.ts";
import type { RunsTable } from "./run-items.ts";
import { head, objectPrefixes, ttlAttribute } from "./table.ts";
import { contentKey } from "./workspace.ts";

/** Pending uploads as items that expire, and their contents as objects that a lifecycle rule deletes. */
export function awsPendingUploads({
  documents,
  table,
  objects,
}: Pick<RunsTable, "documents" | "table" | "objects">): PendingUploads {
  return withMappedErrors<PendingUploads>("DynamoDB or S3", {
    async add({ expiresAt, ...upload }) {
      const expiry = { [ttlAttribute]: Math.ceil(expiresAt / 1_000), expiresAtMs: expiresAt };
      await documents.send(new PutCommand({ TableName: table, Item: { ...keyOf(upload.id), ...upload, ...expiry } }));
    },

    async find(id) {
      const { Item } = await documents.send(new GetCommand({ TableName: table, Key: keyOf(id), ConsistentRead: true }));
      if (!Item) return undefined;
      const { agentId, name, size, sha256, createdAt, expiresAtMs: expiresAt } = Item as StoredUpload;
      return { id, agentId, name, size, sha256, createdAt, expiresAt };
    },

    async copyTo(runId, upload) {
      const [from, to] = [uploadKey(upload), contentKey(runId, upload.sha256)];
      return (await objects()).copy(from, to);
    },
  });
}

/** The time in milliseconds has its own attribute, because DynamoDB expects seconds in `expiresAt`. */
type StoredUpload = Omit<PendingUpload, "id"> & { expiresAtMs: number };

function keyOf(id: string) {
  return { pk: `UPLOAD#${id}`, sk: head };
}

/** Key of the object with the content of a pending upload. */
export function uploadKey({ agentId, id }: Pick<PendingUpload, "agentId" | "id">): string {
  return `${objectPrefixes.uploads}${requireFlatName(agentId)}/${requireFlatName(id)}`;
}
