import { createHash } from "node:crypto";
import type { ReadDocument } from "../../../documents/read-document.ts";

/** Characters of all texts that are kept. The largest text of one document has 10 million. */
const maxCharacters = 20_000_000;

/**
 * Reads each content once, so that a document that is searched twice or read page by page is parsed once. For the tools of
 * one turn: what it keeps is lost with them. Problems are not kept, because a time limit can have passed on a busy machine.
 */
export function cachedDocuments(readDocument: ReadDocument): ReadDocument {
  const texts = new Map<string, { text: string; notes?: string[] }>();
  let characters = 0;
  return async (kind, bytes, signal, part) => {
    const key = JSON.stringify([kind, createHash("sha256").update(bytes).digest("hex"), part ?? null]);
    const known = texts.get(key);
    if (known) return known;
    const document = await readDocument(kind, bytes, signal, part);
    if ("problem" in document || texts.has(key)) return document;
    texts.set(key, document);
    characters += document.text.length;
    for (const [oldest, { text }] of texts) {
      if (characters <= maxCharacters) break;
      texts.delete(oldest);
      characters -= text.length;
    }
    return document;
  };
}
