import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

export interface Received {
  method: string | undefined;
  url: string | undefined;
  headers: IncomingMessage["headers"];
  body: { [field: string]: unknown; messages: object[] };
}

export type Reply = (response: ServerResponse, received: Received) => void | Promise<void>;

/** A server on a free port of this machine that gives these replies one after the other and keeps what it received. */
export async function chatServer(...replies: Reply[]) {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    void text(request).then(async (body) => {
      const one = {
        method: request.method,
        url: request.url,
        headers: request.headers,
        body: JSON.parse(body) as Received["body"],
      };
      received.push(one);
      const reply = replies[received.length - 1];
      if (reply) await reply(response, one);
      else response.writeHead(500).end("the test has no further reply");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    received,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** One chunk of a streamed chat completion. */
export function chunk(delta: object, more: { finish_reason?: string; usage?: object } = {}): object {
  const { finish_reason = null, usage } = more;
  return {
    id: "chatcmpl-1",
    object: "chat.completion.chunk",
    created: 1_760_000_000,
    model: "m",
    choices: [{ index: 0, delta, finish_reason }],
    ...(usage && { usage }),
  };
}

export function toolCallChunk(index: number, call: { id?: string; name?: string; arguments?: string }): object {
  const { id, name, arguments: args } = call;
  return chunk({
    tool_calls: [
      {
        index,
        ...(id !== undefined && { id, type: "function" }),
        function: { ...(name !== undefined && { name }), ...(args !== undefined && { arguments: args }) },
      },
    ],
  });
}

/** Usage comes in a last chunk without choices, as with `stream_options.include_usage`. */
export const usageChunk = {
  id: "chatcmpl-1",
  object: "chat.completion.chunk",
  created: 1_760_000_000,
  model: "m",
  choices: [],
  usage: { prompt_tokens: 21, completion_tokens: 7, total_tokens: 28 },
};

export function startStream(response: ServerResponse): void {
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
}

export function send(response: ServerResponse, ...chunks: (object | string)[]): void {
  for (const each of chunks) response.write(`data: ${typeof each === "string" ? each : JSON.stringify(each)}\n\n`);
}

/** A whole streamed answer. */
export function streams(...chunks: (object | string)[]): Reply {
  return (response) => {
    startStream(response);
    send(response, ...chunks, "[DONE]");
    response.end();
  };
}

/** An error as OpenAI words it. */
export function refuses(status: number, message: string, headers: Record<string, string> = {}): Reply {
  return (response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(JSON.stringify({ error: { message, type: "error", param: null, code: null } }));
  };
}
