import { hash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parseExact } from "../../src/json.ts";
import type { Schemas } from "../../src/manage/schema-types.ts";
import { chatServer, scripted } from "../providers/chat-completions-server.ts";
import { rawMcpServer } from "../support/raw-mcp-server.ts";
import { awsDoors, localDoors, type TrialDoors } from "../support/trial-doors.ts";
import { sandbox } from "./sandbox/sandbox.ts";

// Numbers that JavaScript rounds or writes otherwise, and arguments that are almost right, from the model to servers, programs and
// people, and back.

const args = (id: string): string => `{"id":${id},"price":10.10}`;
const id = "2512292042121000001";
/** As the model sends it to the caller's tool. */
const sent = `{"id":"${id}","price":10.10,"note":null}`;
const output = '{"account":9007199254740993,"amount":10.10}';
const structured = '{"id":1469812398471234561,"price":10.10}';

/** The id that the model calls the server's tool with. */
let found = id;

/** Calls the caller's tool, then the server's, then a built-in one with a number where a text belongs. */
const works = scripted(({ results, step }) => {
  if (step === 1) return { calls: [["functions.lookup", sent]] };
  if (step === 2) return { calls: [["s__find", args(found)]] };
  return step === 3 ? { calls: [["read_file", `{"name":"a","offset":${id}}`]] } : { text: JSON.stringify(results) };
});

let model: Awaited<ReturnType<typeof chatServer>>;
let mcp: Awaited<ReturnType<typeof rawMcpServer>>;
beforeAll(async () => {
  model = await chatServer(...Array.from({ length: 100 }, () => works));
  mcp = await rawMcpServer(
    [{ name: "find", inputSchema: { type: "object", properties: { id: { type: "integer" } }, required: ["id"] } }],
    () => `{"content":[],"structuredContent":${structured}}`,
  );
});
afterAll(async () => {
  await model[Symbol.asyncDispose]();
  await mcp[Symbol.asyncDispose]();
});

const lookup = {
  name: "lookup",
  description: "Looks up.",
  input: {
    type: "object",
    properties: { id: { type: "integer" }, price: { type: "number" }, note: { type: "string" } },
    required: ["id"],
  },
};

const definition = () => ({
  name: "Finder",
  instructions: "Find.",
  tools: ["read_file"],
  mcp: [{ name: "s", url: mcp.url }],
  clientTools: [lookup],
  toolPolicy: { s__find: "ask" },
  limits: { steps: 20, tokens: 100_000, seconds: 60 },
});

const platforms: Record<string, (configuration: Parameters<typeof localDoors>[0]) => Promise<TrialDoors>> = {
  "one machine": localDoors,
  AWS: (configuration) => awsDoors(configuration, sandbox),
};

describe.each(Object.keys(platforms))("on %s", (name) => {
  let doors: TrialDoors;
  let agentId: string;
  let runId: string;
  const waited: Schemas["RunDetail"]["open_calls"] = [];

  beforeAll(async () => {
    const configuration = { provider: "openai-compatible", enabled: true, baseUrl: model.baseUrl, model: "m" } as const;
    const opened = await platforms[name]?.(configuration);
    if (!opened) throw new Error(`no platform ${name}`);
    doors = opened;
    [found, mcp.calls.length] = [id, 0];
    const agent = { organization_id: doors.organizationId, definition: definition() };
    ({ id: agentId } = await doors.call<Schemas["Agent"]>("POST", "/agents", agent));
    const body = { agent_id: agentId, name: "Find", input_text: "Find." };
    ({ id: runId } = await doors.call<Schemas["CreatedRun"]>("POST", "/runs", body));
    await answered({ output: parseExact(output) });
    await answered({ decision: "allow" });
    await doors.settleHere(`/runs/${runId}`);
  });
  afterAll(() => doors[Symbol.asyncDispose]());

  /** Answers the call that the run waits with next. */
  async function answered(answer: object): Promise<void> {
    for (;;) {
      if (name === "AWS") await doors.settleHere(`/runs/${runId}`);
      const { open_calls } = await doors.call<Schemas["RunDetail"]>("GET", `/runs/${runId}`);
      const [open] = open_calls;
      if (open) {
        waited.push(open);
        const body = { call: open.id, arguments_sha256: open.arguments_sha256, ...answer };
        await doors.call("POST", `/runs/${runId}/answers`, body);
        await doors.call("POST", `/runs/${runId}/answers`, body); // the same answer
        return;
      }
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  /** The verdict of a trial whose candidate finds this id. */
  async function verdictFor(tried: string): Promise<string | null | undefined> {
    found = tried;
    const more = { runs: [{ run_id: runId }], budget: { tokens: 100_000 }, control: 0 };
    const body = { definition: { ...definition(), instructions: "Find it." }, ...more };
    const trial = await doors.call<Schemas["Trial"]>("POST", `/agents/${agentId}/trials`, body);
    await doors.call("POST", `/trials/${trial.id}/start`);
    await doors.settleHere(`/trials/${trial.id}`);
    const { data } = await doors.call<Schemas["TrialCasePage"]>("GET", `/trials/${trial.id}/cases`);
    return data[0]?.verdict;
  }

  test("a program and an approver are shown the arguments that the model wrote, and their hash", () => {
    const sha256 = hash("sha256", args(id));
    expect(waited).toMatchObject([
      { name: "lookup", kind: "client_tool", arguments: args(id), arguments_sha256: sha256 },
      { name: "s__find", kind: "approval", arguments: args(id), arguments_sha256: sha256 },
    ]);
  });

  test("a server gets them, and the record has them, and what the model sent", async () => {
    expect(mcp.calls).toEqual([expect.stringContaining(`"arguments":${args(id)}`)]);
    const { data } = await doors.call<Schemas["EventPage"]>("GET", `/runs/${runId}/events`);
    const calls = data.flatMap((event) => (event.type === "model_call" ? event.tool_calls : []));
    expect(calls).toEqual([
      { name: "lookup", arguments: args(id), sent_name: "functions.lookup", sent_arguments: sent },
      { name: "s__find", arguments: args(id) },
      { name: "read_file", arguments: `{"name":"a","offset":${id}}` },
    ]);
  });

  test("the next request of the model has them, with what the program and the server sent, to the digit", () => {
    const { text = "", body } = model.received.at(-1) ?? {};
    expect(text.replaceAll("\\", "").split(args(id))).toHaveLength(2);
    expect(text).toContain(JSON.stringify(sent));
    const results = body?.messages.flatMap((message) => ("tool_call_id" in message ? [message] : []));
    expect(results).toMatchObject([
      { content: output },
      { content: structured },
      { content: expect.stringContaining(`the number ${id} has more digits than the tool keeps`) },
    ]);
  });

  test("a kept turn has none that are redacted", async () => {
    await doors.call("POST", `/agents/${agentId}/suites`, { name: "kept" });
    const body = { cases: [{ run_id: runId }], redact: [{ text: id, replacement: "[ID]" }] };
    const path = `/agents/${agentId}/suites/kept/cases`;
    const { added } = await doors.call<Schemas["AddedCases"]>("POST", path, body);
    const { data } = await doors.call<Schemas["EventPage"]>("GET", `/runs/${added[0]?.id}/events`);
    const calls = data.flatMap((event) => (event.type === "model_call" ? event.tool_calls : []));
    expect(calls.map((call) => call.arguments)).toEqual([
      '{"id":"[ID]","price":10.10}',
      '{"id":"[ID]","price":10.10}',
      '{"name":"a","offset":"[ID]"}',
    ]);
  });

  test("a call in a trial with another last digit is not the recorded one", async () => {
    expect(await verdictFor(id)).toBe("same");
    expect(await verdictFor("2512292042121000099")).toBe("left_record");
    expect(await verdictFor("2512292042121000000")).toBe("left_record");
  });
});
