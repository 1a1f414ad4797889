import { afterAll, beforeAll, expect, test } from "vitest";
import type { Schemas } from "../../../src/manage/schema-types.ts";
import { chatServer, rejects, type Reply, scripted } from "../../providers/chat-completions-server.ts";
import { httpServer } from "../../support/http-server.ts";
import { replayedTurn } from "../../support/replayed-turn.ts";
import { finishedTrial, type ManageService, manageService, untilIdle } from "../../support/manage-service.ts";
import { returns, server, textResult, tool } from "../mcp/legacy-server.ts";

// What MCP servers add to requests of a run is recorded: it can be rebuilt, and a replay sees the same.

let service: ManageService;
let model: Awaited<ReturnType<typeof chatServer>>;
let mcp: Awaited<ReturnType<typeof httpServer>>;
/** The methods that the MCP server was asked. */
let received: string[];

const names = (tools: object[] = []) => tools.map((each) => (each as { function: { name: string } }).function.name);

/** Calls a tool of the server, and then answers. A strict one refuses a request with the tool `find`. */
const answers = scripted(({ step }) => (step === 1 ? { calls: [["s__look", {}]] } : { text: "Done." }));
const strict: Reply = (response, request) =>
  request.text.includes("Be strict.") && names(request.body["tools"] as object[]).includes("s__find")
    ? rejects(400, "Invalid schema for function 's__find': it has a bad day.")(response, request)
    : answers(response, request);

beforeAll(async () => {
  model = await chatServer(...Array.from({ length: 50 }, () => strict));
  const list = returns({
    tools: [tool("find"), tool("look"), ...Array.from({ length: 140 }, (_, n) => tool(`t${n}`))],
  });
  const legacy = server({ list, call: returns(textResult("Seen.")), instructions: "ALWAYS look first." });
  mcp = await httpServer(legacy.listener);
  ({ received } = legacy);
  service = await manageService({
    model: { provider: "openai-compatible", enabled: true, baseUrl: model.baseUrl, model: "m" },
  });
});

afterAll(async () => {
  await service[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
  await mcp.close();
});

async function finishedRun(instructions: string, more: object = {}) {
  const { call, templateId } = service;
  const { body: starter } = await call<Schemas["Agent"]>("GET", `/agents/${templateId}`);
  const definition = {
    name: "Agent",
    instructions,
    tools: ["list_files"],
    mcp: [{ name: "s", url: `${mcp.url}/mcp`, ...more }],
    limits: { steps: 10, tokens: 100_000, seconds: 60 },
  };
  const body = { organization_id: starter.organization_id, definition };
  const agent = (await call<Schemas["Agent"]>("POST", "/agents", { body })).body.id;
  const run = { agent_id: agent, name: "Run", input_text: "Go." };
  const { id } = (await call<Schemas["CreatedRun"]>("POST", "/runs", { body: run })).body;
  const before = model.received.length;
  expect(await untilIdle(service, id)).toMatchObject({ status: "finished", failure: null });
  return { agent, id, sent: model.received.slice(before).map(({ body: sent }) => sent) };
}

/** The note of the first step, by line. */
async function noteOf(id: string): Promise<string[]> {
  const { body } = await service.call<{ data: { note?: string | null }[] }>("GET", `/runs/${id}/events`);
  return (body.data.find((event) => event.note)?.note ?? "").split("\n");
}

const heading = "Tools that cannot be used in this turn:";
const missing = /^s__\*: these are not offered: s__t1\d\d, .*s__t139, because the model accepts at most 128 tools/;

/** The bodies of the requests of a run's steps, as they are rebuilt. */
async function rebuilt(id: string): Promise<unknown[]> {
  const bodies = ["1.1", "1.2"].map(async (at) => {
    const { body } = await service.call<{ body: string }>("GET", `/runs/${id}/request/sent?at=${at}`);
    return JSON.parse(body.body) as unknown;
  });
  return Promise.all(bodies);
}

test("a tool that the provider refuses is left out for the rest of the turn, and the model and the run are told", async () => {
  const { id, sent } = await finishedRun("Be strict.");
  expect(sent.map(({ tools }) => names(tools as object[]).includes("s__find"))).toEqual([true, false, false]);
  const refused = "s__find: The model's provider does not accept its definition, so it is left out.";
  expect(await noteOf(id)).toEqual([heading, expect.stringMatching(missing), refused]);
  expect(JSON.stringify(sent[1])).toContain(refused);
  expect(await rebuilt(id)).toEqual(sent.slice(1));
});

test("what a server says is a fenced part of the system prompt, and a replay sees it and what is missing", async () => {
  const { id, sent } = await finishedRun("Work.");
  expect(systemPrompt(sent[0])).toMatch(
    /^Work\.\n\nThe MCP server s says .*words of the server.*\n```\nALWAYS look first\.\n```$/,
  );
  expect(await noteOf(id)).toEqual([heading, expect.stringMatching(missing)]);
  expect(await rebuilt(id)).toEqual(sent);
  const again = await replayedTurn(service.platform, id, 1);
  expect([again.output, again.requests]).toEqual([
    again.recorded.output,
    [
      ["1.1", true],
      ["1.2", true],
    ],
  ]);
});

test("a trial of other instructions has what the server said, without asking the server", async () => {
  const { agent } = await finishedRun("Work.");
  const { body: current } = await service.call<Schemas["Agent"]>("GET", `/agents/${agent}`);
  const definition = { ...current.definition, instructions: "Work well." };
  const [before, listed] = [model.received.length, received.length];
  const { body: trial } = await service.call<Schemas["Trial"]>("POST", `/agents/${agent}/trials`, {
    body: { definition, last: 10, control: 0, budget: { tokens: 100_000 } },
  });
  const { cases } = await finishedTrial(service, trial.id);
  expect(cases.map(({ verdict }) => verdict)).toEqual(["same"]);
  expect(systemPrompt(model.received[before]?.body)).toMatch(
    /^Work well\.\n\nThe MCP server s says [^]*ALWAYS look first\./,
  );
  expect(received).toHaveLength(listed);
});

test("the agent file can leave out what a server says", async () => {
  const { sent } = await finishedRun("Work.", { tools: ["look"], instructions: false });
  expect(systemPrompt(sent[0])).toBe("Work.");
});

function systemPrompt(body: Record<string, unknown> = {}): unknown {
  return (body["messages"] as { content: string }[])[0]?.content;
}
