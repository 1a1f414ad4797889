import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { editFile, listFiles, readFile, searchFiles, writeFile } from "../src/agent/tools/definitions.ts";
import { openModel } from "../src/agent/models/index.ts";
import { alternate } from "./rounds.ts";
import type { Row } from "./table.ts";

const instructions = "Read the notes before you answer.";
const input = "What do the notes say? ".repeat(20);
const tools = [listFiles, readFile, writeFile, editFile, searchFiles];

const toolCall = { index: 0, id: "call-1", type: "function" };
const chunks = [
  { choices: [choice({ role: "assistant", content: "I look at the notes before I go on. ".repeat(10) })] },
  {
    choices: [
      choice({ tool_calls: [{ ...toolCall, function: { name: "read_file", arguments: '{"name":"notes.txt"}' } }] }),
    ],
  },
  { choices: [choice({}, "tool_calls")] },
  { choices: [], usage: { prompt_tokens: 1_000, completion_tokens: 150, total_tokens: 1_150 } },
].map(
  (chunk) =>
    `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", ...chunk })}\n\n`,
);

function choice(delta: object, finish_reason: string | null = null): object {
  return { index: 0, delta, finish_reason };
}

/** A model call to a chat completions server in this process. Floor: a bare `fetch` that sends and parses the same. */
export async function measureModelCalls(rounds: number): Promise<Row[]> {
  const server = createServer((request, response) => {
    request.resume().once("end", () => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      for (const chunk of chunks) response.write(chunk);
      response.end("data: [DONE]\n\n");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const configuration = { provider: "openai-compatible", enabled: true, baseUrl, model: "m" } as const;
  const { signal } = new AbortController();

  async function service(): Promise<void> {
    const opened = await openModel(configuration, undefined, async () => undefined);
    if ("failure" in opened) throw new Error(opened.failure.title);
    const outcome = await opened.model({ instructions, messages: [{ role: "user", text: input }], tools, signal });
    if (!("answer" in outcome) || outcome.answer.toolCalls.length !== 1) throw new Error("the model called no tool");
  }

  const body = JSON.stringify({
    model: "m",
    stream: true,
    stream_options: { include_usage: true },
    messages: [
      { role: "system", content: instructions },
      { role: "user", content: input },
    ],
    tools: tools.map(({ name, description, input: parameters }) => {
      return { type: "function", function: { name, description, parameters } };
    }),
  });
  async function floor(): Promise<void> {
    const headers = { "content-type": "application/json" };
    const response = await fetch(`${baseUrl}/chat/completions`, { method: "POST", headers, body, signal });
    const lines = (await response.text()).split("\n\n").filter((line) => line.startsWith("data: {"));
    const parsed = lines.map((line) => JSON.parse(line.slice(6)) as { choices: { delta: { tool_calls?: unknown } }[] });
    if (!parsed.some(({ choices }) => choices[0]?.delta.tool_calls)) throw new Error("the model called no tool");
  }

  const times = await alternate({ rounds, calls: 100 }, floor, service);
  server.closeAllConnections();
  server.close();
  return [{ name: "model call over HTTP", unit: "ms", ...times, target: { timesFloor: 2.5 } }];
}
