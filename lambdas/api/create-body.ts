import { randomUUID } from "node:crypto";
import { decodeBase64, type FileInput, maxTotalFileBytes } from "../runs/files.ts";
import type { CreateInput } from "../runs/use-cases.ts";
import { type Issues, validateCreate } from "./issues.ts";
import { parseJsonBody } from "./json.ts";

/**
 * Parses and validates a create body: text, or the bytes as they came. Long file contents are decoded straight from
 * the text, and only the rest is parsed: 14 MB that never become strings of their own (15 ms and 30 MB saved). What
 * does not come out well that way is read as a whole, so that every complaint is about what was sent.
 */
export function readCreateBody(raw: string | Uint8Array, contentType?: string): { value: CreateInput } | Issues {
  const cut = typeof raw === "string" ? cutContents(raw) : undefined;
  if (cut) {
    const body = checked(cut.text, contentType);
    if (!("issues" in body)) return { value: { ...body.value, files: withContents(body.value.files, cut.contents) } };
  }
  return checked(raw, contentType);
}

function checked(raw: string | Uint8Array, contentType?: string): { value: CreateInput } | Issues {
  const parsed = parseJsonBody(raw, contentType);
  return "issues" in parsed ? parsed : validateCreate(parsed.value);
}

const key = '"content_base64"';
const colon = /[ \t\n\r]*:[ \t\n\r]*"/y;
/** Characters from which on a content is worth cutting out. */
const longContent = 64 * 1024;

/**
 * A JSON text with placeholders for its long contents, and those by their placeholder; undefined when it has none.
 *
 * In JSON the quote that ends `"content_base64"` ends a string (outside of one those letters are no JSON), so the next
 * quote after a colon begins a string, and one of base64 characters alone goes to the next quote. A placeholder for it
 * makes valid JSON of valid JSON and invalid of invalid. Nobody can send a placeholder: it holds a new UUID.
 */
function cutContents(text: string): { text: string; contents: Map<string, Uint8Array> } | undefined {
  if (text.length < longContent) return undefined;
  const placeholder = randomUUID();
  const contents = new Map<string, Uint8Array>();
  const rest: string[] = [];
  let total = 0;
  let kept = 0;
  for (let at = text.indexOf(key); at >= 0 && total <= maxTotalFileBytes; at = text.indexOf(key, at)) {
    colon.lastIndex = at += key.length;
    if (!colon.test(text)) continue;
    const start = colon.lastIndex;
    const end = text.indexOf('"', start);
    if (end - start < longContent) continue;
    const content = decodeBase64(text.slice(start, end));
    if (!content) continue;
    const name = `${placeholder} ${contents.size}`;
    contents.set(name, content);
    rest.push(text.slice(kept, start), name);
    total += content.length;
    kept = at = end;
  }
  return contents.size === 0 ? undefined : { text: rest.join("") + text.slice(kept), contents };
}

function withContents(files: FileInput[] = [], contents: Map<string, Uint8Array>): FileInput[] {
  return files.map(({ filename, content_base64: content }) => {
    return { filename, content_base64: (typeof content === "string" && contents.get(content)) || content };
  });
}
