import type { Server } from "node:http";
import { type ApiHandlers, router } from "../routes.ts";
import { bodyHandler, nodeServer, writeResponse } from "./node-server.ts";

const MiB = 1024 * 1024;

/** The HTTP server of one machine. `spoolDirectory`: holds large bodies while they are received. */
export function localServer(handlers: ApiHandlers, spoolDirectory: string): Server {
  const handle = bodyHandler(router(handlers), {
    // 10 MiB of files are 13,981,016 characters of base64; the rest is for an input text, whose length is not limited.
    maxBytes: 64 * MiB,
    drainBytes: Infinity,
    idleMilliseconds: 300_000, // as Node's limit for a whole request
    spoolDirectory,
  });
  const server = nodeServer({ keepAliveTimeout: 65_000 }, async (incoming, outgoing) => {
    const { response, complete } = await handle(incoming);
    if (!complete || !server.listening) outgoing.setHeader("connection", "close");
    await writeResponse(outgoing, response);
  });
  // Lets a client end its side of the connection after its request. Node has the option, its types do not.
  Object.assign(server, { httpAllowHalfOpen: true });
  return server;
}
