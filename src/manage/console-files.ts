import { hash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { acceptsCoding } from "../http/compression.ts";
import { type ApiHandler, type ApiResponse, jsonResponse } from "../http/handler.ts";
import { log } from "../log.ts";
import type { OidcSignIn } from "./sign-in/discovery.ts";

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
  signIn: PageSignIn;
}

/**
 * How the page signs people in: with the token in a link, which a command prints, or with an OpenID Connect provider. The
 * function rejects if the provider's endpoints cannot be read.
 */
type PageSignIn = { sign_in: "token"; link_command: string } | (() => Promise<OidcSignIn>);

/**
 * Serves the console. Built files have a hash in their name and are cached for a year; every other path below `/console`
 * is a page of the application and gets index.html. `config.json` says how to sign in.
 */
export function consoleFiles({ directory, signIn }: ConsoleFilesOptions): ApiHandler {
  const headers = securityHeaders([]);
  return async ({ method, path, headers: { "if-none-match": known, "accept-encoding": accepted } }) => {
    if (method !== "GET" && method !== "HEAD")
      return text(405, "Method Not Allowed", { ...headers, allow: "GET, HEAD" });
    if (path === consolePath) return text(308, "", { ...headers, location: `${consolePath}/` });
    const name = path.slice(consolePath.length + 1);
    if (name === "config.json") return configResponse(signIn, headers);
    const isAsset = extname(name) !== "" && assetName.test(name);
    if (extname(name) !== "" && !isAsset) return text(404, "Not Found", headers);
    const file = isAsset ? name : "index.html";
    const form = await readForm(join(directory, file), accepted);
    if (!form) return isAsset ? text(404, "Not Found", headers) : text(503, notBuilt, headers);
    const { body, coding } = form;
    const etag = `"${hash("sha256", body).slice(0, 16)}"`; // each form has its own
    const more = {
      ...(isAsset ? headers : securityHeaders(await tokenOrigins(signIn))),
      etag,
      vary: "accept-encoding",
      ...(coding !== undefined && { "content-encoding": coding }),
      "content-type": contentTypes[extname(file)] ?? "application/octet-stream",
      "cache-control": isAsset ? "public, max-age=31536000, immutable" : "no-cache",
    };
    if (known === etag) return { status: 304, headers: more, body: "" };
    return { status: 200, headers: more, body: method === "HEAD" ? "" : body };
  };
}

/** The compressed forms of a file, best first, which the build writes beside it. */
const forms = [
  { coding: "br", extension: ".br" },
  { coding: "gzip", extension: ".gz" },
] as const;

/** Reads a file in the best form that the browser accepts. */
async function readForm(
  path: string,
  accepted: string | undefined,
): Promise<{ body: Buffer; coding?: string } | undefined> {
  for (const { coding, extension } of forms) {
    const body = acceptsCoding(accepted, coding) ? await read(path + extension) : undefined;
    if (body) return { body, coding };
  }
  const body = await read(path);
  return body && { body };
}

function read(path: string): Promise<Buffer | undefined> {
  return readFile(path).catch(() => undefined);
}

/** What the page reads before it signs anyone in. */
async function configResponse(signIn: PageSignIn, headers: Record<string, string>): Promise<ApiResponse> {
  const uncached = { ...headers, "cache-control": "no-store" };
  try {
    return jsonResponse(200, typeof signIn === "function" ? await signIn() : signIn, uncached);
  } catch (error) {
    log("error", "the sign-in provider cannot be read", { error });
    return jsonResponse(502, { detail: "The sign-in provider does not respond as expected; retry later." }, uncached);
  }
}

/** The origin of the token endpoint. The page sends requests only to this origin and to the one that serves it. */
async function tokenOrigins(signIn: PageSignIn): Promise<string[]> {
  if (typeof signIn !== "function") return [];
  const config = await signIn().catch(() => undefined); // the page reports it, when it reads config.json
  return config ? [new URL(config.token_endpoint).origin] : [];
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
