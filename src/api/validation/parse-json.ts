import { isUtf8 } from "node:buffer";
import { issue, type Issues, notAnObject } from "./issues.ts";

/**
 * Parses a request body by FastAPI's rules:
 * - Only `application/json` and `application/…+json` are JSON. With another type, or none, the body is a string.
 * - An empty body is a missing field.
 * - JSON is UTF-8. A byte order mark is skipped. NaN and Infinity are not JSON.
 */
export function parseJsonBody(raw: string | Uint8Array, contentType?: string): { value: unknown } | Issues {
  if (raw.length === 0) return { issues: [issue("missing", ["body"], "Field required", null)] };
  if (!isJson(contentType)) return { issues: [notAnObject(["body"], textOf(raw))] };
  if (typeof raw !== "string" && !isUtf8(raw)) {
    return invalid({ position: validPrefix(raw), error: "Invalid UTF-8" });
  }
  const text = withoutByteOrderMark(textOf(raw));
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    const fault = findFault(text);
    if (!fault) throw error; // findFault accepts what JSON.parse rejects: a bug in findFault
    return invalid({ ...fault, position: characters(text.slice(0, fault.position)) });
  }
}

/** The first error in a text that is not JSON: its index, and Python's message. */
interface Fault {
  position: number;
  error: string;
}

function invalid({ position, error }: Fault): Issues {
  return { issues: [issue("json_invalid", ["body", position], "JSON decode error", {}, { error })] };
}

/** Reads a content type as Python's email parser does: one slash and no space before the parameters. */
function isJson(contentType = ""): boolean {
  return /^[ \t]*application\/([^/;]*\+)?json[ \t]*(;|$)/i.test(contentType);
}

export const textOf = (raw: string | Uint8Array): string =>
  typeof raw === "string" ? raw : Buffer.from(raw.buffer, raw.byteOffset, raw.length).toString();
export const withoutByteOrderMark = (text: string): string => (text.startsWith("\uFEFF") ? text.slice(1) : text);

/** Counts code points without copying a text of up to 14 MB. */
function characters(text: string): number {
  let count = text.length;
  for (const _ of text.matchAll(/[\uD800-\uDBFF][\uDC00-\uDFFF]/g)) count--;
  return count;
}

/** The number of characters before the first byte that is not UTF-8. */
function validPrefix(bytes: Uint8Array): number {
  const text = textOf(bytes);
  let offset = 0;
  let from = 0;
  for (const { index } of text.matchAll(/\uFFFD/g)) {
    offset += Buffer.byteLength(text.slice(from, index));
    from = index;
    // The client may have sent U+FFFD itself.
    if (bytes[offset] !== 0xef || bytes[offset + 1] !== 0xbf || bytes[offset + 2] !== 0xbd) break;
  }
  return characters(withoutByteOrderMark(text.slice(0, from)));
}

const space = /[ \t\n\r]*/y;
const scalar = /(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?)/y;
const plain = /[^"\\\u0000-\u001F]*/y;
const escape = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}(?!$))/y;

/** The index after a match of `pattern` at `from`. */
function endOf(pattern: RegExp, text: string, from: number): number | undefined {
  pattern.lastIndex = from;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}

/**
 * Finds the first error in a text that JSON.parse rejected, with the message and position of Python 3.11's decoder.
 * Not recursive, so that deep nesting cannot overflow the stack.
 */
function findFault(text: string): Fault | undefined {
  const skipSpace = (from: number): number => endOf(space, text, from) ?? from;
  const open = new Uint8Array(text.length); // 1 for {, 0 for [; only pages that are written to take memory
  let depth = 0;
  let at = skipSpace(0);
  let expected: "value" | "key" | "end" = "value";
  for (;;) {
    if (expected === "end") {
      at = skipSpace(at);
      if (depth === 0) return at < text.length ? { position: at, error: "Extra data" } : undefined;
      const inObject = open[depth - 1] === 1;
      if (text[at] === (inObject ? "}" : "]")) {
        depth--;
        at++;
      } else if (text[at] === ",") {
        expected = inObject ? "key" : "value";
        at = skipSpace(at + 1);
      } else {
        return { position: at, error: "Expecting ',' delimiter" };
      }
    } else if (expected === "key") {
      if (text[at] !== '"') return { position: at, error: "Expecting property name enclosed in double quotes" };
      const end = endOfString(text, at);
      if (typeof end !== "number") return end;
      at = skipSpace(end);
      if (text[at] !== ":") return { position: at, error: "Expecting ':' delimiter" };
      at = skipSpace(at + 1);
      expected = "value";
    } else if (text[at] === "{" || text[at] === "[") {
      const inObject = text[at] === "{";
      at = skipSpace(at + 1);
      if (text[at] === (inObject ? "}" : "]")) {
        at++;
        expected = "end";
      } else {
        open[depth++] = inObject ? 1 : 0;
        expected = inObject ? "key" : "value";
      }
    } else {
      const end = text[at] === '"' ? endOfString(text, at) : endOf(scalar, text, at);
      if (typeof end === "object") return end;
      if (end === undefined) return { position: at, error: "Expecting value" };
      at = end;
      expected = "end";
    }
  }
}

function endOfString(text: string, start: number): number | Fault {
  let at = start + 1;
  for (;;) {
    at = endOf(plain, text, at) ?? at;
    if (text[at] === '"') return at + 1;
    if (at >= text.length || (text[at] === "\\" && at + 1 === text.length)) {
      return { position: start, error: "Unterminated string starting at" };
    }
    if (text[at] !== "\\") return { position: at, error: "Invalid control character at" };
    const end = endOf(escape, text, at);
    if (end === undefined) {
      return text[at + 1] === "u"
        ? { position: at + 1, error: "Invalid \\uXXXX escape" }
        : { position: at, error: "Invalid \\escape" };
    }
    at = end;
  }
}
