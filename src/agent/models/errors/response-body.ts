import type { IncomingMessage } from "node:http";
import { pipeline, type Readable } from "node:stream";
import zlib from "node:zlib";
import type { Chunks } from "../../../net/sse.ts";

/** Bytes of one response, to limit memory. A chunk per token takes about 250 bytes, so that 128,000 tokens take 32 MB. */
const maxResponseBytes = 64 * 1024 * 1024;
/** Bytes that are read of an error response. One sentence of it is kept. */
const maxErrorBytes = 256 * 1024;
/** Milliseconds that a server has to end a response after its last event. */
const maxDrainMs = 1_000;

export class ResponseTooLarge extends Error {
  constructor(bytes: number) {
    super(`response exceeds ${bytes} bytes`);
    this.name = "ResponseTooLarge";
  }
}

/** The body has another encoding than its header says, or one that is not decoded. */
export class UndecodableBody extends Error {
  constructor(message: string) {
    super(message);
    this.name = "UndecodableBody";
  }
}

/** Gateways compress although the request asks for `identity` (btubbs/sseclient#27). A part is decoded when it arrives. */
const decoders: Partial<Record<string, () => zlib.Unzip | zlib.BrotliDecompress>> = {
  gzip: () => zlib.createUnzip({ flush: zlib.constants.Z_SYNC_FLUSH }),
  "x-gzip": () => zlib.createUnzip({ flush: zlib.constants.Z_SYNC_FLUSH }),
  deflate: () => zlib.createUnzip({ flush: zlib.constants.Z_SYNC_FLUSH }),
  br: () => zlib.createBrotliDecompress(),
};

/** Reads the decoded body of a response. `ok`: its status is that of a success. `onFirst`: called when data arrives. */
export function readBody(incoming: IncomingMessage, ok: boolean, onFirst: () => void): Chunks {
  const encoding = encodingOf(incoming);
  if (encoding === undefined) return arriving(incoming, { incoming, ok, onFirst });
  const decoder = decoders[encoding]?.();
  if (decoder)
    return arriving(
      pipeline(incoming, decoder, () => {}),
      { incoming, ok, onFirst, encoding },
    );
  incoming.destroy();
  return unknown(encoding, ok);
}

/** Nothing can be read of the body. For an error, the status says what is wrong. */
async function* unknown(encoding: string, ok: boolean): Chunks {
  const accepted = "none, gzip, deflate and br";
  if (ok) throw new UndecodableBody(`the response has the content encoding '${encoding}'; accepted: ${accepted}`);
  yield* [];
}

/** The encoding of a body; undefined for none. */
function encodingOf({ headers }: IncomingMessage): string | undefined {
  const encoding = headers["content-encoding"]?.trim().toLowerCase();
  return encoding === "" || encoding === "identity" ? undefined : encoding?.slice(0, 40);
}

/** Chunks that wait for their reader before the stream pauses. */
const maxWaiting = 64;

interface Body {
  incoming: IncomingMessage;
  ok: boolean;
  onFirst: () => void;
  /** Absent: the body was not decoded. */
  encoding?: string;
}

/**
 * The chunks of a body as they arrive, and then its error. One generator that listens to the stream takes a third less processor
 * time for a chunk than one around Node's own.
 */
async function* arriving(body: Readable, { incoming, ok, onFirst, encoding }: Body): Chunks {
  const maxBytes = ok ? maxResponseBytes : maxErrorBytes;
  let [size, waiting] = [0, [] as Buffer[]];
  let [isEnded, failure] = [false, undefined as Error | undefined];
  let wake: (() => void) | undefined;
  const end = (error?: Error): void => {
    if (!isEnded) failure = error;
    isEnded = true;
    wake?.();
  };
  const close = (): void => end(Object.assign(new Error("closed before its end"), { code: "ECONNRESET" }));
  const take = (chunk: Buffer): void => {
    if (size === 0) onFirst();
    size += chunk.length;
    if (size > maxBytes) end(ok ? new ResponseTooLarge(maxBytes) : undefined);
    else if (waiting.push(chunk) === maxWaiting) body.pause();
    wake?.();
  };
  body.on("data", take).once("end", end).once("error", end).once("close", close);
  if (body.errored) end(body.errored);
  else if (body.destroyed) close();
  try {
    for (;;) {
      const chunks = waiting;
      waiting = [];
      for (const chunk of chunks) yield chunk;
      if (waiting.length > 0) continue;
      if (failure) throw failure;
      if (isEnded) return;
      if (body.isPaused()) body.resume();
      await new Promise<void>((resolve) => (wake = resolve));
    }
  } catch (error) {
    const isDecoders = encoding !== undefined && !incoming.errored && !(error instanceof ResponseTooLarge);
    incoming.destroy();
    if (!isDecoders || (error as NodeJS.ErrnoException).code === "Z_BUF_ERROR") throw error; // the latter: it was cut off
    throw new UndecodableBody(`the response is not encoded as ${encoding}, as its header says`);
  } finally {
    body.off("data", take).off("end", end).off("close", close);
    release(body, incoming);
  }
}

/** Keeps the connection for the next call if the response ends soon. A new TLS connection takes three round trips. */
function release(body: Readable, incoming: IncomingMessage): void {
  if (incoming.readableEnded || incoming.destroyed) return;
  body.resume();
  const timer = setTimeout(() => incoming.destroy(), maxDrainMs).unref();
  incoming.once("close", () => clearTimeout(timer));
}
