import type { ByteRange } from "../../runs/ports.ts";
import { HttpError } from "../errors.ts";
import type { ApiRequest } from "../handler.ts";

/** A content that a request asks for. `etag`: in quotes. */
interface Selected {
  size: number;
  etag: string;
}

/**
 * What a request wants of a content, by its conditions and its range, in the order of RFC 9110, 13.2.2. `"unchanged"`: the
 * client has it. Undefined: all of it. Ignored, as 14.2 allows: several ranges, other units, and a range that is malformed.
 * Throws 412 for `If-Match` with another content, and 416 for a range that begins after the end.
 */
export function wantedPart(
  { method, headers }: Pick<ApiRequest, "method" | "headers">,
  { size, etag }: Selected,
): ByteRange | "unchanged" | undefined {
  const { "if-match": ifMatch, "if-none-match": ifNoneMatch, "if-range": ifRange, range } = headers;
  if (ifMatch !== undefined && !names(ifMatch, etag, "strong")) throw otherContent(ifMatch, etag);
  if (ifNoneMatch !== undefined && names(ifNoneMatch, etag, "weak")) return "unchanged";
  if (method !== "GET" || range === undefined) return undefined;
  // A date never matches: contents have no time of change.
  if (ifRange !== undefined && ifRange.trim() !== etag) return undefined;
  return rangeIn(range, size);
}

/** Whether a list of entity tags names a content (RFC 9110, 8.8.3.2). `*` names any. */
function names(list: string, etag: string, comparison: "strong" | "weak"): boolean {
  if (list.trim() === "*") return true;
  const tags = list.match(/(?:W\/)?"[^"]*"/g) ?? [];
  return tags.some((tag) => (comparison === "weak" ? tag.replace(/^W\//, "") : tag) === etag);
}

function rangeIn(header: string, size: number): ByteRange | undefined {
  const [, first = "", last = ""] = /^bytes=(\d*)-(\d*)$/i.exec(header.trim()) ?? [];
  if (first === "" && last === "") return undefined;
  const [from, to] = [Number(first), last === "" ? Infinity : Number(last)];
  if (first === "") {
    if (to > 0) return size === 0 ? undefined : { start: Math.max(0, size - to), end: size - 1 };
    throw outside(header, size);
  }
  if (from > to) return undefined;
  if (from >= size) throw outside(header, size);
  return { start: from, end: Math.min(to, size - 1) };
}

function outside(range: string, size: number): HttpError {
  const accepted = size === 0 ? "the file is empty" : `the file has ${size} bytes, from 0 to ${size - 1}`;
  return new HttpError(416, `Range is ${JSON.stringify(range.slice(0, 100))}; ${accepted}`, {
    code: "range_not_satisfiable",
    headers: { "content-range": `bytes */${size}` },
  });
}

function otherContent(ifMatch: string, etag: string): HttpError {
  const text = `If-Match is ${ifMatch.slice(0, 100)}, and the file has the ETag ${etag}; read it again, or leave out If-Match`;
  return new HttpError(412, text, { code: "file_changed" });
}
