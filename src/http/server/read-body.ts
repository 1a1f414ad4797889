import { isUtf8 } from "node:buffer";
import type { IncomingMessage } from "node:http";
import { setImmediate } from "node:timers/promises";
import { filesTooLarge, ServiceError } from "../../errors.ts";
import { HttpError } from "../errors.ts";
import type { ByteBudget } from "./byte-budget.ts";
import { openSpoolFile, type SpoolFile } from "./spool-file.ts";

export interface BodyLimits {
  /** Bytes of the longest accepted body. */
  maxBytes: number;
  /** What a handler does not read of a body is discarded up to this size, so that its sender reads the response. */
  drainBytes: number;
  /** Longest pause between two chunks. */
  idleMilliseconds: number;
  /** Where bodies over `maxBufferedBytes` are stored while they are received. */
  spoolDirectory: string;
  /** Bytes of the bodies that are received or handled at a time, by credential. */
  budget: ByteBudget;
}

/**
 * Bytes of the longest body that both servers accept. 10 MiB of files are 13,981,016 characters of base64; the other
 * 6 MiB are for the input text, whose length the contract does not limit: 1.5 million tokens of English.
 */
export const maxBodyBytes = 20 * 1024 * 1024;

/**
 * A request body that was received: its content, or how to read that from a file, which takes tens of milliseconds and tens of
 * megabytes. The content is text, or bytes if they are not UTF-8.
 */
export type ReceivedBody = ({ content: string | Buffer } | { readFile: () => Promise<string | Buffer> }) & {
  /** Frees the file and the bytes. Call it in any case. Undefined: there was no file. */
  discard: () => Promise<void> | undefined;
};

/**
 * Bytes of a body that are collected in memory before they are written to a file, during which as many can arrive. A
 * slow sender therefore costs 1 MB of memory at most. The file costs 20 ms per 14 MB.
 */
export const maxBufferedBytes = 512 * 1024;

export const emptyBody: ReceivedBody = {
  content: "",
  discard: () => undefined,
};

/** Whether a request has a body (RFC 9112, 6.3). */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers["content-length"] !== undefined || headers["transfer-encoding"] !== undefined;
}

/** The bytes that a request announces. 0: none, or an unknown number. */
export function announcedBytes({ headers }: IncomingMessage): number {
  return Number(headers["content-length"] ?? 0);
}

/**
 * Receives the body of a request that has one. `owner`: who sends it. Rejects as soon as it is clear that the body is not
 * accepted, with the rest unread, and if the client disconnects.
 */
export async function receiveBody(request: IncomingMessage, owner: string, limits: BodyLimits): Promise<ReceivedBody> {
  const { maxBytes, idleMilliseconds, spoolDirectory, budget } = limits;
  if (announcedBytes(request) > maxBytes) throw tooLarge();
  if (request.destroyed) throw disconnected();

  let size = 0;
  let buffered: Buffer[] = [];
  let bufferedBytes = 0;
  let file: SpoolFile | undefined;
  let spooling: Promise<void> | undefined;
  let failure: unknown;
  let isReceiving = true;
  const received = Promise.withResolvers<void>();
  const idle = setTimeout(onIdle, idleMilliseconds);

  function onData(chunk: Buffer): void {
    idle.refresh();
    if (size + chunk.length > maxBytes) return received.reject(tooLarge());
    const exceeded = budget.take([owner], chunk.length);
    if (exceeded !== undefined) return received.reject(tooManyBytes[exceeded]());
    size += chunk.length;
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
        if (isReceiving) request.resume();
        await file.append(chunks);
      }
    } catch (error) {
      failure = storageError(error);
      received.reject(failure);
    }
    spooling = undefined;
    if (!isReceiving) return;
    idle.refresh();
    request.resume();
  }

  function onIdle(): void {
    if (request.isPaused()) idle.refresh(); // the disk is slow, not the client
    else received.reject(bodyTimeout());
  }

  function onEnd(): void {
    stop();
    received.resolve();
  }
  function onGone(cause?: Error): void {
    if (isReceiving) received.reject(disconnected(cause)); // "close" follows each end
  }
  request.on("data", onData).once("end", onEnd).once("error", onGone).once("close", onGone);
  try {
    await received.promise;
    if (spooling) await spooling;
    if (failure !== undefined) throw failure; // of the last bytes
  } catch (error) {
    stop();
    request.off("data", onData).off("end", onEnd).off("error", onGone).off("close", onGone).pause();
    await spooling;
    await discard();
    throw error;
  }
  const spooled = file;
  if (!spooled) return { content: textIfUtf8(Buffer.concat(buffered)), discard };
  return { readFile: () => readFile(spooled), discard };

  function stop(): void {
    isReceiving = false;
    clearTimeout(idle);
  }

  async function readFile(from: SpoolFile): Promise<string | Buffer> {
    const content = await from.read(size);
    Buffer.concat(buffered).copy(content, size - bufferedBytes);
    await setImmediate();
    const text = textIfUtf8(content);
    if (text !== content) content.buffer.transfer(0); // frees the memory before the text is parsed: 14 MB less at once
    return text;
  }

  function discard(): Promise<void> | undefined {
    budget.give([owner], size);
    return file?.close();
  }
}

function textIfUtf8(bytes: Buffer): string | Buffer {
  return isUtf8(bytes) ? bytes.toString() : bytes;
}

export const bodyTimeout = (): Error =>
  new HttpError(408, "Timed out while reading the request body", { code: "body_timeout" });

export const disconnected = (cause?: unknown): Error =>
  new HttpError(400, "The client disconnected before the end of the body", { code: "body_incomplete", cause });

/** The contract's text for files over 10 MiB; `maxBytes` leaves room for them and a long input. */
export const tooLarge = (): Error => new ServiceError("files_too_large", filesTooLarge);

const retryAfter = { "retry-after": "5" };

/** The errors of a body that exceeds the budget of all clients or of its own. */
const tooManyBytes = {
  each: () =>
    new HttpError(429, "Other requests with this key are sending large bodies; retry when they have ended", {
      code: "too_many_bytes",
      headers: retryAfter,
    }),
  all: () =>
    new HttpError(503, "The server is receiving too many large request bodies; retry later", {
      code: "storage_full",
      headers: retryAfter,
    }),
};

/** No space, quota used up, file size limit of the process. */
const diskFull = new Set(["ENOSPC", "EDQUOT", "EFBIG"]);

function storageError(error: unknown): unknown {
  if (!diskFull.has((error as NodeJS.ErrnoException).code ?? "")) return error;
  const message = "Not enough disk space to receive the request body; retry later";
  return new HttpError(503, message, { code: "storage_full", headers: retryAfter, cause: error });
}
