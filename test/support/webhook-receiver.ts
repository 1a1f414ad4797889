import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { httpServer, type HttpServer } from "./http-server.ts";

/** A request that a receiver got. `id`: its header `webhook-id`. */
export interface ReceivedMessage {
  id: string;
  path: string;
  headers: Record<string, string>;
  body: string;
}

export interface WebhookReceiver extends HttpServer {
  received: ReceivedMessage[];
}

/** What a receiver does with a request after it was read: it answers with a status, or does something else. */
type Reaction = number | ((request: IncomingMessage, response: ServerResponse) => void);

/** A server that keeps the messages that it gets. `react`: by the number of requests so far. Default: 204. */
export async function webhookReceiver(react: (count: number) => Reaction = () => 204): Promise<WebhookReceiver> {
  const received: ReceivedMessage[] = [];
  const server = await httpServer((request, response) => {
    void text(request).then(
      (body) => {
        const headers = Object.fromEntries(
          Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
        );
        received.push({ id: headers["webhook-id"] ?? "", path: request.url ?? "", headers, body });
        const reaction = react(received.length);
        if (typeof reaction === "function") reaction(request, response);
        else response.writeHead(reaction).end("the body of the answer");
      },
      () => {},
    );
  });
  return { ...server, received };
}
