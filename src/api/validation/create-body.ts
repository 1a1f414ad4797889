import { randomUUID } from "node:crypto";
import { decodeBase64, type FileInput, maxTotalFileBytes } from "../../runs/uploads.ts";
import type { CreateInput } from "../../runs/create-run.ts";
import { withExactIntegers } from "./exact-integers.ts";
import { type Issues, validateCreate } from "./issues.ts";
import { parseJsonBody, textOf, withoutByteOrderMark } from "./parse-json.ts";

/**
 * Parses and validates a create body: text, or the bytes as they came. Long file contents are decoded straight from
 * the bytes, and only the rest is parsed: 14 MB that never become strings of their own (15 ms and 30 MB saved). What
 * does not come out well that way is read as a whole, so that every complaint is about what was sent.
 */
export function readCreateBody(raw: string | Uint8Array, contentType?: string): { value: CreateInput } | Issues {
  const cut = cutContents(raw);
  if (cut) {
    const body = checked(cut.rest, contentType);
    if (!("issues" in body)) return { value: { ...body.value, files: withContents(body.value.files, cut.contents) } };
  }
  return checked(raw, contentType);
}

function checked(raw: string | Uint8Array, contentType?: string): { value: CreateInput } | Issues {
  const parsed = parseJsonBody(raw, contentType);
  if ("issues" in parsed) return parsed;
  const body = validateCreate(parsed.value);
  return "issues" in body ? withExactIntegers(body, withoutByteOrderMark(textOf(raw))) : body;
}

const key = '"content_base64"';
const [colon, quote] = [0x3a, 0x22];
/** Bytes from which on a content is worth cutting out. */
const longContent = 64 * 1024;

/**
 * A JSON text with placeholders for its long contents, and those by their placeholder; undefined when it has none.
 *
 * In JSON the quote that ends `"content_base64"` ends a string (outside of one those letters are no JSON), so the next
 * quote after a colon begins a string, and one of base64 characters alone goes to the next quote. A placeholder for it
 * makes valid JSON of valid JSON and invalid of invalid. Nobody can send a placeholder: it holds a new UUID.
 */
function cutContents(raw: string | Uint8Array): { rest: Uint8Array; contents: Map<string, Uint8Array> } | undefined {
  if (raw.length < longContent) return undefined;
  const bytes = typeof raw === "string" ? Buffer.from(raw) : Buffer.from(raw.buffer, raw.byteOffset, raw.length);
  const placeholder = randomUUID();
  const contents = new Map<string, Uint8Array>();
  const rest: Uint8Array[] = [];
  let total = 0;
  let kept = 0;
  for (let at = bytes.indexOf(key); at >= 0 && total <= maxTotalFileBytes; at = bytes.indexOf(key, at)) {
    at = afterSpace(bytes, at + key.length);
    if (bytes[at] !== colon) continue;
    at = afterSpace(bytes, at + 1);
    if (bytes[at] !== quote) continue;
    const start = at + 1;
    const end = bytes.indexOf(quote, start);
    if (end - start < longContent) continue;
    const content = decodeBase64(bytes.toString("latin1", start, end));
    if (!content) continue;
    const name = `${placeholder} ${contents.size}`;
    contents.set(name, content);
    rest.push(bytes.subarray(kept, start), Buffer.from(name));
    total += content.length;
    kept = at = end;
  }
  return contents.size === 0 ? undefined : { rest: Buffer.concat([...rest, bytes.subarray(kept)]), contents };
}

/** JSON's white space: blank, tab, line feed, carriage return. */
function afterSpace(bytes: Uint8Array, from: number): number {
  let at = from;
  while (bytes[at] === 0x20 || bytes[at] === 0x09 || bytes[at] === 0x0a || bytes[at] === 0x0d) at++;
  return at;
}

function withContents(files: FileInput[] = [], contents: Map<string, Uint8Array>): FileInput[] {
  return files.map(({ filename, content_base64: content }) => {
    return { filename, content_base64: (typeof content === "string" && contents.get(content)) || content };
  });
}
