import { afterAll, beforeAll, expect, test } from "vitest";
import type { Answerer } from "../../../src/agent/asks.ts";
import { exportRun } from "../../../src/runs/read/export-run.ts";
import type { RunJournalEntry } from "../../../src/runs/run-types.ts";
import { answered, firstMessages, input, newRun, numbered, onTurn } from "../../platform/run-fixtures.ts";
import { createKey } from "../../../src/accounts/keys.ts";
import type { Schemas as ExtSchemas } from "../../../src/ext/call.ts";
import type { Schemas } from "../../../src/manage/call.ts";
import { openapiDocument } from "../../../src/ext/generated/openapi.ts";
import { callTool, connectClient } from "../../support/mcp-clients.ts";
import { restCaller } from "../../support/local-service.ts";
import { type ManageService, manageService } from "../../support/manage-service.ts";
import { responseChecks } from "../../support/rest-contract.ts";

let service: ManageService;
let [named, nameless] = ["", ""];
beforeAll(async () => {
  service = await manageService();
  const { accounts } = service.platform;
  named = (await createKey(accounts, service.templateId, { name: "nightly" })).key;
  nameless = (await createKey(accounts, service.templateId)).key;
});
afterAll(() => service[Symbol.asyncDispose]());

const problemsOf = responseChecks(openapiDocument);
const extCaller = (token: string) => restCaller(service.baseUrl, { basePath: "/ext/v1", token, problemsOf });

const starterOf = async (id: string): Promise<unknown> => {
  const { body } = await service.call<Schemas["RunDetail"]>("GET", `/runs/${id}`);
  const { body: page } = await service.call<Schemas["RunPage"]>("GET", `/runs?q=${id}`);
  expect(page.data[0]?.started_by).toEqual(body.started_by);
  return body.started_by;
};

test("the key of a program is shown by its name, to operators with its id, to programs without", async () => {
  const call = extCaller(named);
  const { body: run } = await call<ExtSchemas["Run"]>("POST", "/runs", { body: { name: "n" } });
  expect(run.started_by).toEqual({ kind: "key", name: "nightly" });
  expect(await starterOf(run.id)).toEqual({
    kind: "key",
    id: expect.stringMatching(/^[0-9a-f]{64}$/),
    name: "nightly",
  });
});

test("v1 records the key, too; one without a name is shown to operators alone, by its first characters", async () => {
  const body = JSON.stringify({ name: "n", template_id: service.templateId });
  const headers = { authorization: `Bearer ${nameless}`, "content-type": "application/json" };
  const created = await fetch(`${service.baseUrl}/v1/agents`, { method: "POST", headers, body });
  const { agent_id: id } = (await created.json()) as { agent_id: string };
  expect(await starterOf(id)).toMatchObject({ kind: "key", name: nameless.slice(0, 9) });
  const other = await extCaller(named)<ExtSchemas["Run"]>("GET", `/runs/${id}`);
  expect(other.body.started_by).toEqual({ kind: "key", name: null });
  const v1 = await fetch(`${service.baseUrl}/v1/agents/${id}`, { headers });
  expect(Object.keys((await v1.json()) as object)).toEqual(["agent_id", "loop_status", "transcript"]);
});

test("an operator is shown by name, and to programs as an operator", async () => {
  const { body: run } = await service.call<Schemas["Run"]>("POST", "/runs", {
    body: { agent_id: service.templateId, name: "n" },
  });
  expect(run.started_by).toEqual({ kind: "operator", id: expect.stringMatching(/^Op \(ao_/), name: "Op" });
  const { body } = await extCaller(named)<ExtSchemas["Run"]>("GET", `/runs/${run.id}`);
  expect(body.started_by).toEqual({ kind: "operator", name: null });
});

test("an MCP client is shown with the name of its key, and each further input says how it came", async () => {
  const client = await connectClient({ baseUrl: service.baseUrl, apiKey: named }, "auto");
  const { structured } = await callTool(client, "start_run", { name: "m", input_text: "Hi.\ndemo: steps=3 delay=200" });
  const id = String(structured["run_id"]);
  expect(await starterOf(id)).toMatchObject({ kind: "mcp", name: "nightly" });
  await callTool(client, "send_input", { run_id: id, input_text: "queued\ndemo: steps=1 delay=1" });
  const state = async () => (await service.call<Schemas["RunDetail"]>("GET", `/runs/${id}`)).body;
  const finished = async (turn: number) => {
    await expect.poll(state, { interval: 20, timeout: 25_000 }).toMatchObject({ state: "finished", turn });
  };
  await finished(2);
  const input_text = "third\ndemo: steps=1 delay=1";
  await service.call("POST", `/runs/${id}/input`, { body: { input_text } });
  await finished(3);
  await extCaller(nameless)("POST", `/runs/${id}/input`, { body: { input_text } });
  await finished(4);
  const { body } = await service.call<Schemas["EventPage"]>("GET", `/runs/${id}/events`);
  const inputs = body.data.flatMap((event) => (event.type === "input" ? [event.started_by] : []));
  expect(inputs).toEqual([null, "mcp", "operator", "key"]);
  await client.close();
});

const namesIn = ({ data }: Schemas["EventPage"]) =>
  data.flatMap((event) => (event.type === "call_answered" ? event.answered_by_name : []));

test("who answered a call is named to operators; to programs, keys alone are; an export has no hash of a key", async () => {
  const { runs, accounts } = service.platform;
  const { organizationId = "" } = (await accounts.findAgent(service.templateId)) ?? {};
  const run = newRun({ agentId: service.templateId, organizationId });
  const { stored } = await createKey(accounts, service.templateId, { name: "desk" });
  const key = stored.hash;
  await runs.create(run, firstMessages(input(1, "first")));
  const by: Answerer[] = [
    { kind: "operator", id: "mira (ao_4fK2x9)" },
    { kind: "key", id: key },
  ];
  const entries = by.map((each, call): RunJournalEntry => {
    return { turn: 1, step: 1, part: "answered", call, answer: { kind: "allow" }, by: each };
  });
  const set = { status: "running", turn: 1, updatedAt: Date.now() } as const;
  await runs.change({ ...onTurn(run), set, ...numbered(1, { entries: [answered(1, 1), ...entries] }) });
  const page = await service.call<Schemas["EventPage"]>("GET", `/runs/${run.id}/events`);
  expect(namesIn(page.body)).toEqual(["mira", "desk"]);
  const one = await service.call<Schemas["Event"]>("GET", `/runs/${run.id}/events/3`);
  expect(one.body).toMatchObject({ answered_by: "operator", answered_by_name: "mira" });
  const forPrograms = await extCaller(named)<ExtSchemas["EventPage"]>("GET", `/runs/${run.id}/events`);
  expect(namesIn(forPrograms.body)).toEqual([null, "desk"]);

  const lines: string[] = [];
  for await (const { content } of exportRun({ ...service.platform }, run.id, "run/")) {
    lines.push(Buffer.from(content).toString());
  }
  const exported = lines.join("\n");
  expect(exported).toContain(`"by":{"kind":"key","id":"${key.slice(0, 8)}"}`);
  expect(exported).not.toContain(key);
});
