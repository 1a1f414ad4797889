import type { ServerResponse } from "node:http";
import { modelServer, type Reply } from "./model-server.ts";

export type { Reply } from "./model-server.ts";

export const chatServer = modelServer;

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

/** With `stream_options.include_usage`, usage is sent in a last chunk without choices. */
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

/** Streams a complete response. */
export function streams(...chunks: (object | string)[]): Reply {
  return (response) => {
    startStream(response);
    send(response, ...chunks, "[DONE]");
    response.end();
  };
}

/** The model calls one tool. */
export function callsTool(name: string, input: object): Reply {
  const call = { id: `call-${name}`, name, arguments: JSON.stringify(input) };
  return streams(chunk({ role: "assistant" }), toolCallChunk(0, call), chunk({}, { finish_reason: "tool_calls" }));
}

/** The model responds with the last tool result. */
export const answersWithResult: Reply = (response, received) => {
  const { content } = received.body["messages"].at(-1) as { content: string };
  const text = chunk({ role: "assistant", content: `It says: ${content}` });
  return streams(text, chunk({}, { finish_reason: "stop" }))(response, received);
};

/** An error response in OpenAI's format. */
export function rejects(status: number, message: string, headers: Record<string, string> = {}): Reply {
  return (response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(JSON.stringify({ error: { message, type: "error", param: null, code: null } }));
  };
}
