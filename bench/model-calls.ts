import { editFile, listFiles, readFile, searchFiles, writeFile } from "../src/agent/tools/definitions.ts";
import { openModel } from "../src/agent/models/index.ts";
import { modelLoop } from "./model-loop.ts";
import { inTurns } from "./rounds.ts";
import type { Row } from "./table.ts";

const instructions = "Read the notes before you answer.";
const input = "What do the notes say? ".repeat(20);
const tools = [listFiles, readFile, writeFile, editFile, searchFiles];

/**
 * A model call over HTTP, to a chat completions server in this process; the floor is a bare `fetch` that sends the same
 * and parses what is streamed.
 */
export async function measureModelCalls(rounds: number): Promise<Row[]> {
  const server = await modelLoop();
  const configuration = { provider: "openai-compatible", enabled: true, baseUrl: server.url, model: "2" } as const;
  const { signal } = new AbortController();

  async function service(): Promise<void> {
    const opened = await openModel(configuration, undefined, async () => undefined);
    if ("failure" in opened) throw new Error(opened.failure.title);
    const outcome = await opened.model({ instructions, messages: [{ role: "user", text: input }], tools, signal });
    if (!("answer" in outcome) || outcome.answer.toolCalls.length !== 1) throw new Error("the model called no tool");
  }

  const body = JSON.stringify({
    model: "2",
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
    const response = await fetch(`${server.url}/chat/completions`, { method: "POST", headers, body, signal });
    const lines = (await response.text()).split("\n\n").filter((line) => line.startsWith("data: {"));
    const chunks = lines.map((line) => JSON.parse(line.slice(6)) as { choices: { delta: { tool_calls?: unknown } }[] });
    if (!chunks.some(({ choices }) => choices[0]?.delta.tool_calls)) throw new Error("the model called no tool");
  }

  const times = await inTurns({ rounds, calls: 100 }, floor, service);
  await server.close();
  return [{ name: "model call over HTTP", unit: "ms", ...times, target: { timesFloor: 2.5 } }];
}
