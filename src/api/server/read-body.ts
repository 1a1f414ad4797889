import { isUtf8 } from "node:buffer";
import type { IncomingMessage } from "node:http";
import { setImmediate } from "node:timers/promises";
import { filesTooLarge, ServiceError } from "../../errors.ts";
import { HttpError } from "../handlers/errors.ts";
import { openSpoolFile, type SpoolFile } from "./spool-file.ts";

export interface BodyLimits {
  /** Bytes of the longest accepted body. */
  maxBytes: number;
  /** A body over `maxBytes` is read and discarded up to this size, so that its sender reads the response. */
  drainBytes: number;
  /** Longest pause between two chunks. */
  idleMilliseconds: number;
  /** Where bodies over `maxBufferedBytes` are stored while they are received. */
  spoolDirectory: string;
}

/**
 * Bytes of the longest body that both servers accept. 10 MiB of files are 13,981,016 characters of base64; the other
 * 6 MiB are for the input text, whose length the contract does not limit: 1.5 million tokens of English.
 */
export const maxBodyBytes = 20 * 1024 * 1024;

/** A request body that was received, or the reason why it was not. */
export interface ReceivedBody {
  /** It is in a file: reading and parsing it takes tens of milliseconds and tens of megabytes. */
  spooled: boolean;
  /** Whether the request was read to its end. If not, the connection cannot be used again. */
  complete: boolean;
  /** Returns text, or bytes if they are not UTF-8. Rejects if the body was not received. */
  read: () => Promise<string | Buffer>;
  /** Frees the file. Call it in any case. */
  discard: () => Promise<void>;
}

/**
 * Bytes of a body that are collected in memory before they are written to a file, during which as many can arrive. A
 * slow sender therefore costs 1 MB of memory at most. The file costs 20 ms per 14 MB.
 */
export const maxBufferedBytes = 512 * 1024;

const empty: ReceivedBody = {
  spooled: false,
  complete: true,
  read: async () => "",
  discard: async () => {},
};

/** Receives the body of a request. Rejects if the client disconnects. */
export async function receiveBody(request: IncomingMessage, limits: BodyLimits): Promise<ReceivedBody> {
  const { "content-length": length, "transfer-encoding": encoding } = request.headers;
  if (length === undefined && encoding === undefined) return empty; // RFC 9112, 6.3
  const { maxBytes, drainBytes, idleMilliseconds, spoolDirectory } = limits;
  const announced = Number(length ?? 0);

  let size = 0;
  let buffered: Buffer[] = [];
  let bufferedBytes = 0;
  let file: SpoolFile | undefined;
  let spooling: Promise<void> | undefined;
  let failure: unknown = announced > maxBytes ? tooLarge() : undefined;
  const received = Promise.withResolvers<{ complete: boolean }>();
  const idle = setTimeout(onIdle, idleMilliseconds);

  function onData(chunk: Buffer): void {
    idle.refresh();
    size += chunk.length;
    if (size > maxBytes) failure ??= tooLarge();
    if (size > drainBytes) received.resolve({ complete: false });
    if (failure !== undefined) return;
    buffered.push(chunk);
    bufferedBytes += chunk.length;
    if (bufferedBytes < maxBufferedBytes) return;
    if (spooling) request.pause();
    else spooling = spool();
  }

  async function spool(): Promise<void> {
    try {
      file ??= await openSpoolFile(spoolDirectory);
      while (bufferedBytes >= maxBufferedBytes) {
        const chunks = buffered;
        buffered = [];
        bufferedBytes = 0;
        request.resume();
        await file.append(chunks);
      }
    } catch (error) {
      failure ??= storageError(error);
      buffered = [];
      bufferedBytes = 0;
    }
    spooling = undefined;
    idle.refresh();
    request.resume();
  }

  function onIdle(): void {
    if (request.isPaused()) return void idle.refresh(); // the disk is slow, not the client
    failure ??= bodyTimeout();
    received.resolve({ complete: false });
  }

  if (announced > drainBytes) received.resolve({ complete: false });
  request.on("data", onData);
  request.once("end", () => received.resolve({ complete: true }));
  request.once("error", (cause) => received.reject(new ClientDisconnected("the client disconnected", { cause })));
  request.once("close", () => received.reject(new ClientDisconnected("the client disconnected")));
  try {
    const { complete } = await received.promise;
    await spooling;
    return { spooled: file !== undefined, complete, read, discard };
  } catch (error) {
    await spooling;
    await discard();
    throw error;
  } finally {
    clearTimeout(idle);
    request.off("data", onData).pause();
  }

  async function read(): Promise<string | Buffer> {
    if (failure !== undefined) throw failure;
    if (!file) return textIfUtf8(Buffer.concat(buffered));
    const content = await file.read(size);
    Buffer.concat(buffered).copy(content, size - bufferedBytes);
    await setImmediate();
    const text = textIfUtf8(content);
    if (text !== content) content.buffer.transfer(0); // frees the memory before the text is parsed: 14 MB less at once
    return text;
  }

  async function discard(): Promise<void> {
    await file?.close();
  }
}

function textIfUtf8(bytes: Buffer): string | Buffer {
  return isUtf8(bytes) ? bytes.toString() : bytes;
}

/** The connection was closed before the body was complete. */
export class ClientDisconnected extends Error {
  override name = "ClientDisconnected";
}

export const bodyTimeout = (): Error =>
  new HttpError(408, "Timed out while reading the request body", { code: "body_timeout" });

/** The contract's text for files over 10 MiB; `maxBytes` leaves room for them and a long input. */
export const tooLarge = (): Error => new ServiceError("files_too_large", filesTooLarge);

/** No space, quota used up, file size limit of the process. */
const diskFull = new Set(["ENOSPC", "EDQUOT", "EFBIG"]);

function storageError(error: unknown): unknown {
  if (!diskFull.has((error as NodeJS.ErrnoException).code ?? "")) return error;
  const message = "Not enough disk space to receive the request body; retry later";
  return new HttpError(503, message, { code: "storage_full", headers: { "retry-after": "5" }, cause: error });
}
