import type { IncomingMessage } from "node:http";
import { withTimeout } from "../../async/with-timeout.ts";
import { HttpError } from "../handlers/errors.ts";
import type { ApiResponse } from "../handlers/handler.ts";
import { type BodyLimits, bodyTimeout } from "./read-body.ts";

/**
 * Calls `handle` with the body in chunks as it arrives. What it leaves unread is discarded up to `drainBytes`, so that the
 * client reads the response. `sendContinue`: called before the first chunk is read. `complete`: whether the request was
 * read to its end. If not, the connection cannot be used again.
 */
export async function streamBody(
  incoming: IncomingMessage,
  handle: (chunks: AsyncIterable<Uint8Array>) => Promise<ApiResponse>,
  { idleMilliseconds, drainBytes }: Pick<BodyLimits, "idleMilliseconds" | "drainBytes">,
  sendContinue?: () => void,
): Promise<{ response: ApiResponse; complete: boolean }> {
  let isReadable = sendContinue === undefined;
  async function* chunks(): AsyncGenerator<Uint8Array> {
    sendContinue?.();
    isReadable = true;
    try {
      yield* chunksOf(incoming, idleMilliseconds);
    } catch (error) {
      isReadable = false;
      throw error;
    }
  }
  const response = await handle(chunks());
  const complete = isReadable && (await discardRest(incoming, idleMilliseconds, drainBytes));
  return { response, complete };
}

async function* chunksOf(incoming: IncomingMessage, idleMilliseconds: number): AsyncGenerator<Uint8Array> {
  const chunks = incoming.iterator({ destroyOnReturn: false }) as AsyncIterableIterator<Buffer>;
  try {
    for (;;) {
      const next = await withTimeout(idleMilliseconds, never, () => chunks.next()).catch(disconnected);
      if (next.timedOut) throw bodyTimeout();
      if (next.value.done) return;
      yield next.value.value;
    }
  } finally {
    chunks.return?.().catch(() => {}); // not awaited: after a time-out, it waits for the chunk that did not arrive
  }
}

const never = new AbortController().signal;

function disconnected(cause: unknown): never {
  throw new HttpError(400, "The client disconnected before the end of the body", { code: "body_incomplete", cause });
}

/** False: there is more than `drainBytes`, or the rest does not arrive. */
async function discardRest(incoming: IncomingMessage, idleMilliseconds: number, drainBytes: number): Promise<boolean> {
  if (Number(incoming.headers["content-length"] ?? 0) > drainBytes) return incoming.readableEnded;
  let left = drainBytes;
  try {
    for await (const { length } of chunksOf(incoming, idleMilliseconds)) {
      left -= length;
      if (left < 0) return false;
    }
    return true;
  } catch {
    return false;
  }
}
