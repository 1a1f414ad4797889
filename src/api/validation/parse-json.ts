import { isUtf8 } from "node:buffer";
import { issue, type Issues, notAnObject } from "./issues.ts";
import { type Fault, findExcess } from "./json-bounds.ts";

/**
 * Parses a request body by FastAPI's rules:
 * - Only `application/json` and `application/…+json` are JSON. With another type, or none, the body is a string.
 * - An empty body is a missing field.
 * - JSON is UTF-8. A byte order mark is skipped. NaN and Infinity are not JSON.
 * - Nesting and the text outside of strings are bounded. FastAPI bounds only nesting, with a 400.
 */
export function parseJsonBody(raw: string | Uint8Array, contentType?: string): { value: unknown } | Issues {
  if (raw.length === 0) return { issues: [issue("missing", ["body"], "Field required", null)] };
  if (!isJson(contentType)) return { issues: [notAnObject(["body"], textOf(raw))] };
  if (typeof raw !== "string" && !isUtf8(raw)) {
    return invalid({ position: validPrefix(raw), error: "Invalid UTF-8" });
  }
  const text = withoutByteOrderMark(textOf(raw));
  const excess = findExcess(text);
  if (excess) return invalidAt(excess, text);
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    const fault = findFault(text);
    if (!fault) throw error; // findFault accepts what JSON.parse rejects: a bug in findFault
    return invalidAt(fault, text);
  }
}

function invalidAt({ position, error }: Fault, text: string): Issues {
  return invalid({ position: characters(text, position), error });
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

/** Counts the code points before an index without copying a text of up to 20 MB. */
function characters(text: string, end: number): number {
  let count = 0;
  for (let at = 0; at < end; at++) {
    const isPair = (text.charCodeAt(at) & 0xfc00) === 0xd800 && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00;
    if (isPair) at++;
    count++;
  }
  return count;
}

const windowBytes = 4_096;

/** The number of characters before the first byte that is not UTF-8, without decoding up to 20 MB of it. */
function validPrefix(bytes: Uint8Array): number {
  const isValid = (from: number, end: number): boolean => isUtf8(bytes.subarray(from, end));
  const isContinuation = (at: number): boolean => ((bytes[at] ?? 0) & 0xc0) === 0x80;
  let valid = 0;
  for (;;) {
    let end = valid + windowBytes;
    for (let moved = 0; moved < 3 && isContinuation(end); moved++) end--;
    if (!isValid(valid, end)) break;
    valid = end;
  }
  for (;;) {
    const length = [1, 2, 3, 4].find((each) => isValid(valid, valid + each));
    if (length === undefined) break;
    valid += length;
  }
  let count = textOf(bytes.subarray(0, 3)).startsWith("\uFEFF") ? -1 : 0;
  for (let at = 0; at < valid; at++) if (!isContinuation(at)) count++;
  return Math.max(count, 0);
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
