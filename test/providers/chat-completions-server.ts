import type { ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
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

/** With `stream_options.include_usage`, usage is sent in a last chunk without choices. `tokens`: null if none are reported. */
export function usageChunkOf(tokens: { input: number; output: number } | null): object {
  const usage = tokens && {
    prompt_tokens: tokens.input,
    completion_tokens: tokens.output,
    total_tokens: tokens.input + tokens.output,
  };
  return { ...chunk({}), choices: [], ...(usage && { usage }) };
}

export const usageChunk = usageChunkOf({ input: 21, output: 7 });

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

/** What a model answers: a text, or tool calls. The input of a call can be its JSON text. */
export interface Answer {
  text?: string;
  calls?: [tool: string, input: object | string][];
}

/** The chunks of an answer without its usage. `step`: part of the ids of its calls. */
export function answerChunks({ text, calls = [] }: Answer, step: number): object[] {
  return [
    chunk({ role: "assistant", ...(text !== undefined && { content: text }) }),
    ...calls.map(([name, input], index) =>
      toolCallChunk(index, {
        id: `call-${step}-${index}`,
        name,
        arguments: typeof input === "string" ? input : JSON.stringify(input),
      }),
    ),
    chunk({}, { finish_reason: calls.length > 0 ? "tool_calls" : "stop" }),
  ];
}

export interface Message {
  role: string;
  content?: unknown;
}

/** The conversation of a model call, as a script sees it. */
interface Conversation {
  messages: Message[];
  instructions: string;
  /** The last text of the user: the input, and the note about files that can follow it. */
  input: string;
  /** Contents of the tool results since the input. */
  results: string[];
  /** Number of the answer since the input, from 1. */
  step: number;
}

/**
 * The model answers as the script says, with 100 tokens in, or as many as it counts, and 10 out. Undefined: it never answers.
 * A script that depends on the conversation only gives the same answer after a restart.
 */
export function scripted(
  script: (conversation: Conversation) => Answer | undefined,
  tokensOf: (messages: Message[]) => number = () => 100,
): Reply {
  return (response, { body }) => {
    const messages = body.messages as Message[];
    // A message with a list of contents has the images of tool results.
    const start = messages.findLastIndex(({ role, content }) => role === "user" && typeof content === "string");
    const turn = messages.slice(start);
    const answer = script({
      messages,
      instructions: String(messages[0]?.content),
      input: String(turn[0]?.content),
      results: turn.filter(({ role }) => role === "tool").map(({ content }) => String(content)),
      step: answersIn(turn) + 1,
    });
    startStream(response);
    if (!answer) return;
    send(
      response,
      ...answerChunks(answer, answersIn(messages) + 1),
      usageChunkOf({ input: tokensOf(messages), output: 10 }),
      "[DONE]",
    );
    response.end();
  };
}

/** Number of the model's messages. */
export function answersIn(messages: object[]): number {
  return (messages as Message[]).filter(({ role }) => role === "assistant").length;
}

/** Replies after 10 ms. A client that is gone by then gets nothing. */
export function slowly(reply: Reply): Reply {
  return async (response, received) => {
    await sleep(10);
    if (!response.destroyed) await reply(response, received);
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
