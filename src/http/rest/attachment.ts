import type { ApiResponse } from "../handler.ts";

/**
 * A file as a download. Its content is an attacker's: browsers must neither guess its type nor show it as a page of this
 * origin.
 */
export function attachment(name: string, content: Uint8Array): ApiResponse {
  return { status: 200, headers: headersOf(name), body: content };
}

/** As `attachment`, of a content that is read while it is sent. `size` in bytes. */
export function streamedAttachment(name: string, size: number, content: AsyncIterable<Uint8Array>): ApiResponse {
  const headers = { ...headersOf(name), "content-length": String(size) };
  return { status: 200, headers, body: () => content };
}

function headersOf(name: string): Record<string, string> {
  return {
    "content-type": "application/octet-stream",
    "content-disposition": contentDisposition(name),
    "x-content-type-options": "nosniff",
    "content-security-policy": "sandbox",
    "cache-control": "no-store",
  };
}

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
