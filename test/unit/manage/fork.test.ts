import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { chatServer, type Message, scripted } from "../../providers/chat-completions-server.ts";
import type { Received } from "../../providers/model-server.ts";
import { type ManageService, manageService, untilIdle } from "../../support/manage-service.ts";
import type { Schemas } from "../../../src/manage/schema-types.ts";

let model: Awaited<ReturnType<typeof chatServer>>;
let service: ManageService;
let agentId: string;
let sourceId: string;
/** Requests of the source, in order. */
let recorded: Received[];

/** In each turn, writes a file, reads it, and answers with what it read. */
const works = scripted(({ input, results }) => {
  if (results.length === 0) return { calls: [["write_file", { name: "note.txt", content: input }]] };
  if (results.length === 1) return { calls: [["read_file", { name: "note.txt" }]] };
  return { text: `Read: ${results[1]}` };
});

const definition = {
  name: "Noter",
  instructions: "Take notes.",
  tools: ["read_file", "write_file"],
  limits: { steps: 10, tokens: 100_000, seconds: 60 },
  prices: { input: 1, output: 10 },
};

beforeAll(async () => {
  model = await chatServer(...Array.from({ length: 200 }, () => works));
  service = await manageService({
    model: { provider: "openai-compatible", enabled: true, baseUrl: model.baseUrl, model: "m" },
  });
  const { body: starter } = await service.call<Schemas["Agent"]>("GET", `/agents/${service.templateId}`);
  const owned = { organization_id: starter.organization_id, definition };
  agentId = (await service.call<Schemas["Agent"]>("POST", "/agents", { body: owned })).body.id;
  const first = { agent_id: agentId, name: "Notes", input_text: "One" };
  sourceId = (await service.call<Schemas["CreatedRun"]>("POST", "/runs", { body: first })).body.id;
  await idle(sourceId);
  await service.call("POST", `/runs/${sourceId}/input`, { body: { input_text: "Two" } });
  await idle(sourceId);
  recorded = [...model.received];
});

afterAll(async () => {
  await service[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
});

const idle = (id: string) => untilIdle(service, id);

async function eventsOf(id: string): Promise<Schemas["Event"][]> {
  return (await service.call<Schemas["EventPage"]>("GET", `/runs/${id}/events?limit=200`)).body.data;
}

/** Forks the source and waits. `requests`: those that the fork sent. */
async function forked(body: object): Promise<{ run: Schemas["RunDetail"]; requests: Received[] }> {
  const before = model.received.length;
  const created = await service.call<Schemas["Run"]>("POST", `/runs/${sourceId}/fork`, { body });
  expect(created.status).toBe(201);
  return { run: await idle(created.body.id), requests: model.received.slice(before) };
}

async function refused(body: object, status: number, detail: string): Promise<void> {
  const answer = await service.call<{ detail: string }>("POST", `/runs/${sourceId}/fork`, { body });
  expect([answer.status, answer.body.detail]).toEqual([status, expect.stringContaining(detail)]);
}

describe("a fork", () => {
  test("without changes asks the model for what the run asked next, byte for byte, and ends the same", async () => {
    const before = await eventsOf(sourceId);
    for (const [at, next] of [
      ["1.1", 1],
      ["1.2", 2],
      ["2.1", 4],
    ] as const) {
      const { run, requests } = await forked({ at });
      expect(requests.map(({ text }) => text)).toEqual(recorded.slice(next, next < 3 ? 3 : 6).map(({ text }) => text));
      expect(run).toMatchObject({ name: "Fork of Notes", status: "finished", agent_id: agentId });
      const origin = (await eventsOf(run.id)).filter(({ type }) => type === "forked");
      expect(run.turn_started_at).toBe(origin[0]?.at); // the seconds of the turn begin again
      expect(origin).toMatchObject([{ type: "forked", from_run: sourceId, step: Number(at.slice(2)) }]);
    }
    expect(await eventsOf(sourceId)).toEqual(before);
  });

  test("counts what it spends itself, and has the files as they were and as it changes them", async () => {
    const { run } = await forked({ at: "2.2" });
    const source = await idle(sourceId);
    expect(source.usage.steps).toBe(6);
    expect(run.usage.steps).toBe(1);
    const files = await service.call<Schemas["RunFilePage"]>("GET", `/runs/${run.id}/files?at=1.3`);
    expect(files.body.data).toMatchObject([{ name: "note.txt", size: 3 }]);
  });

  test("of a turn's beginning can have another input", async () => {
    const { run, requests } = await forked({ at: "2.0", input_text: "Three", name: "Other" });
    expect(run.name).toBe("Other");
    expect(requests).toHaveLength(3);
    const sent = JSON.parse(requests[0]?.text ?? "") as { messages: Message[] };
    expect(sent.messages.at(-1)?.content).toContain("Three");
    const output = (await eventsOf(run.id)).findLast(({ type }) => type === "output");
    expect(output).toMatchObject({ text: expect.stringContaining("Three") });
  });

  test("sends changed instructions and another model, whose prices are not known", async () => {
    const { run, requests } = await forked({ at: "1.1", instructions: "Be brief.", model: "other" });
    const sent = JSON.parse(requests[0]?.text ?? "") as { model: string; messages: Message[] };
    expect([sent.model, sent.messages[0]?.content]).toEqual(["other", expect.stringContaining("Be brief.")]);
    const unchanged = JSON.parse(recorded[1]?.text ?? "") as { messages: Message[] };
    expect(sent.messages.slice(1)).toEqual(unchanged.messages.slice(1));
    expect(run.status).toBe("finished");
  });

  test("runs on a draft or a version of the agent", async () => {
    const draft = await forked({ at: "1.1", definition: { ...definition, tools: ["read_file"] } });
    const sent = JSON.parse(draft.requests[0]?.text ?? "") as { tools: { function: { name: string } }[] };
    expect(sent.tools.map((tool) => tool.function.name)).toEqual(["read_file"]);
    expect((await forked({ at: "1.1", version: 1 })).run.status).toBe("finished");
  });

  test("sees another result of a call", async () => {
    const { run, requests } = await forked({ at: "1.2", results: [{ call: 0, text: "Something else." }] });
    expect(requests).toHaveLength(1);
    expect(requests[0]?.text).toContain("Something else.");
    const output = (await eventsOf(run.id)).findLast(({ type }) => type === "output");
    expect(output).toMatchObject({ text: "Read: Something else." });
  });

  test("is a normal run for programs with a key of the agent", async () => {
    const { run } = await forked({ at: "2.1" });
    const { body } = await service.call<Schemas["CreatedKey"]>("POST", `/agents/${agentId}/keys`, { body: {} });
    const headers = { authorization: `Bearer ${body.key}` };
    const v1 = await fetch(`${service.baseUrl}/v1/agents/${run.id}`, { headers });
    expect(await v1.json()).toMatchObject({ loop_status: "finished" });
    const ext = await fetch(`${service.baseUrl}/ext/v1/runs/${run.id}/events?limit=200`, { headers });
    const { data } = (await ext.json()) as { data: { type: string }[] };
    expect(data.map(({ type }) => type)).toContain("forked");
    await service.call("POST", `/runs/${run.id}/input`, { body: { input_text: "Four" } });
    expect((await idle(run.id)).turn).toBe(3);
  });

  test("is refused with what to do instead", async () => {
    await refused({ at: "1.3" }, 422, "send the run an input, or fork it at an earlier step, such as 1.2");
    await refused({ at: "1.9" }, 404, "turn 1 has 3 steps");
    await refused({ at: "1.1", version: 1, model: "m" }, 422, "cannot be combined");
    await refused(
      {
        at: "1.1",
        definition: { ...definition, limits: { steps: 1, tokens: 1, seconds: 1, dollars: 1 }, prices: undefined },
      },
      422,
      "prices is missing",
    );
    await refused({ at: "1.1", input_text: "x" }, 422, "1.0");
  });
});
