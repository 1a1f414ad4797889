import { isUtf8 } from "node:buffer";
import { setImmediate } from "node:timers/promises";
import { isObject, mayChange, parseExact } from "../../json.ts";
import { issue, type Issues, notAnObject } from "./issue.ts";
import { type Fault, findExcess } from "./json-bounds.ts";

/**
 * Parses a request body by FastAPI's rules:
 * - Only `application/json` and `application/…+json` are JSON. With another type, or none, the body is a string. The
 *   issue is FastAPI's; its `ctx` names the header, because the body that it echoes looks like a JSON object.
 * - An empty body is a missing field.
 * - JSON is UTF-8. A byte order mark is skipped. NaN and Infinity are not JSON.
 * - Nesting and the text outside of strings are bounded. FastAPI bounds only nesting, with a 400.
 *
 * `exact`: path of a value whose numbers keep their text, as those of `parseExact`.
 *
 * A pass over 20 MB takes 10 to 40 ms. Other requests are handled between two passes.
 */
export async function parseJsonBody(
  raw: string | Uint8Array,
  contentType?: string,
  exact?: readonly string[],
): Promise<{ value: unknown } | Issues> {
  if (raw.length === 0) return { issues: [issue("missing", ["body"], "Field required", null)] };
  if (!isJson(contentType)) return { issues: [notAnObject(["body"], textOf(raw), { error: notJson(contentType) })] };
  if (typeof raw !== "string" && !isUtf8(raw)) {
    if (isLong(raw)) await setImmediate();
    return invalid({ position: validPrefix(raw), error: "Invalid UTF-8" });
  }
  const text = withoutByteOrderMark(textOf(raw));
  if (isLong(text)) await setImmediate();
  const excess = findExcess(text);
  if (excess) return invalidAt(excess, text);
  if (isLong(text)) await setImmediate();
  try {
    const value: unknown = JSON.parse(text);
    if (exact && mayChange(text)) keepNumbers(value, parseExact(text), exact);
    return { value };
  } catch (error) {
    if (isLong(text)) await setImmediate();
    const fault = findFault(text);
    if (!fault) throw error; // findFault accepts what JSON.parse rejects: a bug in findFault
    return invalidAt(fault, text);
  }
}

/** Replaces the value at a path by the same one of another parse. */
function keepNumbers(value: unknown, exact: unknown, [name, ...path]: readonly string[]): void {
  if (name === undefined || !isObject(value) || !isObject(exact) || !Object.hasOwn(value, name)) return;
  if (path.length === 0) value[name] = exact[name];
  else keepNumbers(value[name], exact[name], path);
}

/** Whether other requests are to be handled before a pass over a body. A short one does not wait: each wait costs about 1 µs. */
export function isLong({ length }: string | Uint8Array): boolean {
  return length > 512 * 1024;
}

async function invalidAt({ position, error }: Fault, text: string): Promise<Issues> {
  if (isLong(text)) await setImmediate();
  return invalid({ position: characters(text, position), error });
}

function invalid({ position, error }: Fault): Issues {
  return { issues: [issue("json_invalid", ["body", position], "JSON decode error", {}, { error })] };
}

/** Reads a content type as Python's email parser does: one slash and no space before the parameters. */
function isJson(contentType = ""): boolean {
  return /^[ \t]*application\/([^/;]*\+)?json[ \t]*(;|$)/i.test(contentType);
}

/** What is wrong with a content type that is not JSON, and what to send. */
function notJson(contentType = ""): string {
  const received = contentType.trim();
  const shown = received.length > 100 ? `${received.slice(0, 100)}…` : received;
  const problem = received === "" ? "The Content-Type header is missing" : `Content-Type is ${shown}`;
  return `${problem}; send the body with Content-Type: application/json`;
}

export const textOf = (raw: string | Uint8Array): string =>
  typeof raw === "string" ? raw : Buffer.from(raw.buffer, raw.byteOffset, raw.length).toString();
export const withoutByteOrderMark = (text: string): string => (text.startsWith("\uFEFF") ? text.slice(1) : text);

/** Counts the code points before an index without copying a text of up to 20 MB. */
function characters(text: string, end: number): number {
  let count = end;
  for (let at = 0; at < end; at++) {
    const isPair = (text.charCodeAt(at) & 0xfc00) === 0xd800 && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00;
    if (isPair) count--;
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

const quote = 0x22;
const backslash = 0x5c;
const letterU = 0x75;
/** 1 for the code units that can follow a backslash, without `u`. */
const simpleEscapes = new Uint8Array(0x80);
for (const character of '"\\/bfnrt') simpleEscapes[character.charCodeAt(0)] = 1;

/**
 * The index after a string, or its first error. By code units: two regular expressions per escape took 0.4 s of the
 * process for 19 MiB of escapes, this loop takes 0.03 s.
 */
function endOfString(text: string, start: number): number | Fault {
  for (let at = start + 1; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === quote) return at + 1;
    if (unit < 0x20) return { position: at, error: "Invalid control character at" };
    if (unit !== backslash) continue;
    const escaped = text.charCodeAt(++at);
    if (Number.isNaN(escaped)) break; // the end of the text
    if (escaped === letterU) {
      // Python reports four digits at the end of the text as invalid, too.
      if (!isHex(text, at + 1, at + 5) || at + 5 === text.length) {
        return { position: at, error: "Invalid \\uXXXX escape" };
      }
      at += 4;
    } else if (simpleEscapes[escaped] !== 1) {
      return { position: at - 1, error: "Invalid \\escape" };
    }
  }
  return { position: start, error: "Unterminated string starting at" };
}

function isHex(text: string, from: number, to: number): boolean {
  for (let at = from; at < to; at++) {
    const unit = text.charCodeAt(at); // NaN after the end
    const lower = unit | 0x20;
    if (!((unit >= 0x30 && unit <= 0x39) || (lower >= 0x61 && lower <= 0x66))) return false;
  }
  return true;
}
