import type { IncomingMessage } from "node:http";
import { NoMemory, type Share } from "./body-budget.ts";

/** Bytes and milliseconds. `max`: of a body; `drain`: of one that is refused; `silence`: between two pieces. */
export interface BodyLimits {
  max: number;
  drain: number;
  silence: number;
}

/**
 * Why there is no body. It was read to its end and forgotten (`complete`), so that the sender listens to the answer; or
 * it was longer than `drain`, or its sender fell silent: then the rest of the connection is of no use.
 */
export interface Refused {
  reason: "too large" | "no memory" | "silence";
  complete: boolean;
}

/** Bytes of room for a body of unknown length, before it gets the room of the longest. */
const chunkedAtFirst = 64 * 1024;

/** Bytes announced: the Content-Length, `max` for a chunked body, 0 without a body (RFC 9112, 6.3). */
export function announcedBytes({ headers }: IncomingMessage, max: number): number {
  if (headers["content-length"] !== undefined) return Number(headers["content-length"]);
  return headers["transfer-encoding"] === undefined ? 0 : max;
}

/** The whole body, held in `share`, in an object that can let it go. Rejects when the client goes away. */
export async function bodyOf(
  request: IncomingMessage,
  share: Share,
  { max, drain, silence }: BodyLimits,
): Promise<{ body: Buffer } | Refused> {
  const announced = announcedBytes(request, max);
  const known = request.headers["content-length"] !== undefined;
  let refused: Refused["reason"] | undefined = announced > max ? "too large" : undefined;
  // Only pages that are written to take memory. Pieces that are kept and joined would take it twice.
  let room = Buffer.allocUnsafeSlow(refused ? 0 : known ? announced : chunkedAtFirst);
  let size = 0;
  const { promise, resolve, reject } = Promise.withResolvers<{ body: Buffer } | Refused>();
  const timer = setTimeout(onSilence, silence);

  function onSilence(): void {
    if (request.isPaused()) timer.refresh();
    else resolve({ reason: "silence", complete: false });
  }

  function onPiece(piece: Buffer): void {
    timer.refresh();
    size += piece.length;
    if (size > drain) resolve({ reason: "too large", complete: false });
    if (size > max) forget("too large");
    if (refused !== undefined) return;
    if (share.tryTake(piece.length)) keep(piece);
    else void wait(piece);
  }

  async function wait(piece: Buffer): Promise<void> {
    request.pause();
    try {
      await share.take(piece.length);
      keep(piece);
    } catch (error) {
      if (!(error instanceof NoMemory)) reject(error);
      forget("no memory");
    }
    request.resume();
  }

  function keep(piece: Buffer): void {
    if (size > room.length) room = moved(room, max);
    piece.copy(room, size - piece.length);
  }

  function forget(reason: Refused["reason"]): void {
    refused ??= reason;
    room = Buffer.alloc(0);
    share.release();
  }

  function onEnd(): void {
    share.complete();
    resolve(refused === undefined ? { body: room.subarray(0, size) } : { reason: refused, complete: true });
  }

  request.on("data", onPiece).once("end", onEnd).once("error", reject);
  request.once("close", () => reject(new Error("the client went away")));
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    request.off("data", onPiece).pause();
  }
}

function moved(content: Buffer, bytes: number): Buffer<ArrayBuffer> {
  const room = Buffer.allocUnsafeSlow(bytes);
  content.copy(room);
  return room;
}
