import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

// node bench/neighbour-model.ts: a model server in its own process, which prints its port. The input of a turn says what it
// answers: `slow N` waits N milliseconds, `long N` is an answer of N characters, `calls [["NAME", {…}], …]` calls tools in the first step, `stream N MILLISECONDS` sends N
// chunks in this time, anything else is "Done.".

interface Message {
  role: string;
  content: unknown;
}

const chunk = { id: "c", object: "chat.completion.chunk", created: 1, model: "m" };

const server = createServer((request, response) => {
  void text(request).then(async (body) => {
    const { messages } = JSON.parse(body) as { messages: Message[] };
    const start = messages.findLastIndex(({ role }) => role === "user");
    const input = inputOf(messages[start]?.content);
    const slow = /^slow (\d+)/.exec(input);
    if (slow) await new Promise((resolve) => setTimeout(resolve, Number(slow[1])));
    const streamed = /^stream (\d+) (\d+)/.exec(input);
    if (streamed) return sendSlowly(response, Number(streamed[1]), Number(streamed[2]));
    const calls = /^calls (.*)/.exec(input)?.[1];
    const long = /^long (\d+)/.exec(input);
    const isFirst = !messages.slice(start).some(({ role }) => role === "assistant");
    response.writeHead(200, { "content-type": "text/event-stream" });
    if (long) return response.end(stream({ content: "word ".repeat(Number(long[1]) / 5) }, "stop"));
    response.end(calls !== undefined && isFirst ? stream(callsIn(calls), "tool_calls") : stream(done, "stop"));
  });
}).listen(0, "127.0.0.1", () => console.log((server.address() as AddressInfo).port));

/** As a model writes: a chunk is a word. */
function sendSlowly(response: ServerResponse, chunks: number, milliseconds: number): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  const choices = [{ index: 0, delta: { content: "word " }, finish_reason: null }];
  const word = event({ ...chunk, choices });
  const startedAt = performance.now();
  let sent = 0;
  const timer = setInterval(() => {
    const due = Math.min(chunks, Math.ceil(((performance.now() - startedAt) / milliseconds) * chunks));
    for (; sent < due; sent++) response.write(word);
    if (sent < chunks) return;
    clearInterval(timer);
    response.end(stream({}, "stop"));
  }, milliseconds / chunks);
  response.once("close", () => clearInterval(timer));
}

const done = { content: "Done." };

function inputOf(content: unknown): string {
  if (typeof content === "string") return content;
  return (content as { text?: string }[]).map((part) => part.text ?? "").join("");
}

function callsIn(list: string): object {
  const calls = JSON.parse(list) as [string, object][];
  return {
    tool_calls: calls.map(([name, input], index) => ({
      index,
      id: `call-${index}`,
      type: "function",
      function: { name, arguments: JSON.stringify(input) },
    })),
  };
}

function stream(delta: object, finish_reason: string): string {
  return [
    { ...chunk, choices: [{ index: 0, delta: { role: "assistant", ...delta }, finish_reason: null }] },
    { ...chunk, choices: [{ index: 0, delta: {}, finish_reason }] },
    { ...chunk, choices: [], usage: { prompt_tokens: 20, completion_tokens: 5, total_tokens: 25 } },
    "[DONE]",
  ]
    .map(event)
    .join("");
}

function event(part: object | string): string {
  return `data: ${typeof part === "string" ? part : JSON.stringify(part)}\n\n`;
}
