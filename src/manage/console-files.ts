import { hash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { extname, join } from "node:path";
import type { ApiHandler, ApiResponse } from "../api/handlers/handler.ts";

/** Where the console is served. */
const consolePath = "/console";

/** Whether a path is the console's. */
export function isConsolePath(path: string): boolean {
  return path === consolePath || path.startsWith(`${consolePath}/`);
}

const contentTypes: Record<string, string> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
};

/** Names of built files, such as `main-ABCD1234.js`: nothing else can be read. */
const assetName = /^[\w.-]+-[0-9A-Z]{8}\.(js|css)$/;

export interface ConsoleFilesOptions {
  /** Folder of the built page. */
  directory: string;
  /** Origins besides the page's own that it may send requests to, such as a token endpoint's. */
  connectTo?: string[];
}

/**
 * Serves the console. Built files have a hash in their name and are cached for a year; every other path below `/console`
 * is a page of the application and gets index.html.
 */
export function consoleFiles({ directory, connectTo = [] }: ConsoleFilesOptions): ApiHandler {
  const headers = securityHeaders(connectTo);
  return async ({ method, path, headers: { "if-none-match": known } }) => {
    if (method !== "GET" && method !== "HEAD")
      return text(405, "Method Not Allowed", { ...headers, allow: "GET, HEAD" });
    if (path === consolePath) return text(308, "", { ...headers, location: `${consolePath}/` });
    const name = path.slice(consolePath.length + 1);
    const isAsset = extname(name) !== "" && assetName.test(name);
    if (extname(name) !== "" && !isAsset) return text(404, "Not Found", headers);
    const file = isAsset ? name : "index.html";
    const body = await readFile(join(directory, file)).catch(() => undefined);
    if (!body) return isAsset ? text(404, "Not Found", headers) : text(503, notBuilt, headers);
    const etag = `"${hash("sha256", body).slice(0, 16)}"`;
    const more = {
      ...headers,
      etag,
      "content-type": contentTypes[extname(file)] ?? "application/octet-stream",
      "cache-control": isAsset ? "public, max-age=31536000, immutable" : "no-cache",
    };
    if (known === etag) return { status: 304, headers: more, body: "" };
    return { status: 200, headers: more, body: method === "HEAD" ? "" : body };
  };
}

const notBuilt = "The console is not built. Build it: node scripts/build-console.ts";

/** Everything that the page does not need is forbidden: what runs and files contain is untrusted. */
function securityHeaders(connectTo: string[]): Record<string, string> {
  const policy = {
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",
    "img-src": "'self' data: blob:",
    "connect-src": ["'self'", ...connectTo].join(" "),
    "frame-src": "blob:",
    "base-uri": "'none'",
    "form-action": "'none'",
    "frame-ancestors": "'none'",
    "require-trusted-types-for": "'script'",
  };
  return {
    "content-security-policy": Object.entries(policy)
      .map(([directive, sources]) => `${directive} ${sources}`)
      .join("; "),
    "cross-origin-opener-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
  };
}

function text(status: number, body: string, headers: Record<string, string>): ApiResponse {
  return { status, headers: { ...headers, "content-type": "text/plain; charset=utf-8" }, body };
}
