import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import packageFile from "../../../package.json" with { type: "json" };
import type { Schemas } from "../../../src/manage/schema-types.ts";
import { chatServer, type Reply, scripted } from "../../providers/chat-completions-server.ts";
import { type ManageService, manageService, untilIdle } from "../../support/manage-service.ts";
import { replayedTurn } from "../../support/replayed-turn.ts";

// Bundles of runs that releases recorded, in test/releases. The newest code must rebuild each of their requests byte for byte, and
// make the same requests when it takes their turns anew with the recorded answers and results.
// A release adds its own: RECORD_RELEASE=1 npx vitest run --project integration test/unit/manage/stored-releases.slow.test.ts

const folder = fileURLToPath(new URL("../../releases/", import.meta.url));
const stored = readdirSync(folder).filter((name) => name.endsWith(".zip"));

const long = "A line of a report that fills the context window. ".repeat(200);
const script: [name: string, input: object][][] = [
  [["list_files", {}]],
  [
    ["write_file", { name: "a/ä.txt", content: "Grüße\n" }],
    ["read_file", { name: "missing.txt" }],
  ],
  [["edit_file", { name: "a/ä.txt", old_text: "Grüße", new_text: "Greetings" }]],
  [["run_javascript", { code: 'writeFile("sum.txt", String(6 * 7)); return readFile("a/ä.txt");' }]],
  [["write_file", { name: "long.txt", content: long }]],
  ...Array.from({ length: 3 }, (): [string, object][] => [["read_file", { name: "long.txt" }]]),
  ...Array.from({ length: 4 }, (_, index): [string, object][] => [
    ["write_file", { name: `copy-${index}.txt`, content: long }],
  ]),
];
const counted = (messages: object[]): number => Math.ceil(JSON.stringify(messages).length / 4);

/** Works with files until the context is full, and answers. A second turn calls one tool. */
const works = scripted(({ messages, instructions, input, step }) => {
  if (!instructions.includes("Write reports.")) return { text: `A summary of ${messages.length} messages.` };
  const calls = input.startsWith("First") ? script[step - 1] : [script[0]?.[0] ?? ["list_files", {}]].slice(step - 1);
  return calls && calls.length > 0 ? { calls } : { text: `Done in ${step} steps: 42 ≠ 41.` };
}, counted);

const overloaded: Reply = (response) => void response.writeHead(503, { "retry-after": "0" }).end("overloaded");

let model: Awaited<ReturnType<typeof chatServer>>;
let service: ManageService;
let agentId: string;

beforeAll(async () => {
  model = await chatServer(works, overloaded, ...Array.from({ length: 60 }, () => works));
  service = await manageService({
    model: { provider: "openai-compatible", enabled: true, baseUrl: model.baseUrl, model: "m" },
  });
  const { body: starter } = await service.call<Schemas["Agent"]>("GET", `/agents/${service.templateId}`);
  const owned = { organization_id: starter.organization_id, definition };
  agentId = (await service.call<Schemas["Agent"]>("POST", "/agents", { body: owned })).body.id;
});

afterAll(async () => {
  await service[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
});

const definition = {
  name: "Reporter",
  instructions: "Write reports.",
  tools: ["list_files", "read_file", "write_file", "edit_file", "run_javascript"],
  limits: { steps: 30, tokens: 1_000_000, seconds: 60 },
  contextTokens: 8_000,
};

const idle = (id: string) => untilIdle(service, id);

/** Records a run of two turns, and exports it. */
async function recorded(): Promise<Buffer> {
  const files = [{ filename: "in.csv", content_base64: Buffer.from("a;b\n1;2\n").toString("base64") }];
  const body = { agent_id: agentId, name: "Recorded", input_text: "First: write a report.", files };
  const { id } = (await service.call<Schemas["CreatedRun"]>("POST", "/runs", { body })).body;
  expect(await idle(id)).toMatchObject({ status: "finished" });
  await service.call("POST", `/runs/${id}/input`, { body: { input_text: "Second: list the files." } });
  expect(await idle(id)).toMatchObject({ status: "finished" });
  return Buffer.from(await (await request("GET", `/runs/${id}/export`)).arrayBuffer());
}

function request(method: string, path: string, body?: Uint8Array<ArrayBuffer>): Promise<Response> {
  const headers = { authorization: `Bearer ${service.operatorToken}`, "content-type": "application/zip" };
  return fetch(`${service.baseUrl}/manage/v1${path}`, { method, headers, ...(body && { body }) });
}

/** The places of the model calls of a run, and whether the request of each is rebuilt as it was sent. */
async function rebuilt(id: string): Promise<(string | boolean | null)[][]> {
  const { data } = (await service.call<Schemas["EventPage"]>("GET", `/runs/${id}/events?limit=200`)).body;
  const types = new Set(data.map(({ type }) => type));
  expect([...types]).toEqual(expect.arrayContaining(["model_call_failed", "summary", "model_call"]));
  const asked = data.filter(({ type }) => type === "model_call" || type === "summary");
  const places = asked.map((event) => `${event.turn}.${"step" in event ? event.step : 0}`);
  return Promise.all(
    places.map(async (at) => {
      const { status, body } = await service.call<Schemas["SentRequest"]>("GET", `/runs/${id}/request/sent?at=${at}`);
      return [at, status === 200 ? body.exact : JSON.stringify(body)];
    }),
  );
}

async function expectRebuilt(bundle: Uint8Array): Promise<void> {
  const response = await request("POST", `/agents/${agentId}/runs/import`, Uint8Array.from(bundle));
  const { id } = (await response.json()) as Schemas["Run"];
  expect(response.status).toBe(201);
  const requests = await rebuilt(id);
  expect(requests.length).toBeGreaterThan(12);
  expect(requests).toEqual(requests.map(([at]) => [at, true]));
  for (const turn of [1, 2]) {
    const again = await replayedTurn(service.platform, id, turn);
    expect(again.requests).toEqual(again.requests.map(([at]) => [at, true]));
    expect([again.output, again.requests.length]).toEqual([again.recorded.output, again.recorded.calls]);
  }
}

describe("the requests of a stored run are rebuilt byte for byte", () => {
  test("of this release", { timeout: 30_000 }, async () => {
    const bundle = await recorded();
    if (process.env["RECORD_RELEASE"] !== undefined) writeFileSync(`${folder}${packageFile.version}.zip`, bundle);
    await expectRebuilt(bundle);
  });

  test.each(stored)("of %s", { timeout: 30_000 }, async (name) => {
    await expectRebuilt(readFileSync(folder + name));
  });

  test("there are some", () => expect(stored.length).toBeGreaterThan(0));
});
