import { editFile, listFiles, readFile, searchFiles, writeFile } from "../lambdas/agent/tools/definitions.ts";
import { openModel } from "../lambdas/agent/providers/index.ts";
import { modelLoop } from "./model-loop.ts";
import { median, type Row } from "./table.ts";

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

  const calls = 100;
  const timed = async (call: () => Promise<void>): Promise<number> => {
    const begun = performance.now();
    for (let made = 0; made < calls; made++) await call();
    return (performance.now() - begun) / calls;
  };
  const times = { floor: [] as number[], service: [] as number[] };
  for (let round = 0; round <= rounds; round++) {
    const [bare, ours] = [await timed(floor), await timed(service)];
    if (round === 0) continue; // warm-up
    times.floor.push(bare);
    times.service.push(ours);
  }
  await server.close();
  const [bare, ours] = [median(times.floor), median(times.service)];
  return [{ name: "model call over HTTP", unit: "ms", floor: bare, service: ours, target: { timesFloor: 2.5 } }];
}
