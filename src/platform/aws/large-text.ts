import { createHash } from "node:crypto";
import type { Objects } from "./bucket.ts";
import { objectPrefixes } from "./table.ts";

/**
 * Texts of this size (bytes of UTF-8) and more are stored in the bucket. An item can have 400 KB, but a partition accepts
 * 1,000 write units a second (1 KB each, two in a transaction), and reads are billed by size. 64 KiB is about 16,000
 * tokens: more than nearly every input and output.
 */
const maxInlineBytes = 64 * 1024;

/** A text in an item: the text itself, or the key of its object. */
export type StoredText = { text: string } | { textKey: string };

/**
 * Stores a text for an item of the run. Resolves when it is durable. The key of an object is the hash of its content, so
 * concurrent writers of one item cannot overwrite each other's text, and a repeated write adds no object.
 */
export async function storeText(objects: () => Promise<Objects>, runId: string, text: string): Promise<StoredText> {
  // DynamoDB rejects lone surrogates, and UTF-8 cannot encode them.
  const wellFormed = text.toWellFormed();
  if (Buffer.byteLength(wellFormed) < maxInlineBytes) return { text: wellFormed };
  const content = Buffer.from(wellFormed);
  const textKey = `${objectPrefixes.texts}${runId}/${createHash("sha256").update(content).digest("hex")}`;
  await (await objects()).put(textKey, content);
  return { textKey };
}

export async function readText(objects: () => Promise<Objects>, stored: StoredText): Promise<string> {
  if ("text" in stored) return stored.text;
  const content = await (await objects()).get(stored.textKey);
  if (!content) throw new Error(`the object ${stored.textKey} with the text of a run is missing from the bucket`);
  return Buffer.from(content.buffer, content.byteOffset, content.byteLength).toString();
}
