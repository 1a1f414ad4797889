import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import type { ScriptedCall } from "./script.ts";

/** A chat completions server with a scripted model. It runs outside the service, so that it outlives a killed one. */
export interface ModelServer {
  baseUrl: string;
  /** Requests that were received, by step. More than one of a step: its answer was paid for more than once. */
  received: Map<number, number>;
  close: () => void;
}

/** A message of a request. */
export interface ChatMessage {
  role: string;
  content: unknown;
  tool_calls?: { function: { name: string } }[];
}

/** What the model answers: tool calls, or a text. */
export type ScriptedAnswer = { calls: ScriptedCall[] } | { text: string };

export interface ModelScript {
  /** Milliseconds that each answer takes. */
  delay: number;
  /** The answer to a request. `step`: counts the answers of its conversation from 1. */
  answer: (messages: ChatMessage[], step: number) => ScriptedAnswer;
  /** Called when the request of a step has been received. */
  onRequest?: (step: number) => void;
}

export async function startModelServer({ delay, answer, onRequest }: ModelScript): Promise<ModelServer> {
  const received = new Map<number, number>();
  const server = createServer((request, response) => {
    const handled = (async () => {
      const { messages } = (await json(request)) as { messages: ChatMessage[] };
      const step = messages.filter(({ role }) => role === "assistant").length + 1;
      received.set(step, (received.get(step) ?? 0) + 1);
      onRequest?.(step);
      await sleep(delay);
      if (!response.destroyed) respond(response, step, { messages, answer: answer(messages, step) });
    })();
    handled.catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    received,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Streams the answer of a step. */
function respond(
  response: ServerResponse,
  step: number,
  { messages, answer }: { messages: ChatMessage[]; answer: ScriptedAnswer },
): void {
  const toolCalls =
    "calls" in answer &&
    answer.calls.map(({ name, input }, index) => ({
      index,
      id: `call-${step}-${index + 1}`,
      type: "function",
      function: { name, arguments: JSON.stringify(input) },
    }));
  const delta = { role: "assistant", ...("text" in answer ? { content: answer.text } : { tool_calls: toolCalls }) };
  const [prompt, completion] = [messages, delta].map((part) => Math.ceil(JSON.stringify(part).length / 4)) as [
    number,
    number,
  ];
  const usage = { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion };
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const more of [
    { choices: [{ index: 0, delta, finish_reason: null }] },
    { choices: [{ index: 0, delta: {}, finish_reason: toolCalls ? "tool_calls" : "stop" }] },
    { choices: [], usage },
  ]) {
    const chunk = { id: `demo-${step}`, object: "chat.completion.chunk", created: 0, model: "demo", ...more };
    response.write(`data: ${JSON.stringify(chunk)}\n\n`);
  }
  response.end("data: [DONE]\n\n");
}
