import { setTimeout as sleep } from "node:timers/promises";
import { text as bodyText } from "node:stream/consumers";
import { chunk, send, startStream, toolCallChunk, usageChunk } from "../providers/chat-completions-server.ts";
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
  /** The answer waits for this. */
  until?: Promise<unknown>;
}

/** The answer to an input in a step, which counts from 1. */
export type Script = (input: string, step: number, instructions: string) => ScriptedStep;

/** A model server with the API of OpenAI's chat completions, whose answers depend on the conversation alone. */
export async function scriptedModel(script: Script): Promise<HttpServer & { baseUrl: string }> {
  const server = await httpServer((request, response) => {
    void bodyText(request).then(async (body) => {
      const { messages } = JSON.parse(body) as { messages: { role: string; content: unknown }[] };
      const start = messages.findLastIndex(({ role }) => role === "user");
      const step = messages.slice(start).filter(({ role }) => role === "assistant").length + 1;
      const {
        text = "",
        calls = [],
        delay = 0,
        reasoning,
        thinks = 0,
        until,
        status,
        tokens,
      } = script(inputOf(messages[start]?.content), step, inputOf(messages[0]?.content));
      await sleep(delay);
      await until;
      if (status !== undefined) {
        response.writeHead(status, {
          "content-type": "application/json",
          ...(status === 429 && { "retry-after": "3" }),
        });
        response.end(JSON.stringify({ error: { message: text } }));
        return;
      }
      startStream(response);
      if (reasoning !== undefined) send(response, chunk({ reasoning_content: reasoning }));
      await sleep(thinks);
      if (text) send(response, chunk({ content: text }));
      for (const [index, call] of calls.entries()) {
        const id = `call-${step}-${index}`;
        send(response, toolCallChunk(index, { id, name: call.name, arguments: JSON.stringify(call.arguments) }));
      }
      send(response, chunk({}, { finish_reason: calls.length > 0 ? "tool_calls" : "stop" }), usageOf(tokens), "[DONE]");
      response.end();
    });
  });
  return { ...server, baseUrl: `${server.url}/v1` };
}

function usageOf(tokens: ScriptedStep["tokens"]): object {
  if (tokens === null) return { ...usageChunk, usage: undefined };
  if (!tokens) return usageChunk;
  const { input, output } = tokens;
  const usage = { prompt_tokens: input, completion_tokens: output, total_tokens: input + output };
  return { ...usageChunk, usage };
}

function inputOf(content: unknown): string {
  if (typeof content === "string") return content;
  return (content as { text?: string }[]).map(({ text = "" }) => text).join("");
}
