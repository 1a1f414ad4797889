import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { httpServer } from "../support/http-server.ts";

export interface Received {
  /** Port of the client. */
  port: number | undefined;
  method: string | undefined;
  url: string | undefined;
  headers: IncomingMessage["headers"];
  /** The body as it arrived. */
  text: string;
  body: { [field: string]: unknown; messages: object[] };
}

export type Reply = (response: ServerResponse, received: Received) => void | Promise<void>;

/** A local server that gives these replies in order and records the requests. */
export async function modelServer(...replies: Reply[]) {
  const received: Received[] = [];
  const server = await httpServer((request, response) => {
    void text(request).then(async (body) => {
      const one = {
        port: request.socket.remotePort,
        method: request.method,
        url: request.url,
        headers: request.headers,
        text: body,
        body: JSON.parse(body) as Received["body"],
      };
      received.push(one);
      const reply = replies[received.length - 1];
      if (reply) await reply(response, one);
      else response.writeHead(500).end("the test has no further reply");
    });
  });
  return {
    baseUrl: `${server.url}/v1`,
    received,
    [Symbol.asyncDispose]: server.close,
  };
}
