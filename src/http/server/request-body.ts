import type { IncomingMessage } from "node:http";
import { withTimeout } from "../../async/with-timeout.ts";
import { HttpError } from "../errors.ts";
import {
  announcedBytes,
  type BodyLimits,
  bodyTimeout,
  disconnected,
  emptyBody,
  hasBody,
  type ReceivedBody,
  receiveBody,
} from "./read-body.ts";

/** The body of a request. It stays with its sender until the handler asks for it, which needs a valid credential. */
export interface RequestBody {
  /** Receives all of it. `owner`: whose bytes they are. */
  receive: (owner: string) => Promise<ReceivedBody>;
  /** The body in chunks as it arrives. */
  chunks: () => AsyncIterable<Uint8Array>;
  /**
   * Discards what was left unread, up to `drainBytes`, so that the client reads the response. Returns whether the
   * request was read to its end. If not, the connection cannot be used again.
   */
  finish: () => boolean | Promise<boolean>;
}

/** The body of a request that has none. */
const noBody: RequestBody = {
  receive: async () => emptyBody,
  async *chunks() {},
  finish: () => true,
};

/** `sendContinue`: present if the client waits for a 100 before it sends the body. */
export function requestBody(incoming: IncomingMessage, limits: BodyLimits, sendContinue?: () => void): RequestBody {
  if (!hasBody(incoming)) return noBody;
  const { idleMilliseconds, maxBytes } = limits;
  let isSent = sendContinue === undefined;
  let isCut = false;

  function letSend(): void {
    if (!isSent) sendContinue?.();
    isSent = true;
  }

  function failed(error: unknown): never {
    isCut = error instanceof HttpError && cuts.has(error.code);
    throw error;
  }

  async function* chunks(): AsyncGenerator<Uint8Array> {
    letSend();
    try {
      yield* chunksOf(incoming, idleMilliseconds);
    } catch (error) {
      failed(error);
    }
  }

  return {
    receive(owner) {
      // A client that waits for a 100 does not get it for a body that would not be accepted.
      if (announcedBytes(incoming) <= maxBytes) letSend();
      return receiveBody(incoming, owner, limits).catch(failed);
    },
    chunks,
    finish() {
      if (incoming.readableEnded) return true;
      return isSent && !isCut && discardRest(incoming, limits);
    },
  };
}

/** The errors of a body whose rest does not arrive. It is not waited for again. */
const cuts = new Set(["body_timeout", "body_incomplete"]);

async function* chunksOf(incoming: IncomingMessage, idleMilliseconds: number): AsyncGenerator<Uint8Array> {
  const chunks = incoming.iterator({ destroyOnReturn: false }) as AsyncIterableIterator<Buffer>;
  try {
    for (;;) {
      const next = await withTimeout(idleMilliseconds, never, () => chunks.next()).catch((cause: unknown) => {
        throw disconnected(cause);
      });
      if (next.timedOut) throw bodyTimeout();
      if (next.value.done) return;
      yield next.value.value;
    }
  } finally {
    chunks.return?.().catch(() => {}); // not awaited: after a time-out, it waits for the chunk that did not arrive
  }
}

const never = new AbortController().signal;

/** False: there is more than `drainBytes`, or the rest does not arrive. */
async function discardRest(
  incoming: IncomingMessage,
  { idleMilliseconds, drainBytes }: Pick<BodyLimits, "idleMilliseconds" | "drainBytes">,
): Promise<boolean> {
  if (announcedBytes(incoming) > drainBytes) return false;
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
