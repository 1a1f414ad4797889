import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { Socket } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Schemas } from "../../src/manage/schema-types.ts";
import { chatServer, scripted } from "../providers/chat-completions-server.ts";
import { httpServer, type HttpServer } from "../support/http-server.ts";
import { type ManageService, manageService } from "../support/manage-service.ts";
import { mcpServer } from "../unit/mcp/mcp-server.ts";

// An unchanged agent on 50 recorded turns of every kind, with a model that answers the same to the same.

const runCount = 40;
const turnCount = 50;
type Calls = [name: string, input: object][];

/** A turn that writes it and reads it often exceeds the context window: old results are left out. */
const long = "A long line of a report that fills the context window. ".repeat(240);

/** What the model calls in each step, by the kind of the input. */
const steps: Record<string, (input: string) => Calls[]> = {
  files: (input) => [
    [["write_file", { name: "report.txt", content: `${input}\n` }]],
    [["edit_file", { name: "report.txt", old_text: input, new_text: `${input}, edited` }]],
    [["search_files", { pattern: "edited" }]],
  ],
  program: (input) => [
    [["run_javascript", { code: `writeFile("sum.txt", String(${input.length} * 7)); return 1 + 1;` }]],
  ],
  web: () => [[["web_fetch", { url: `${site.url}/page` }]], [["web_fetch", { url: `${site.url}/page` }]]],
  mcp: () => [[["test__draw", {}]], [["test__add", { a: 1, b: 2 }]], [["test__send_mail", {}]]],
  error: () => [[["read_file", { name: "missing.txt" }]], [["test__add", { a: "no number" }]]],
  long: () => [
    [["write_file", { name: "long.txt", content: long }]],
    ...Array.from({ length: 12 }, (): Calls => [["read_file", { name: "long.txt" }]]),
  ],
  again: () => [[["list_files", {}]]],
};
const kinds = ["files", "program", "web", "mcp", "error", "long"];

const counted = (messages: object[]): number => Math.ceil(JSON.stringify(messages).length / 4);

const works = scripted(({ messages, instructions, input, results, step }) => {
  if (!instructions.includes("Write reports.")) return { text: `A summary of ${messages.length} messages.` };
  const kind = Object.keys(steps).find((each) => input.includes(`[${each}]`)) ?? "";
  const calls = steps[kind]?.(/\[\w+\] \d+/.exec(input)?.[0] ?? "")[step - 1];
  return calls ? { calls } : { text: `Done after ${results.length}: ${results.join("|").slice(0, 300)}` };
}, counted);

let site: HttpServer;
let mcp: Awaited<ReturnType<typeof mcpServer>>;
let model: Awaited<ReturnType<typeof chatServer>>;
let service: ManageService;
let agentId: string;
let pages = 0;

/** Ports that this process has connected to. */
const ports = new Set<number | undefined>();
const onSocket = (message: unknown): void => {
  const { socket } = message as { socket: Socket };
  socket.once("connect", () => ports.add(socket.remotePort));
};
const portOf = (url: string): number => Number(new URL(url).port);

const call = <Body>(method: string, path: string, body?: object) =>
  service.call<Body>(method, path, body && { body }).then((response) => response.body);

async function reach<Read extends { status: string }>(path: string, done: string): Promise<Read> {
  for (;;) {
    const found = await call<Read>("GET", path);
    if (found.status === done) return found;
    if (found.status === "technical_error") throw new Error(`${path} failed: ${JSON.stringify(found)}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

beforeAll(async () => {
  subscribe("net.client.socket", onSocket);
  site = await httpServer((_request, response) => {
    response.writeHead(200, { "content-type": "text/plain" }).end(`Page ${++pages}, never the same.`);
  });
  mcp = await mcpServer();
  model = await chatServer(...Array.from({ length: 2_000 }, () => works));
  service = await manageService({
    model: { provider: "openai-compatible", enabled: true, baseUrl: model.baseUrl, model: "m" },
  });
  definition.mcp = [{ name: "test", url: mcp.url }];
  const { organization_id } = await call<Schemas["Agent"]>("GET", `/agents/${service.templateId}`);
  ({ id: agentId } = await call<Schemas["Agent"]>("POST", "/agents", { organization_id, definition }));
  const ids = await Promise.all(
    Array.from({ length: runCount }, async (_, index) => {
      const input_text = `[${kinds[index % kinds.length]}] ${index}`;
      const { id } = await call<Schemas["CreatedRun"]>("POST", "/runs", {
        agent_id: agentId,
        name: input_text,
        input_text,
      });
      await reach(`/runs/${id}`, "finished");
      return id;
    }),
  );
  for (const [index, id] of ids.slice(0, turnCount - runCount).entries()) {
    await call("POST", `/runs/${id}/input`, { input_text: `[again] ${index}` });
    await reach(`/runs/${id}`, "finished");
  }
}, 120_000);

const definition = {
  name: "Reporter",
  instructions: "Write reports.",
  tools: ["list_files", "read_file", "write_file", "edit_file", "search_files", "run_javascript", "web_fetch"],
  mcp: [] as object[],
  limits: { steps: 20, tokens: 1_000_000, seconds: 60 },
  contextTokens: 8_000,
  prices: { input: 1, output: 10 },
  webFetch: { privateAddresses: true },
};

afterAll(async () => {
  unsubscribe("net.client.socket", onSocket);
  await service[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
  await mcp[Symbol.asyncDispose]();
  await site[Symbol.asyncDispose]();
});

test("50 of 50 turns are the same, and nothing but the model is reached", { timeout: 120_000 }, async () => {
  const recorded = await call<{ data: Schemas["Run"][] }>(
    "GET",
    `/runs?agent_id=${agentId}&q=${encodeURIComponent("[long]")}`,
  );
  const events = await Promise.all(
    recorded.data.map(({ id }) => call<Schemas["EventPage"]>("GET", `/runs/${id}/events?limit=100`)),
  );
  for (const { data } of events) {
    const tokens = data.flatMap((event) => (event.type === "model_call" ? [event.usage?.input_tokens ?? 0] : []));
    expect(tokens.some((count, index) => count < (tokens[index - 1] ?? 0))).toBe(true); // old results were left out
  }
  expect([...ports]).toEqual(expect.arrayContaining([site.url, mcp.url, model.baseUrl].map(portOf)));
  ports.clear();
  const before = { pages, methods: mcp.methods.length };
  const body = { version: 1, last: turnCount, control: 0, concurrency: 8, budget: { dollars: 5 } };
  const { id, cases } = await call<Schemas["Trial"]>("POST", `/agents/${agentId}/trials`, body);
  expect(cases).toBe(turnCount);
  await call("POST", `/trials/${id}/start`);
  const ended = await reach<Schemas["Trial"]>(`/trials/${id}`, "finished");
  const listed = await call<Schemas["TrialCasePage"]>("GET", `/trials/${id}/cases`);
  const others = listed.data.filter(({ verdict }) => verdict !== "same");
  expect(others.map(({ input, verdict, candidate }) => [input, verdict, candidate])).toEqual([]);
  expect(listed.data).toHaveLength(turnCount);
  expect(ended.summary.text).toContain("50 tried · 50 same");
  expect({ pages, methods: mcp.methods.length }).toEqual(before);
  expect([...ports].filter((port) => port !== portOf(model.baseUrl))).toEqual([]);
});
