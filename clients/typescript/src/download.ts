import { APIError, UnexpectedResponse } from "./errors.ts";
import { sha256 } from "./files.ts";
import type { Http, Request } from "./http.ts";
import { type Place, SavedFile } from "./saved-file.ts";
import type { Bytes } from "./types.ts";

/** What takes the parts of a download. */
interface Target {
  /** Begins with the first byte. Called again, it drops what was written. */
  begin(): Promise<void>;
  write(part: Uint8Array): Promise<void>;
  /** In hex digits, of all that was written. Undefined: this platform cannot tell. */
  sha256(): Promise<string | undefined>;
}

/** Downloads a file into memory. */
export async function downloadBytes(http: Http, request: Request): Promise<Bytes> {
  let parts: Bytes[] = [];
  await download(http, request, {
    begin: async () => void (parts = []),
    write: async (part) => void parts.push(part as Bytes),
    // Browsers have no `subtle` on pages without TLS.
    sha256: async () => (globalThis.crypto.subtle ? sha256(new Blob(parts)) : undefined),
  });
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

/** Downloads a file to a place on the disk, without holding it in memory. Resolves with its path. */
export async function downloadFile(http: Http, request: Request, place: Place): Promise<string> {
  const file = new SavedFile(place);
  try {
    await download(http, request, file);
    return await file.finish();
  } catch (error) {
    await file.discard();
    throw error;
  }
}

/** What a target has of a content. `etag`: of the whole. Undefined: the rest cannot be asked for. */
interface Received {
  bytes: number;
  etag: string | undefined;
}

/**
 * Reads a content into `target`. After an interruption, it continues where it stopped, if the content is still the same, and
 * begins anew otherwise. Throws for a content with another SHA-256 than its ETag, if that is one.
 */
async function download(http: Http, request: Request, target: Target): Promise<void> {
  const received: Received = { bytes: 0, etag: undefined };
  const read = () => readRest(http, request, target, received);
  await http.retry(request.deadline, read, () => received.bytes);
  const [, expected] = /^"([0-9a-f]{64})"$/.exec(received.etag ?? "") ?? [];
  const actual = expected && (await target.sha256());
  if (actual === undefined || actual === expected) return;
  const { method, path } = request;
  throw new UnexpectedResponse(
    `${method} ${path} was answered with ${received.bytes} bytes with the SHA-256 ${actual}; its ETag is ${expected}`,
  );
}

async function readRest(http: Http, request: Request, target: Target, received: Received): Promise<void> {
  const { bytes: start, etag } = received;
  const asksForRest = start > 0 && etag !== undefined;
  const headers: Record<string, string> = asksForRest ? { range: `bytes=${start}-`, "if-range": etag } : {};
  let [isRest, isOther] = [false, false];
  const onStart = ({ status, headers: answered }: Response): void => {
    if (status === 206) {
      if (!asksForRest) throw http.unexpected(request, "a part of the file");
      isRest = answered.get("etag") === etag && answered.get("content-range")?.startsWith(`bytes ${start}-`) === true;
      isOther = !isRest;
      return;
    }
    // The bytes of a coded content are counted differently, and a weak ETag can name different bytes.
    const given = answered.has("content-encoding") ? null : answered.get("etag");
    received.etag = given?.startsWith('"') ? given : undefined;
  };
  let begun = false;
  const begin = async (): Promise<void> => {
    if (!begun && !isRest) {
      received.bytes = 0;
      await target.begin();
    }
    begun = true;
  };
  try {
    for await (const part of http.stream({ ...request, headers }, "", onStart)) {
      if (isOther) break;
      await begin();
      await target.write(part);
      received.bytes += part.length;
    }
  } catch (error) {
    isOther = asksForRest && error instanceof APIError && error.status === 416;
    if (!isOther) throw error;
  }
  if (!isOther) return begin();
  received.etag = undefined; // all of it
  return readRest(http, request, target, received);
}
