import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

/** What a step weighs: characters of text with each tool call, tokens as the provider counts them. */
const textWithCall = "I look at the notes before I go on. ".repeat(10);
const output = "The notes say all that was asked for. ".repeat(30);

/**
 * A chat completions server whose model reads `notes.txt` until it has answered `steps` times in all, and then gives
 * its output. The model's name is the number of steps.
 */
export async function modelLoop(): Promise<{ url: string; close: () => Promise<void> }> {
  const server = createServer((request, response) => {
    void bodyOf(request).then(({ model, messages }) => {
      const step = messages.filter(({ role }) => role === "tool").length + 1;
      const call = {
        id: `call-${step}`,
        type: "function",
        function: { name: "read_file", arguments: '{"name":"notes.txt"}' },
      };
      const chunks =
        step < Number(model)
          ? [
              chunk({ role: "assistant", content: textWithCall, tool_calls: [{ index: 0, ...call }] }),
              chunk({}, "tool_calls"),
            ]
          : [chunk({ role: "assistant", content: output }), chunk({}, "stop")];
      response.writeHead(200, { "content-type": "text/event-stream" });
      for (const each of [...chunks, { ...chunk({}), choices: [], usage }])
        response.write(`data: ${JSON.stringify(each)}\n\n`);
      response.end("data: [DONE]\n\n");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

const usage = { prompt_tokens: 1_000, completion_tokens: 150, total_tokens: 1_150 };

function chunk(delta: object, finish_reason: string | null = null) {
  return {
    id: "c",
    object: "chat.completion.chunk",
    created: 1,
    model: "m",
    choices: [{ index: 0, delta, finish_reason }],
  };
}

async function bodyOf(request: IncomingMessage): Promise<{ model: string; messages: { role: string }[] }> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return JSON.parse(Buffer.concat(parts).toString()) as { model: string; messages: { role: string }[] };
}
