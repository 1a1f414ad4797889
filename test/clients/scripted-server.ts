import type { IncomingMessage, ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { type HttpServer, httpServer } from "../support/http-server.ts";

/** Answers one request, as well or as badly as a case needs it. */
export type Reply = (response: ServerResponse, request: Received) => void;

export interface Received {
  /** Method and path, such as `GET /ext/v1/agent`. */
  call: string;
  headers: IncomingMessage["headers"];
  body: Buffer;
}

/** A server whose answers are scripted. A request without a reply is answered with 599. */
export interface ScriptedServer extends AsyncDisposable {
  /** Starts a script. Its requests go to `url`, and are answered in order. */
  script(...replies: Reply[]): { url: string; received: Received[] };
}

export async function scriptedServer(): Promise<ScriptedServer> {
  const scripts: { replies: Reply[]; received: Received[] }[] = [];
  const server: HttpServer = await httpServer((request, response) => {
    void (async () => {
      const [, index = "", path = ""] = /^\/(\d+)(.*)$/.exec(request.url ?? "") ?? [];
      const received = { call: `${request.method} ${path}`, headers: request.headers, body: await buffer(request) };
      const script = scripts[Number(index)];
      script?.received.push(received);
      (script?.replies.shift() ?? json(599, { detail: "the script has ended" }))(response, received);
    })();
  });
  return {
    script(...replies) {
      const received: Received[] = [];
      scripts.push({ replies, received });
      return { url: `${server.url}/${scripts.length - 1}`, received };
    },
    [Symbol.asyncDispose]: server.close,
  };
}

export function json(status: number, body: unknown, headers: Record<string, string> = {}): Reply {
  return text(status, "application/json", JSON.stringify(body), headers);
}

export function text(status: number, type: string, body: string, headers: Record<string, string> = {}): Reply {
  return (response) => response.writeHead(status, { "content-type": type, ...headers }).end(body);
}

/** Closes the connection without an answer. */
export const noAnswer: Reply = (response) => response.destroy();

/** Sends headers and a part of the body, then closes the connection. */
export const cutBody =
  (status: number, part: string): Reply =>
  (response) => {
    response.writeHead(status, { "content-type": "application/json", "content-length": "1000" });
    response.write(part, () => response.destroy());
  };

/** Sends headers and a part of the body, then nothing. */
export const stalledBody =
  (status: number, type: string, part: string): Reply =>
  (response) => {
    response.writeHead(status, { "content-type": type }).write(part);
  };

/** Sends a body slowly and without end: a byte every 20 ms. */
export const endlessBody =
  (status: number, type: string): Reply =>
  (response) => {
    response.writeHead(status, { "content-type": type });
    const timer = setInterval(() => response.write(" "), 20);
    response.once("close", () => clearInterval(timer));
  };

/** Sends a part of an event stream, then ends it or closes the connection. */
export const stream =
  (part: string, then: "end" | "cut" = "end"): Reply =>
  (response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    if (then === "end") response.end(part);
    else response.write(part, () => response.destroy());
  };
