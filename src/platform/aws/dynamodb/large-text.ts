import { createHash } from "node:crypto";
import { startOf } from "../../../runs/text.ts";
import type { Objects } from "../s3/bucket.ts";
import { ownPrefix } from "../s3/own-prefix.ts";

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
  const textKey = `${ownPrefix("texts", runId)}${createHash("sha256").update(content).digest("hex")}`;
  await (await objects()).put(textKey, content);
  return { textKey };
}

export async function readText(objects: () => Promise<Objects>, stored: StoredText): Promise<string> {
  if ("text" in stored) return stored.text;
  const content = await contentOf(objects, stored.textKey);
  return Buffer.from(content.buffer, content.byteOffset, content.byteLength).toString();
}

/** The first `length` UTF-16 units of a text, without half a character at the end. Reads no more of it than needed. */
export async function readStart(objects: () => Promise<Objects>, stored: StoredText, length: number): Promise<string> {
  if ("text" in stored) return startOf(stored.text, length);
  // A UTF-16 unit has at most three bytes. The last character read may be cut: it is beyond `length`, and is left out.
  const content = await contentOf(objects, stored.textKey, 3 * length + 3);
  return startOf(new TextDecoder().decode(content, { stream: true }), length);
}

async function contentOf(objects: () => Promise<Objects>, key: string, bytes?: number): Promise<Uint8Array> {
  const content = await (await objects()).get(key, bytes);
  if (content) return content;
  throw new Error(`the object ${key} with the text of a run is missing from the bucket`);
}
