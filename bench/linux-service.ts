import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import { createRequest, expectAnswer, getRequest, hammer, openConnection } from "./load.ts";
import { memoryOf, newDataDir, startServer } from "./servers.ts";
import { quantile, type Row } from "./table.ts";

/** Programs that take what they can get. Each ends at a limit. */
const attacks = [
  ":() { : | : & }; :; wait",
  "yes",
  "python3 -c 'a = []\nwhile True: a.append(bytearray(10**7))'",
  "i=0; while :; do : > f$((i++)) || break; done",
  "cat /dev/zero > big",
  "while :; do :; done & while :; do :; done & wait",
  "cat /dev/urandom",
  "for i in {1..200}; do sleep 100 & done; wait",
];

/** Polls of one run while others' programs attack, and the memory of the service. Floor: without attacks. */
export async function measureLinuxService({ seconds }: { seconds: number }): Promise<Row[]> {
  const started = new Set<string>();
  const model = createServer((request, response) => {
    void text(request).then((body) => response.end(answerTo(body, started)));
  });
  await new Promise<void>((resolve) => model.listen(0, "127.0.0.1", resolve));
  const baseUrl = `http://127.0.0.1:${(model.address() as AddressInfo).port}/v1`;
  const options = ["--model", "openai-compatible", "--model-base-url", baseUrl, "--model-name", "m"];
  const dataDir = newDataDir();
  const server = await startServer("service", dataDir, { more: [...options, "--sandbox", "auto"] });
  try {
    const agent = { ...server, ...(await createAgent(dataDir)) };
    const connection = await openConnection(server);
    const create = async (input_text: string): Promise<string> => {
      const answer = await expectAnswer(connection, createRequest(agent, { input_text }), 201);
      return (JSON.parse(answer.text()) as { agent_id: string }).agent_id;
    };
    const poll = getRequest(agent, await create("No attack."));
    const polling = [await openConnection(server)];
    await hammer(polling, poll, 200, 500); // warm-up
    const idle = memoryOf(server.pid, "VmRSS");
    const calm = await hammer(polling, poll, 200, seconds * 1_000);
    const running = await Promise.all(attacks.map((_, n) => create(`attack-${n}`)));
    const attacked = await hammer(polling, poll, 200, seconds * 1_000);
    const peak = memoryOf(server.pid, "VmHWM");
    for (const id of running) {
      while ((await expectAnswer(connection, getRequest(agent, id), 200)).text().includes('"loop_status":"running"')) {
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
    }
    if (started.size !== attacks.length + 1) throw new Error(`${started.size} programs were started`);
    const after = memoryOf(server.pid, "VmRSS");
    for (const each of [connection, ...polling]) each.close();
    return [
      {
        name: "poll while 8 programs attack, p99",
        unit: "ms",
        floor: quantile(calm, 0.99),
        service: quantile(attacked, 0.99),
        target: { atMost: 100 },
      },
      ...memory("memory of the service before", idle),
      ...memory("… peak during the attacks", peak),
      ...memory("… after them", after),
    ];
  } finally {
    await server.end();
    model.close();
  }
}

/** Unknown on systems without /proc. */
function memory(name: string, value: number | undefined): Row[] {
  return value === undefined ? [] : [{ name, unit: "MB", service: value }];
}

/** An agent with `run_shell`, and a key for it. */
async function createAgent(dataDir: string): Promise<{ apiKey: string; templateId: string }> {
  const file = join(dataDir, "agent.json");
  writeFileSync(file, JSON.stringify({ name: "Attacker", instructions: "Run it.", tools: ["run_shell"] }));
  const admin = async (...args: string[]): Promise<Record<string, string>> => {
    const command = ["bin/admin.ts", ...args, "--data-dir", dataDir, "--json"];
    const { stdout } = await promisify(execFile)(process.execPath, command, { cwd: join(import.meta.dirname, "..") });
    return JSON.parse(stdout) as Record<string, string>;
  };
  const { id = "" } = await admin("agent", "create", "--file", file);
  const { api_key = "" } = await admin("key", "create", "--agent", id);
  return { apiKey: api_key, templateId: id };
}

/** Calls `run_shell` with the attack that the input names. After the result, it answers. */
function answerTo(request: string, started: Set<string>): string {
  const { messages } = JSON.parse(request) as { messages: { role: string; content: unknown }[] };
  const last = messages.at(-1);
  const content = typeof last?.content === "string" ? last.content : JSON.stringify(last?.content);
  const script = attacks[Number(/attack-(\d+)/.exec(content)?.[1])] ?? "echo no attack";
  if (last?.role === "user") started.add(script);
  const call = {
    index: 0,
    id: "call-1",
    type: "function",
    function: { name: "run_shell", arguments: JSON.stringify({ script, seconds: 20 }) },
  };
  const [delta, finish_reason] =
    last?.role === "tool" ? [{ content: "Done." }, "stop"] : [{ tool_calls: [call] }, "tool_calls"];
  const chunk = { id: "c", object: "chat.completion.chunk", created: 1, model: "m" };
  return [
    { ...chunk, choices: [{ index: 0, delta: { role: "assistant", ...delta }, finish_reason: null }] },
    { ...chunk, choices: [{ index: 0, delta: {}, finish_reason }] },
    "[DONE]",
  ]
    .map((part) => `data: ${typeof part === "string" ? part : JSON.stringify(part)}\n\n`)
    .join("");
}
