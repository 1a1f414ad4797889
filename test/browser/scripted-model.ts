import type { IncomingHttpHeaders } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { text as bodyText } from "node:stream/consumers";
import {
  answerChunks,
  answersIn,
  chunk,
  type Message,
  send,
  startStream,
  usageChunkOf,
} from "../providers/chat-completions-server.ts";
import { httpServer, type HttpServer } from "../support/http-server.ts";

/** What the model answers in one step. Without calls, the turn ends with the text. */
export interface ScriptedStep {
  /** Sent before the text. */
  reasoning?: string;
  /** Milliseconds between reasoning and text. */
  thinks?: number;
  text?: string;
  calls?: { name: string; arguments: object }[];
  /** Milliseconds until the answer. */
  delay?: number;
  /** Tokens of the model call. Default: 21 in, 7 out. Null: it reports none. */
  tokens?: { input: number; output: number } | null;
  /** Instead of an answer, this HTTP status with the text as the error's message. */
  status?: number;
  /** Seconds of the header `retry-after` beside a status. */
  retryAfter?: number;
  /** The answer waits for this. */
  until?: Promise<unknown>;
}

/** The answer to an input in a step, which counts from 1. */
export type Script = (input: string, step: number, instructions: string, headers: IncomingHttpHeaders) => ScriptedStep;

/** A model server with the API of OpenAI's chat completions, whose answers depend on the conversation alone. */
export async function scriptedModel(script: Script): Promise<HttpServer & { baseUrl: string }> {
  const server = await httpServer((request, response) => {
    void bodyText(request).then(async (body) => {
      const { messages } = JSON.parse(body) as { messages: Message[] };
      const start = messages.findLastIndex(({ role }) => role === "user");
      const step = answersIn(messages.slice(start)) + 1;
      const {
        text = "",
        calls = [],
        delay = 0,
        reasoning,
        thinks = 0,
        until,
        status,
        retryAfter,
        tokens = { input: 21, output: 7 },
      } = script(inputOf(messages[start]?.content), step, inputOf(messages[0]?.content), request.headers);
      await sleep(delay);
      await until;
      if (status !== undefined) {
        response.writeHead(status, {
          "content-type": "application/json",
          ...(retryAfter !== undefined && { "retry-after": String(retryAfter) }),
        });
        response.end(JSON.stringify({ error: { message: text } }));
        return;
      }
      startStream(response);
      if (reasoning !== undefined) send(response, chunk({ reasoning_content: reasoning }));
      await sleep(thinks);
      const answer = {
        ...(text && { text }),
        calls: calls.map((call): [string, object] => [call.name, call.arguments]),
      };
      send(response, ...answerChunks(answer, step), usageChunkOf(tokens), "[DONE]");
      response.end();
    });
  });
  return { ...server, baseUrl: `${server.url}/v1` };
}

function inputOf(content: unknown): string {
  if (typeof content === "string") return content;
  return (content as { text?: string }[]).map(({ text = "" }) => text).join("");
}
