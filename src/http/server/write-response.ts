import type { IncomingMessage, ServerResponse } from "node:http";
import type { ApiResponse } from "../handler.ts";
import { type ByteBudget, byteBudget, ownerOf } from "./byte-budget.ts";
import { type Waiting, writeStream } from "./write-stream.ts";

const MiB = 1024 * 1024;

/** How responses wait for clients that do not read them. */
export interface ResponseLimits {
  /** Time after which a connection is closed that takes nothing of its response; up to a sixth later. */
  stallMilliseconds: number;
  /** Bytes of the responses that wait at a time, by credential, and by `reader`. */
  budget: ByteBudget;
}

/** Checks without progress after which a connection is closed. */
const looks = 6;

/** 45 stalled readers of large runs hold about 20 MiB. */
const defaultLimits = (): ResponseLimits => ({
  stallMilliseconds: 60_000,
  budget: byteBudget({ all: 1024 * MiB, each: 64 * MiB }),
});

/**
 * Returns a function that writes a response. It resolves when the response has been sent, or its client is gone. The
 * connection of a client that does not read is closed, and so is that of one whose key lets too many bytes wait.
 * `closing`: aborts when the server closes, which ends streams.
 */
export function responseWriter(
  closing: AbortSignal,
  limits = defaultLimits(),
): (incoming: IncomingMessage, outgoing: ServerResponse, response: ApiResponse) => Promise<void> {
  const { stallMilliseconds, budget } = limits;

  /**
   * A timeout of Node.js comes twice as late if its client took a part of what was written, because it only knows what has been
   * taken since its last look. So short timeouts are counted: those without progress follow each other at once.
   */
  function closeWhenStalled(outgoing: ServerResponse): void {
    const interval = stallMilliseconds / looks;
    let [stalled, lookedAt, written] = [0, 0, 0];
    outgoing.setTimeout(interval, () => {
      const now = performance.now();
      const { bytesWritten = 0 } = outgoing.socket ?? {};
      const isStalled = bytesWritten === written && now - lookedAt < 1.5 * interval;
      [stalled, lookedAt, written] = [isStalled ? stalled + 1 : 1, now, bytesWritten];
      if (stalled < looks) outgoing.setTimeout(interval);
      else outgoing.destroy();
    });
    // Node.js would keep the timeout for a request that the client has already sent, and close the connection before its answer.
    outgoing.prependOnceListener("finish", () => void outgoing.socket?.setTimeout(0));
  }

  return async (incoming, outgoing, { status, headers, body, reader }) => {
    const wait: Waiting = (bytes) => {
      const owner = ownerOf(incoming);
      const owners = reader === undefined ? [owner] : [reader, owner];
      if (budget.take(owners, bytes) !== undefined) return undefined;
      return { [Symbol.dispose]: () => budget.give(owners, bytes) };
    };
    if (outgoing.destroyed) return; // the client is gone
    if (typeof body === "function") {
      closeWhenStalled(outgoing);
      return writeStream(outgoing, { status, headers, body }, closing, wait);
    }
    const bytes = Buffer.byteLength(body);
    // RFC 9110, 8.6. The answer to HEAD has the length of that to GET, if it is known.
    const length =
      [204, 304].includes(status) || (bytes === 0 && incoming.method === "HEAD") ? {} : { "content-length": bytes };
    outgoing.writeHead(status, { ...headers, ...length });
    outgoing.end(body);
    if (outgoing.socket?.writableLength === 0) return; // the operating system has all of it
    const sent = new Promise<void>((resolve) => void outgoing.once("close", resolve)); // also follows the end of a response
    closeWhenStalled(outgoing);
    using waiting = wait(bytes);
    if (!waiting) outgoing.destroy();
    await sent;
  };
}
