import { randomUUID } from "node:crypto";
import type { IncomingMessage, Server } from "node:http";
import type { ApiHandler, ApiRequest } from "../handler.ts";
import { addRequestId, apiKeyOf } from "../middleware.ts";
import { byteBudget, ownerOf } from "./byte-budget.ts";
import { type ConnectionLimits, limitStrangers } from "./connection-limits.ts";
import { type HostRules, hostRefusal } from "./host-check.ts";
import { bodyHandler, nodeServer } from "./node-server.ts";
import { maxBodyBytes } from "./read-body.ts";
import { requestTurns } from "./request-turns.ts";
import { responseWriter } from "./write-response.ts";

const MiB = 1024 * 1024;

interface LocalServerOptions {
  /** Holds large bodies while they are received. */
  spoolDirectory: string;
  hosts: HostRules;
  /** Of connections on which no credential was accepted. Absent: not limited. */
  strangers?: ConnectionLimits;
}

/** Milliseconds for the first line and the headers of a request, also for the first one of a connection. */
const headersTimeout = 10_000;

/** The HTTP server of one machine. */
export function localServer(
  handler: ApiHandler,
  { spoolDirectory, hosts, strangers: most }: LocalServerOptions,
): Server {
  const limits = {
    maxBytes: maxBodyBytes,
    drainBytes: 128 * MiB,
    idleMilliseconds: 30_000,
    spoolDirectory,
    // Of the bodies in progress, in all and with one key: 64 creates with 10 MiB of files, which are 14 MB of Base64, are 900 MB.
    budget: byteBudget({ all: 2048 * MiB, each: 1024 * MiB }),
  };
  const handle = bodyHandler(handler, limits);
  const closing = new AbortController();
  const write = responseWriter(closing.signal);
  const turnOf = requestTurns();
  const times = { keepAliveTimeout: 65_000, headersTimeout, connectionsCheckingInterval: headersTimeout / 2 };
  const server = nodeServer(times, async (incoming, outgoing, sendContinue) => {
    const { socket } = incoming;
    const isStranger = strangers.begin(socket);
    try {
      const turn = turnOf(() => ownerOf(incoming));
      if (turn) await turn;
      const refusal = hostRefusal(incoming, hosts);
      const { response, complete } = refusal
        ? { response: addRequestId(refusal, randomUUID()), complete: false }
        : await handle(incoming, sendContinue, closing.signal);
      if (!complete || !server.listening) outgoing.setHeader("connection", "close");
      if (isStranger && response.status !== 401 && hasCredential(incoming)) strangers.accept(socket);
      await write(incoming, outgoing, response);
    } finally {
      strangers.end(socket);
    }
  });
  const strangers = limitStrangers(server, most);
  const close = server.close.bind(server);
  server.close = (done) => {
    closing.abort(); // an open stream would keep the server open
    return close(done);
  };
  // Lets a client end its side of the connection after its request. Node has the option, its types do not.
  Object.assign(server, { httpAllowHalfOpen: true });
  return server;
}

/** Also the token of a run in the address of a stream. */
function hasCredential({ headers, url = "" }: IncomingMessage): boolean {
  return apiKeyOf(headers as ApiRequest["headers"]) !== undefined || url.includes("token=");
}
