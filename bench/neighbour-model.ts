import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

// node bench/neighbour-model.ts: a model server in its own process, which prints its port. The input of a turn says what it
// answers: `slow N` waits N milliseconds, `calls [["NAME", {…}], …]` calls tools in the first step, anything else is "Done.".

interface Message {
  role: string;
  content: unknown;
}

const server = createServer((request, response) => {
  void text(request).then(async (body) => {
    const { messages } = JSON.parse(body) as { messages: Message[] };
    const start = messages.findLastIndex(({ role }) => role === "user");
    const input = inputOf(messages[start]?.content);
    const slow = /^slow (\d+)/.exec(input);
    if (slow) await new Promise((resolve) => setTimeout(resolve, Number(slow[1])));
    const calls = /^calls (.*)/.exec(input)?.[1];
    const isFirst = !messages.slice(start).some(({ role }) => role === "assistant");
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(calls !== undefined && isFirst ? stream(callsIn(calls), "tool_calls") : stream(done, "stop"));
  });
}).listen(0, "127.0.0.1", () => console.log((server.address() as AddressInfo).port));

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
  const chunk = { id: "c", object: "chat.completion.chunk", created: 1, model: "m" };
  return [
    { ...chunk, choices: [{ index: 0, delta: { role: "assistant", ...delta }, finish_reason: null }] },
    { ...chunk, choices: [{ index: 0, delta: {}, finish_reason }] },
    { ...chunk, choices: [], usage: { prompt_tokens: 20, completion_tokens: 5, total_tokens: 25 } },
    "[DONE]",
  ]
    .map((part) => `data: ${typeof part === "string" ? part : JSON.stringify(part)}\n\n`)
    .join("");
}
