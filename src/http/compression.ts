import { promisify } from "node:util";
import { gzip as gzipWithCallback } from "node:zlib";
import type { ApiHandler, ApiRequest, ApiResponse } from "./handler.ts";

/** A response whose body is known as a whole. */
export type WholeResponse = ApiResponse & { body: string | Uint8Array };

/** Length from which a compressed body is sent in fewer packets: one has about 1,400 bytes, with the headers in it. */
const minLength = 1_000;
/**
 * The longest body that is compressed, and how many are at a time. Compressing 2 MiB takes one of the four threads that also
 * read and write files about 50 ms.
 */
const [maxLength, maxAtOnce] = [2 * 1024 * 1024, 2];

const gzip = promisify(gzipWithCallback);
let inProgress = 0;

/**
 * Compresses the responses to GET for clients that accept gzip. Left as they are:
 * - responses to other methods, which alone have secrets: see docs/decisions/compression.md;
 * - streams, whose parts must not wait for each other, and files of runs;
 * - responses with a strong ETag, which identifies one form of the content, or with a coding of their own;
 * - any response while others are being compressed, so that no request waits for that.
 */
export async function compressResponse(
  request: Pick<ApiRequest, "method" | "headers">,
  response: ApiResponse,
): Promise<ApiResponse> {
  const { headers, body } = response;
  if (request.method !== "GET" || typeof body === "function") return response;
  if (body.length < minLength || body.length > maxLength || !isCompressible(headers)) return response;
  const negotiated = { ...response, body, headers: withVary(headers) };
  if (inProgress >= maxAtOnce || !acceptsCoding(request.headers["accept-encoding"], "gzip")) return negotiated;
  inProgress++;
  try {
    return await gzipped(negotiated);
  } finally {
    inProgress--;
  }
}

/** A handler whose responses are compressed: see `compressResponse`. */
export function compress(handler: ApiHandler): ApiHandler {
  return async (request) => compressResponse(request, await handler(request));
}

function isCompressible({
  etag,
  "content-encoding": coding,
  "content-type": type = "",
}: ApiResponse["headers"]): boolean {
  if ((etag !== undefined && !isWeak(etag)) || coding !== undefined) return false;
  return /^(?:application\/json|text\/(?!event-stream))/.test(type);
}

/**
 * The response with its body compressed. Its ETag is weak then (RFC 9110, 8.8.1), and ranges are none of the body's; a
 * content-length would be that of the body before.
 */
export async function gzipped(response: WholeResponse): Promise<WholeResponse> {
  const { "accept-ranges": _ranges, "content-length": _length, etag, ...others } = response.headers;
  const weak = etag !== undefined && { etag: isWeak(etag) ? etag : `W/${etag}` };
  const headers = { ...withVary(others), ...weak, "content-encoding": "gzip" };
  return { ...response, headers, body: await gzip(response.body) };
}

function isWeak(etag: string): boolean {
  return etag.startsWith("W/");
}

/** Headers that tell caches that the body depends on `Accept-Encoding`. */
export function withVary(headers: Record<string, string>): Record<string, string> {
  return { ...headers, vary: "accept-encoding" };
}

/** RFC 9110, 12.5.3: the coding is named, or any is accepted, and its weight is not 0. */
export function acceptsCoding(accepted = "", coding: "gzip" | "br"): boolean {
  const weights = new Map(
    accepted.split(",").map((each) => {
      const [name = "", weight = "q=1"] = each
        .toLowerCase()
        .split(";")
        .map((part) => part.trim());
      return [name === "x-gzip" ? "gzip" : name, Number(weight.replace(/^q=/, ""))];
    }),
  );
  return (weights.get(coding) ?? weights.get("*") ?? 0) > 0;
}
