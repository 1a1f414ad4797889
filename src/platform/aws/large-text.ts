import { createHash } from "node:crypto";
import type { Objects } from "./bucket.ts";
import { objectPrefixes } from "./table.ts";

/**
 * Bytes of UTF-8 from which on a text lives in the bucket. An item may have 400 KB, but one partition takes 1,000
 * write units (1 KB each, two in a transaction) a second, and reading back costs by size. 64 KiB is some 16,000 tokens:
 * more than nearly every input and output has.
 */
const maxInlineBytes = 64 * 1024;

/** How an item holds a text: itself, or the key of the object that does. */
export type StoredText = { text: string } | { textKey: string };

/**
 * Keeps `text` for an item of the run; resolves when it is durable. The object is named by its content: two writers
 * of one item can't overwrite each other's text, and a repeated write leaves nothing behind.
 */
export async function storeText(objects: () => Promise<Objects>, runId: string, text: string): Promise<StoredText> {
  // DynamoDB refuses lone surrogates, and no UTF-8 has them.
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
  if (!content) throw new Error(`the object ${stored.textKey}, which holds a run's text, is missing from the bucket`);
  return Buffer.from(content.buffer, content.byteOffset, content.byteLength).toString();
}
