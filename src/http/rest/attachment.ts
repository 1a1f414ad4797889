import type { ByteRange } from "../../runs/ports.ts";
import type { ApiRequest, ApiResponse } from "../handler.ts";
import { wantedPart } from "./conditions.ts";

/** A file that is sent. `size` in bytes. `sha256`: of the content, which is its ETag. */
interface SentFile {
  name: string;
  size: number;
  sha256: string;
}

/** The bytes of a content, or of a part of it. */
type ReadContent = (part?: ByteRange) => Uint8Array | AsyncIterable<Uint8Array>;

/**
 * A file as a download: all of it, one range of bytes (206), or nothing if the client has it (304). The content is an
 * attacker's: browsers must neither guess its type nor show it as a page of this origin.
 */
export function attachment(
  request: Pick<ApiRequest, "method" | "headers">,
  file: SentFile,
  read: ReadContent,
): ApiResponse {
  const { name, size } = file;
  const etag = etagOf(file);
  const part = wantedPart(request, { size, etag });
  const headers = { etag, "accept-ranges": "bytes", "cache-control": "no-store" };
  if (part === "unchanged") return { status: 304, headers, body: "" };
  const content = request.method === "HEAD" ? noBytes() : read(part);
  const length = part ? part.end - part.start + 1 : size;
  return {
    status: part ? 206 : 200,
    headers: {
      ...headers,
      "content-type": "application/octet-stream",
      "content-disposition": contentDisposition(name),
      "content-length": String(length),
      "x-content-type-options": "nosniff",
      "content-security-policy": "sandbox",
      ...(part && { "content-range": `bytes ${part.start}-${part.end}/${size}` }),
    },
    body: content instanceof Uint8Array ? content : () => content,
  };
}

/**
 * A redirect to a store that sends the file, and its ranges. The store has an ETag of its own, so that it alone can compare
 * `If-Match`. To `HEAD`, the answer is that of `attachment`: a URL is signed for `GET` only.
 */
export function redirectedAttachment(
  { method, headers: { "if-match": _ifMatch, ...conditions } }: Pick<ApiRequest, "method" | "headers">,
  file: SentFile,
  location: string,
): ApiResponse {
  const direct = attachment({ method, headers: conditions }, file, noBytes);
  if (method === "HEAD" || direct.status === 304) return direct;
  const headers = { location, "cache-control": "no-store", etag: etagOf(file) };
  return { status: 307, headers, body: "" };
}

function etagOf({ sha256 }: SentFile): string {
  return `"${sha256}"`;
}

async function* noBytes(): AsyncGenerator<Uint8Array> {}

/** The header of a download with this name. Browsers save a file without its folders. */
export function contentDisposition(name: string): string {
  return `attachment; filename*=UTF-8''${encodedName(name.slice(name.lastIndexOf("/") + 1))}`;
}

/** RFC 8187, 3.2.1: everything except attr-char is percent-encoded, so quotes and control characters cannot end the value. */
function encodedName(name: string): string {
  return encodeURIComponent(name.toWellFormed()).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
