import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { Socket } from "node:net";
import { type Answer, chatServer, type Message, rejects, scripted } from "../providers/chat-completions-server.ts";
import { mcpServer } from "../unit/mcp/mcp-server.ts";
import { httpServer } from "./http-server.ts";

// What turns of every kind need, for tests that record them: a model, an MCP server and a site, which count what they are asked.

export const runCount = 50;
/** Of the runs, those that get a second turn. */
const followed = 11;

type Calls = [name: string, input: object | string][];

/** A result whose repetition exceeds the context window: old results are left out. */
const long = "A long line of a report that fills the context window. ".repeat(240);
/** An argument whose repetition exceeds it: arguments are not cut, so the conversation is summarized. */
const part = "A part of a report that stays in the conversation. ".repeat(60);

/** What the model calls in each step, by the kind of the input. `word`: tells the inputs of a kind apart. */
const kinds: Record<string, (word: string, site: string) => Calls[]> = {
  files: (word) => [
    [["write_file", { name: "report.txt", content: `${word}\n` }]],
    [["edit_file", { name: "report.txt", old_text: word, new_text: `${word}, edited` }]],
    [["search_files", { pattern: "edited" }]],
  ],
  program: (word) => [
    [["run_javascript", { code: `writeFile("sum.txt", String(${word.length} * 7)); return 1 + 1;` }]],
    [["read_file", { name: "sum.txt" }]],
  ],
  web: (_word, site) => [[["web_fetch", { url: `${site}/page` }]], [["web_fetch", { url: `${site}/page` }]]],
  mcp: () => [[["test__draw", {}]], [["test__add", { a: 1, b: 2 }]], [["test__send_mail", {}]]],
  parallel: (word, site) => [
    [
      ["write_file", { name: "first.txt", content: word }],
      ["web_fetch", { url: `${site}/page` }],
      ["test__add", { a: 3, b: 4 }],
      ["web_fetch", { url: `${site}/page` }],
    ],
  ],
  errors: () => [
    [["read_file", { name: "missing.txt" }]],
    [["test__add", { a: "no number" }]],
    [["no_such_tool", {}]],
    [["read_file", '{"name":']],
  ],
  missing: (_word, site) => [[["web_fetch", { url: `${site}/missing` }]], [["web_fetch", { url: "no address" }]]],
  refused: () => [[["list_files", {}]]],
  long: () => [
    [["write_file", { name: "long.txt", content: long }]],
    ...Array.from({ length: 12 }, (): Calls => [["read_file", { name: "long.txt" }]]),
  ],
  parts: () =>
    Array.from({ length: 14 }, (_, at): Calls => [["write_file", { name: `part-${at}.txt`, content: part }]]),
  again: (_word, site) => [
    [["list_files", {}]],
    [
      ["web_fetch", { url: `${site}/page` }],
      ["test__draw", {}],
    ],
  ],
};
const firstKinds = Object.keys(kinds).filter((kind) => kind !== "again");

/** Inputs of the runs, first turns and second ones. Each names its kind. */
export const inputs = Array.from({ length: runCount }, (_, index) => ({
  first: `[${firstKinds[index % firstKinds.length]}] ${index}`,
  ...(index < followed && { second: `[again] ${index}` }),
}));

/** A model that answers the same to the same conversation, but for an overload at the first request of an input. */
function modelOf(site: string) {
  const overloaded = new Set<string>();
  const answers = scripted(
    ({ messages, instructions }) => answerTo(messages, instructions, site),
    (messages) => Math.ceil(JSON.stringify(messages).length / 4),
  );
  return chatServer(
    ...Array.from({ length: 5_000 }, (): typeof answers => (response, received) => {
      const { input } = inputIn(received.body.messages as Message[]);
      if (!input.startsWith("[refused]") || overloaded.has(input)) return answers(response, received);
      overloaded.add(input);
      return rejects(503, "overloaded")(response, received);
    }),
  );
}

/** The last input of the conversation, and where it is. */
function inputIn(messages: Message[]): { input: string; at: number } {
  const inputAt = messages.findLastIndex(
    ({ role, content }) => role === "user" && /^\[\w+\] \d+/.test(String(content)),
  );
  return { input: /^\[\w+\] \d+/.exec(String(messages[inputAt]?.content))?.[0] ?? "", at: inputAt };
}

function answerTo(messages: Message[], instructions: string, site: string): Answer {
  const all = JSON.stringify(messages);
  const written = Array.from(all.matchAll(/part-(\d+)\.txt/g), ([, number]) => Number(number));
  if (!instructions.includes("Write reports."))
    return { text: `A summary: part-${Math.max(...written)}.txt is written.` };
  const { input, at } = inputIn(messages);
  const [, kind = ""] = /^\[(\w+)\]/.exec(input) ?? [];
  const since = messages.slice(at);
  const done =
    kind === "parts" ? Math.max(-1, ...written) + 1 : since.filter(({ role }) => role === "assistant").length;
  const calls = kinds[kind]?.(input, site)[done];
  if (calls) return { calls };
  const results = since.flatMap(({ role, content }) => (role === "tool" ? [String(content)] : []));
  return { text: `Done after ${done}: ${results.join("|").slice(0, 300)}` };
}

/** Ports that this process connects to, whatever the client. */
function connections() {
  const ports = new Set<number | undefined>();
  const onSocket = (message: unknown): void => {
    const { socket } = message as { socket: Socket };
    socket.once("connect", () => ports.add(socket.remotePort));
  };
  subscribe("net.client.socket", onSocket);
  return { ports, close: () => unsubscribe("net.client.socket", onSocket) };
}

const portOf = (url: string): number => Number(new URL(url).port);

/** Everything outside of the service that turns of `inputs` reach. `asked`: how often each was. */
export async function outsideWorld() {
  let pages = 0;
  const site = await httpServer((request, response) => {
    const number = ++pages;
    response.writeHead(request.url === "/page" ? 200 : 404, { "content-type": "text/plain" });
    response.end(`Page ${number}, never the same.`);
  });
  const mcp = await mcpServer();
  const model = await modelOf(site.url);
  const { ports, close } = connections();
  return {
    definition: {
      name: "Reporter",
      instructions: "Write reports.",
      tools: ["list_files", "read_file", "write_file", "edit_file", "search_files", "run_javascript", "web_fetch"],
      mcp: [{ name: "test", url: mcp.url }],
      limits: { steps: 30, tokens: 1_000_000, seconds: 60 },
      contextTokens: 8_000,
      prices: { input: 1, output: 10 },
      webFetch: { privateAddresses: true },
    },
    model: { provider: "openai-compatible", enabled: true, baseUrl: model.baseUrl, model: "m" } as const,
    asked: () => ({ pages, mcp: mcp.methods.length, model: model.received.length }),
    /** The ports of this process's connections since the last call. */
    reached(): (number | undefined)[] {
      const reached = [...ports];
      ports.clear();
      return reached;
    },
    ports: { site: portOf(site.url), mcp: portOf(mcp.url), model: portOf(model.baseUrl) },
    async [Symbol.asyncDispose]() {
      close();
      await model[Symbol.asyncDispose]();
      await mcp[Symbol.asyncDispose]();
      await site.close();
    },
  };
}
