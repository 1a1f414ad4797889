import type { Server } from "node:http";
import { type ApiHandlers, router } from "../routes.ts";
import { bodyHandler, nodeServer, writeResponse } from "./node-server.ts";
import { maxBodyBytes } from "./read-body.ts";

/** The HTTP server of one machine. `spoolDirectory`: holds large bodies while they are received. */
export function localServer(handlers: ApiHandlers, spoolDirectory: string): Server {
  const handle = bodyHandler(router(handlers), {
    maxBytes: maxBodyBytes,
    drainBytes: 128 * 1024 * 1024,
    idleMilliseconds: 300_000, // as Node's limit for a whole request
    spoolDirectory,
  });
  const server = nodeServer({ keepAliveTimeout: 65_000 }, async (incoming, outgoing, sendContinue) => {
    const { response, complete } = await handle(incoming, sendContinue);
    if (!complete || !server.listening) outgoing.setHeader("connection", "close");
    await writeResponse(outgoing, response);
  });
  // Lets a client end its side of the connection after its request. Node has the option, its types do not.
  Object.assign(server, { httpAllowHalfOpen: true });
  return server;
}
