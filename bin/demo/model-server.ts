import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { answerOf, steps } from "./script.ts";

/** A chat completions server with a scripted model. It runs outside the service, so that it outlives a killed one. */
export interface ModelServer {
  baseUrl: string;
  /** Requests that were received, by step. More than one of a step: its answer was paid for more than once. */
  received: Map<number, number>;
  close: () => void;
}

interface ChatRequest {
  messages: { role: string; content: unknown }[];
}

/** `delay`: milliseconds that each answer takes. `onRequest` is called when the request of a step has been received. */
export async function startModelServer(delay: number, onRequest: (step: number) => void): Promise<ModelServer> {
  const received = new Map<number, number>();
  const server = createServer((request, response) => {
    const handled = (async () => {
      const { messages } = (await json(request)) as ChatRequest;
      const step = messages.filter(({ role }) => role === "assistant").length + 1;
      received.set(step, (received.get(step) ?? 0) + 1);
      onRequest(step);
      await sleep(delay);
      if (!response.destroyed) respond(response, step, messages);
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

/** Streams the answer of a step. It depends on the conversation only, so that it is the same after a restart. */
function respond(response: ServerResponse, step: number, messages: ChatRequest["messages"]): void {
  const calls = steps[step - 1];
  const text = calls ? "" : answerOf(String(messages.at(-1)?.content));
  const toolCalls = calls?.map(({ name, input }, index) => ({
    index,
    id: `call-${step}-${index + 1}`,
    type: "function",
    function: { name, arguments: JSON.stringify(input) },
  }));
  const delta = { role: "assistant", ...(toolCalls ? { tool_calls: toolCalls } : { content: text }) };
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
