import { parentPort, workerData } from "node:worker_threads";
import type { ApiHandler, ApiRequest, ApiResponse } from "../../../src/http/handler.ts";
import { logging } from "../../../src/log.ts";
import type { Workflow } from "../../../src/runs/ports.ts";
import { openStores } from "../data-dir.ts";
import { routes } from "../routes.ts";
import type { ForwardedRequest, FromThread, ThreadData, ToThread } from "./messages.ts";

// The thread of records: see `recordThread`. It has stores of its own on the data directory, and answers requests like the service.

/** Bytes of a body that are sent at a time. */
const partBytes = 64 * 1024;

const { options, serviceUrl } = workerData as ThreadData;
logging.level = options.verbose ? "info" : "error";
const workflow: Workflow = {
  start: async (runId, turn) => post({ start: [runId, turn] }),
  stop: async () => {},
};
const opened = openStores(options, workflow);
const health: ApiHandler = async () => ({ status: 404, headers: {}, body: "" });
const handle = routes(opened, { ...options, requestsPerKey: 0 }, { serviceUrl: () => serviceUrl, health });

interface Open {
  gone: AbortController;
  parts?: AsyncIterator<Uint8Array>;
}

/** The requests in progress, by their number. */
const open = new Map<number, Open>();

parentPort?.on("message", (message: ToThread) => {
  const { id } = message;
  if ("request" in message) {
    respond(id, message.request).catch((error: unknown) => post({ id, failed: String(error) }));
    return;
  }
  if (message.ask === "next") void sendNext(id);
  else end(id);
});

async function respond(id: number, request: ForwardedRequest): Promise<void> {
  const gone = new AbortController();
  open.set(id, { gone });
  const { status, headers, body } = await handle(received(request, gone.signal));
  const isWhole = typeof body !== "function";
  const parts = isWhole ? undefined : joined(body(gone.signal));
  const part = isWhole ? encoded(body) : new Uint8Array();
  if (isWhole) open.delete(id);
  else if (parts && open.has(id)) open.set(id, { gone, parts });
  post({ id, status, headers, part, isWhole }, part);
}

function received({ query, body, ...request }: ForwardedRequest, signal: AbortSignal): ApiRequest {
  return {
    ...request,
    query: new URLSearchParams(query),
    parameters: {},
    parseBody: (parse) => parse(body),
    whileConnected: () => signal,
  };
}

async function sendNext(id: number): Promise<void> {
  try {
    const { parts } = open.get(id) ?? {};
    if (!parts) throw new Error("the thread that made this response has ended");
    const { done, value } = await parts.next();
    const part = done ? null : value;
    if (done) open.delete(id);
    post({ id, part }, part);
  } catch (error) {
    open.delete(id);
    post({ id, failed: String(error) });
  }
}

function end(id: number): void {
  const { gone, parts } = open.get(id) ?? {};
  open.delete(id);
  gone?.abort();
  parts?.return?.().catch(() => {});
}

/** Parts of about `partBytes`: each takes a message. */
async function* joined(parts: AsyncIterable<string | Uint8Array>): AsyncGenerator<Uint8Array> {
  let gathered: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of parts) {
    const each = encoded(part);
    gathered.push(each);
    bytes += each.length;
    if (bytes < partBytes) continue;
    yield Buffer.concat(gathered);
    [gathered, bytes] = [[], 0];
  }
  if (bytes > 0) yield Buffer.concat(gathered);
}

function encoded(body: ApiResponse["body"] & (string | Uint8Array)): Uint8Array {
  return typeof body === "string" ? new TextEncoder().encode(body) : body;
}

/** Moves the bytes instead of copying them, if they have a buffer of their own. */
function post(message: FromThread, bytes?: Uint8Array | null): void {
  const isOwn = bytes && bytes.length > 0 && bytes.length === bytes.buffer.byteLength;
  parentPort?.postMessage(message, isOwn ? [bytes.buffer as ArrayBuffer] : []);
}
