import type { ApiResponse } from "../handlers/handler.ts";

/**
 * A file as a download. Its content is an attacker's: browsers must neither guess its type nor show it as a page of this
 * origin.
 */
export function attachment(name: string, content: Uint8Array): ApiResponse {
  const headers = {
    "content-type": "application/octet-stream",
    "content-disposition": `attachment; filename*=UTF-8''${encodedName(name)}`,
    "x-content-type-options": "nosniff",
    "content-security-policy": "sandbox",
    "cache-control": "no-store",
  };
  return { status: 200, headers, body: content };
}

/** RFC 8187, 3.2.1: everything except attr-char is percent-encoded, so quotes and control characters cannot end the value. */
function encodedName(name: string): string {
  return encodeURIComponent(name.toWellFormed()).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
