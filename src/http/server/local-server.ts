import { randomUUID } from "node:crypto";
import type { Server } from "node:http";
import type { ApiHandler } from "../handler.ts";
import { addRequestId } from "../middleware.ts";
import { byteBudget } from "./byte-budget.ts";
import { type HostRules, hostRefusal } from "./host-check.ts";
import { bodyHandler, nodeServer } from "./node-server.ts";
import { maxBodyBytes } from "./read-body.ts";
import { responseWriter } from "./write-response.ts";

const MiB = 1024 * 1024;

interface LocalServerOptions {
  /** Holds large bodies while they are received. */
  spoolDirectory: string;
  hosts: HostRules;
}

/** The HTTP server of one machine. */
export function localServer(handler: ApiHandler, { spoolDirectory, hosts }: LocalServerOptions): Server {
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
  const server = nodeServer({ keepAliveTimeout: 65_000 }, async (incoming, outgoing, sendContinue) => {
    const refusal = hostRefusal(incoming, hosts);
    const { response, complete } = refusal
      ? { response: addRequestId(refusal, randomUUID()), complete: false }
      : await handle(incoming, sendContinue, closing.signal);
    if (!complete || !server.listening) outgoing.setHeader("connection", "close");
    await write(incoming, outgoing, response);
  });
  const close = server.close.bind(server);
  server.close = (done) => {
    closing.abort(); // an open stream would keep the server open
    return close(done);
  };
  // Lets a client end its side of the connection after its request. Node has the option, its types do not.
  Object.assign(server, { httpAllowHalfOpen: true });
  return server;
}
