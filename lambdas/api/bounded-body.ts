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

/** Bytes announced: the Content-Length, `max` for a chunked body, 0 without a body (RFC 9112, 6.3). */
export function announcedBytes({ headers }: IncomingMessage, max: number): number {
  if (headers["content-length"] !== undefined) return Number(headers["content-length"]);
  return headers["transfer-encoding"] === undefined ? 0 : max;
}

/** The whole body, held in `share`, in an object that can let it go. Rejects when the client goes away. */
export async function bodyOf(
  request: IncomingMessage,
  share: Share,
  limits: BodyLimits,
): Promise<{ body: Buffer } | Refused> {
  const announced = announcedBytes(request, limits.max);
  let refused: Refused["reason"] | undefined = announced > limits.max ? "too large" : undefined;
  // Only pages that are written to take memory. Pieces that are kept and joined would take it twice.
  let room = Buffer.allocUnsafeSlow(refused ? 0 : announced);
  let size = 0;
  const pieces = request.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer>;
  for (;;) {
    const piece = await within(limits.silence, pieces.next());
    if (piece === undefined) return { reason: "silence", complete: false };
    if (piece.done) break;
    size += piece.value.length;
    if (size > limits.drain) return { reason: "too large", complete: false };
    if (size > limits.max) refused ??= "too large";
    if (refused === undefined && !(await tryTake(share, piece.value.length))) refused = "no memory";
    if (refused === undefined) {
      piece.value.copy(room, size - piece.value.length);
    } else {
      room = Buffer.alloc(0);
      share.release();
    }
  }
  share.complete();
  return refused === undefined ? { body: room.subarray(0, size) } : { reason: refused, complete: true };
}

async function tryTake(share: Share, bytes: number): Promise<boolean> {
  try {
    await share.take(bytes);
    return true;
  } catch (error) {
    if (error instanceof NoMemory) return false;
    throw error;
  }
}

/** Undefined when the time is over first. */
async function within<T>(milliseconds: number, promise: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, milliseconds, undefined);
  });
  try {
    return await Promise.race([promise, over]);
  } finally {
    clearTimeout(timer);
  }
}
