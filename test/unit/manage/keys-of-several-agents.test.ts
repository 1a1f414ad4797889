import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createAgent, setAgentStatus } from "../../../src/accounts/agents/agents.ts";
import { createKey } from "../../../src/accounts/keys.ts";
import { createOrganization } from "../../../src/accounts/organizations.ts";
import { openapiDocument } from "../../../src/ext/generated/openapi.ts";
import { restCaller } from "../../support/local-service.ts";
import { callTool, connectClient } from "../../support/mcp-clients.ts";
import { manageService, type ManageService } from "../../support/manage-service.ts";
import { responseChecks } from "../../support/rest-contract.ts";

const definition = {
  name: "Further agent",
  instructions: "Work.",
  tools: [],
  limits: { steps: 10, tokens: 100_000, seconds: 60 },
};
const problemsOf = responseChecks(openapiDocument);

let service: ManageService;
let organizationId: string;
beforeAll(async () => {
  service = await manageService();
  organizationId = (await service.platform.accounts.findAgent(service.templateId))?.organizationId ?? "";
});
afterAll(() => service[Symbol.asyncDispose]());

const newAgent = async (owner = organizationId) => (await createAgent(service.platform.accounts, owner, definition)).id;

/** A new key of a new agent and of further ones, with callers of the APIs of programs. */
async function keyOf(more: number) {
  const [first = "", ...moreAgents] = await Promise.all(Array.from({ length: 1 + more }, () => newAgent()));
  const body = { name: "several", more_agent_ids: moreAgents };
  const created = await service.call("POST", `/agents/${first}/keys`, { body });
  expect(created.status).toBe(201);
  const key = String(created.body["key"]);
  const headers = { "x-api-key": key, "content-type": "application/json" };
  const v1 = async (method: string, path: string, sent?: object) => {
    const response = await fetch(`${service.baseUrl}/v1${path}`, {
      method,
      headers,
      ...(sent && { body: JSON.stringify(sent) }),
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  const ext = restCaller(service.baseUrl, { basePath: "/ext/v1", token: key, problemsOf });
  const start = (template_id: string) => v1("POST", "/agents", { name: "Run", template_id });
  return { first, moreAgents, created: created.body, key, v1, ext, start };
}

test("v1 creates and reads the runs of each agent of the key, and of no other", async () => {
  const { first, moreAgents, v1, start } = await keyOf(2);
  for (const agentId of [first, ...moreAgents]) {
    const { status, body } = await start(agentId);
    expect(status).toBe(201);
    const run = await service.platform.runs.head(String(body["agent_id"]));
    expect(run?.agentId).toBe(agentId);
    expect((await v1("GET", `/agents/${run?.id}`)).status).toBe(200);
  }
  const refused = { status: 403, body: { detail: "API key is not valid for the requested template" } };
  for (const agentId of [service.templateId, randomUUID()]) expect(await start(agentId)).toEqual(refused);
  const strange = await service.call("POST", "/runs", { body: { agent_id: service.templateId, name: "n" } });
  expect((await v1("GET", `/agents/${String(strange.body["id"])}`)).status).toBe(404);
});

test("the extension API chooses an agent for a create, an upload and what is accepted, and lists all or one", async () => {
  const { first, moreAgents, ext } = await keyOf(1);
  const [second = ""] = moreAgents;
  const create = async (more: object) => (await ext("POST", "/runs", { body: { name: "n", ...more } })).body;
  expect(await create({})).toMatchObject({ template_id: first });
  const run = await create({ template_id: second });
  expect(run).toMatchObject({ template_id: second });
  const listed = async (query: string) =>
    ((await ext<{ data: { template_id: string }[] }>("GET", `/runs${query}`)).body.data ?? [])
      .map(({ template_id }) => template_id)
      .toSorted();
  expect(await listed("")).toEqual([first, second].toSorted());
  expect(await listed(`?template_id=${second}`)).toEqual([second]);
  expect((await ext("GET", "/agent")).body).toMatchObject({ id: first, key_agents: [first, second] });
  expect((await ext("GET", `/agent?template_id=${second}`)).body).toMatchObject({ id: second });
  expect((await ext("DELETE", `/runs/${String(run["id"])}`)).body).toMatchObject({ code: "delete_not_allowed" });

  const content = Buffer.from("text");
  const sha256 = "982d9e3eb996f559e633f4d194def3761d909f5a3b647d1a851fead67c32c9d1";
  const upload = { filename: "a.txt", size: content.length, sha256, template_id: second };
  const { body: sent } = await ext("POST", "/uploads", { body: upload });
  const headers = { authorization: `Bearer ${(await keyOf(0)).key}` };
  const put = (sentBy: { authorization: string }) =>
    fetch(`${service.baseUrl}${String(sent["url"])}`, { method: "PUT", headers: sentBy, body: content });
  expect((await put(headers)).status).toBe(422);

  const uploads = [sent["upload_id"]];
  expect(await create({ uploads })).toMatchObject({ code: "upload_not_found" });
  expect(await create({ uploads, template_id: second })).toMatchObject({ code: "upload_incomplete" });
  const other = { template_id: service.templateId };
  const refused = { status: 403, body: { code: "template_mismatch" } };
  expect(await ext("POST", "/runs", { body: { name: "n", ...other } })).toMatchObject(refused);
  expect(await ext("POST", "/uploads", { body: { ...upload, ...other } })).toMatchObject(refused);
  for (const path of ["/runs", "/agent"]) {
    expect(await ext("GET", `${path}?template_id=${service.templateId}`)).toMatchObject(refused);
  }
});

test("an upload is received for each agent of the key, and named by creates of its agent", async () => {
  const { moreAgents, ext, key } = await keyOf(1);
  const content = Buffer.from("text");
  const sha256 = "982d9e3eb996f559e633f4d194def3761d909f5a3b647d1a851fead67c32c9d1";
  const upload = { filename: "a.txt", size: content.length, sha256, template_id: moreAgents[0] };
  const { body: sent } = await ext("POST", "/uploads", { body: upload });
  const put = { method: "PUT", headers: { authorization: `Bearer ${key}` }, body: content };
  expect((await fetch(`${service.baseUrl}${String(sent["url"])}`, put)).status).toBe(204);
  const body = { name: "n", template_id: moreAgents[0], uploads: [sent["upload_id"]] };
  expect((await ext("POST", "/runs", { body })).status).toBe(201);
});

test("an idempotency key is of one agent", async () => {
  const { first, moreAgents, ext } = await keyOf(1);
  const create = async (template_id: string | undefined) => {
    const body = { name: "n", template_id };
    return (await ext("POST", "/runs", { body, headers: { "idempotency-key": "same" } })).body["id"];
  };
  const ids = [await create(first), await create(moreAgents[0]), await create(first), await create(moreAgents[0])];
  expect(ids.slice(2)).toEqual(ids.slice(0, 2));
  expect(new Set(ids).size).toBe(2);
});

test("an agent that is archived or deleted is refused, and the key serves the others until the last is deleted", async () => {
  const { first, moreAgents, v1, ext, start, created } = await keyOf(1);
  const [second = ""] = moreAgents;
  const ids = [String((await start(first)).body["agent_id"]), String((await start(second)).body["agent_id"])] as const;
  await service.call("POST", `/agents/${first}/archive`);
  expect((await start(first)).status).toBe(409);
  expect((await start(second)).status).toBe(201);
  expect((await v1("GET", `/agents/${ids[0]}`)).status).toBe(200);

  await service.call("DELETE", `/agents/${first}`);
  const gone = await start(first);
  expect(gone).toEqual({ status: 404, body: { detail: "Agent template not found" } });
  expect((await v1("GET", `/agents/${ids[0]}`)).status).toBe(404);
  expect(await ext("POST", "/runs", { body: { name: "n" } })).toMatchObject({ body: { code: "agent_deleted" } });
  expect((await ext("GET", `/agent?template_id=${first}`)).body).toMatchObject({ code: "agent_deleted" });
  expect((await ext("GET", "/agent")).body).toMatchObject({ id: second, key_agents: [second] });
  expect((await start(second)).status).toBe(201);
  const { body: page } = await ext<{ data: object[] }>("GET", "/runs");
  expect(page.data).toHaveLength(3);
  const path = `/keys/${String(created["id"])}`;
  expect((await service.call("POST", `${path}/disable`)).body).toMatchObject({ enabled: false });
  expect((await service.call("POST", `${path}/enable`)).body).toMatchObject({ enabled: true });

  await service.call("DELETE", `/agents/${second}`);
  expect(await start(second)).toEqual(gone);
  expect((await v1("GET", `/agents/${ids[1]}`)).status).toBe(401);
  expect((await service.call("POST", `${path}/enable`)).body).toMatchObject({ code: "agent_deleted" });
});

test("an MCP address serves one agent of the key", async () => {
  const { moreAgents, key } = await keyOf(1);
  const endpoint = { baseUrl: service.baseUrl, apiKey: key };
  const started = async (query: string) => {
    const client = await connectClient(endpoint, "auto", query);
    const { structured } = await callTool(client, "start_run", { name: "n", input_text: "Work." });
    return { client, run_id: String(structured["run_id"]) };
  };
  const [one, other] = [await started(""), await started(`?agent=${moreAgents[0]}`)];
  expect((await service.platform.runs.head(other.run_id))?.agentId).toBe(moreAgents[0]);
  const { run_id } = other;
  expect((await callTool(other.client, "get_run", { run_id })).structured).toMatchObject({ run_id });
  expect((await callTool(one.client, "get_run", { run_id })).text).toContain("does not exist");
  await Promise.all([one.client.close(), other.client.close()]);
  const refusals = [
    [`agent=${service.templateId}`, 403, "API key is not valid for the requested template"],
    ["agent=x", 400, 'agent is "x"; expected the id of an agent of the key'],
  ] as const;
  for (const [query, status, message] of refusals) {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const response = await fetch(`${service.baseUrl}/mcp?${query}`, { method: "POST", headers, body: "{}" });
    expect([response.status, await response.text()]).toEqual([
      status,
      expect.stringContaining(JSON.stringify(message).slice(1, -1)),
    ]);
  }
});

test("the management API lists a key at each of its agents, and refuses further agents that cannot be used", async () => {
  const { first, moreAgents, created } = await keyOf(2);
  const { key: _key, ...shown } = created;
  expect(shown).toMatchObject({ agent_id: first, more_agent_ids: moreAgents });
  for (const agentId of [first, ...moreAgents]) {
    expect((await service.call("GET", `/agents/${agentId}/keys`)).body).toEqual({ data: [shown], next: null });
  }
  const { id: foreign } = await createOrganization(service.platform.accounts, { name: "Foreign" });
  const [strange, deleted] = [await newAgent(foreign), await newAgent()];
  await setAgentStatus(service.platform.accounts, deleted, "deleted");
  const refused = async (more_agent_ids: string[]) =>
    (await service.call("POST", `/agents/${first}/keys`, { body: { more_agent_ids } })).body;
  for (const id of [strange, randomUUID()]) {
    const detail = `the organization of agent ${first} has no agent "${id}"`;
    expect(await refused([id])).toMatchObject({ code: "agent_not_found", detail });
  }
  expect(await refused([deleted])).toMatchObject({ code: "agent_deleted" });
  expect(await refused([first])).toMatchObject({ code: "invalid_argument" });
  expect(await refused(Array.from({ length: 20 }, () => randomUUID()))).toMatchObject({ code: "invalid_request" });
  const many = Array.from({ length: 20 }, () => randomUUID());
  await expect(createKey(service.platform.accounts, first, { moreAgents: many })).rejects.toThrow("at most 20 agents");
});
