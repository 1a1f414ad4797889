import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { defaultTools } from "../../../src/agent/tools/definitions.ts";
import type { Call, Schemas } from "../../../src/manage/call.ts";
import type { ManageDeps } from "../../../src/manage/deps.ts";
import { agentHandlers } from "../../../src/manage/handlers/agents.ts";
import { type ManageService, manageService } from "../../support/manage-service.ts";

let service: ManageService;
let organizationId: string;
beforeAll(async () => {
  service = await manageService({ allowedSecrets: [{ secret: "env:TEAM_KEY" }] });
  const { body } = await service.call<Schemas["Organization"]>("POST", "/organizations", { body: { name: "O" } });
  organizationId = body.id;
});
afterAll(() => service[Symbol.asyncDispose]());

type Agent = Schemas["Agent"];
const missing = "00000000-0000-4000-8000-000000000001";
const definition = { name: "Reader", instructions: "Read." };

const create = (body: object) => service.call<Agent>("POST", "/agents", { body });
const newAgent = async (fields: object = {}) =>
  (await create({ organization_id: organizationId, definition: { ...definition, ...fields } })).body;
const update = (id: string, fields: object, headers: Record<string, string> = {}) =>
  service.call("PUT", `/agents/${id}`, { body: { definition: { ...definition, ...fields } }, headers });

const withHeaders = (headers: object) => ({ mcp: [{ name: "team", url: "https://mcp.example/", headers }] });

const throttled = () => Promise.reject(new Error("ThrottlingException"));

describe("agents", () => {
  test("one is created with the defaults of agent files", async () => {
    const { status, headers, body } = await create({
      organization_id: organizationId.toUpperCase(),
      definition: { $schema: "../agent.schema.json", ...definition },
    });
    expect([status, headers.get("etag")]).toEqual([201, '"0"']);
    const limits = { steps: 50, tokens: 500_000, seconds: 1_800 };
    expect(body).toMatchObject({ organization_id: organizationId, name: "Reader", status: "active", version: 1 });
    expect(body.definition).toEqual({ ...definition, tools: defaultTools, limits });
    expect(body.warnings).toEqual([
      "The organization has no inference model configured; configure one to create runs.",
    ]);
    const read = await service.call("GET", `/agents/${body.id}`);
    expect([read.body, read.headers.get("etag")]).toEqual([body, '"0"']);
    const { body: audit } = await service.call<Schemas["AuditPage"]>("GET", "/audit?limit=1");
    expect(audit.data).toMatchObject([{ action: "agent.create", id: body.id, version: 1 }]);
  });

  test("agents are listed by name and filtered", async () => {
    const [b, a] = [await newAgent({ name: "b", model: "own" }), await newAgent({ name: "A" })];
    await service.call("POST", `/agents/${a.id}/archive`);
    const list = async (query: string) =>
      (await service.call<Schemas["AgentSummaryPage"]>("GET", `/agents?${query}`)).body;
    const active = await list(`organization_id=${organizationId}&status=active`);
    expect(active.data.map(({ id }) => id)).toContain(b.id);
    expect(active.data.map(({ id }) => id)).not.toContain(a.id);
    expect(active.data.find(({ id }) => id === b.id)).toMatchObject({ model: "own" });
    expect((await list("status=archived")).data).toMatchObject([{ id: a.id, name: "A", model: null }]);
    const all = await list("limit=2");
    const rest = await list(`cursor=${all.next}`);
    const names = [...all.data, ...rest.data].map(({ name }) => name.toLowerCase());
    expect(names).toEqual(names.toSorted());
    expect(all.data).toHaveLength(2);
  });

  test("an update makes a version, and the same definition makes none", async () => {
    const { id } = await newAgent();
    expect((await update(id, { instructions: "Read twice." })).body).toMatchObject({ version: 2, revision: 1 });
    expect((await update(id, { instructions: "Read twice." })).body).toMatchObject({ version: 2, revision: 1 });
    const { body } = await service.call<Schemas["AgentVersionHeadPage"]>("GET", `/agents/${id}/versions?limit=5`);
    expect(body.data.map(({ version }) => version)).toEqual([2, 1]);
    const { body: first } = await service.call("GET", `/agents/${id}/versions/1`);
    expect(first).toMatchObject({ version: 1, hash: body.data[1]?.hash, definition });
    const unknown = await service.call("GET", `/agents/${id}/versions/3`);
    expect([unknown.status, unknown.body["code"]]).toEqual([404, "version_not_found"]);
  });

  test("If-Match protects the change of another operator", async () => {
    const { id } = await newAgent();
    const changed = await update(id, { instructions: "Mine." }, { "if-match": '"0"' });
    expect([changed.status, changed.headers.get("etag")]).toEqual([200, '"1"']);
    const late = await update(id, { instructions: "Yours." }, { "if-match": '"0"' });
    expect([late.status, late.body["code"]]).toEqual([412, "modified"]);
    expect((await service.call("GET", `/agents/${id}`)).body).toMatchObject({ definition: { instructions: "Mine." } });
    expect((await update(id, { instructions: "Any." }, { "if-match": "*" })).status).toBe(200);
    const compressed = await update(id, { instructions: "Mine again." }, { "if-match": 'W/"2"' });
    expect([compressed.status, compressed.headers.get("etag")]).toEqual([200, '"3"']);
    const wrong = await update(id, {}, { "if-match": "1" });
    expect(wrong.body).toMatchObject({ code: "invalid_request", detail: [{ loc: ["header", "If-Match"] }] });
  });

  test("an agent is archived, unarchived and deleted for good", async () => {
    const { id } = await newAgent();
    const post = (verb: string) => service.call("POST", `/agents/${id}/${verb}`);
    expect((await post("archive")).body).toMatchObject({ status: "archived" });
    expect((await post("unarchive")).body).toMatchObject({ status: "active" });
    for (let time = 0; time < 2; time++) expect((await service.call("DELETE", `/agents/${id}`)).status).toBe(204);
    expect((await service.call("GET", `/agents/${id}`)).body).toMatchObject({ status: "deleted", warnings: [] });
    for (const refused of [
      await post("unarchive"),
      await update(id, {}),
      await service.call("POST", `/agents/${id}/keys`),
    ]) {
      expect([refused.status, refused.body["code"]]).toEqual([409, "agent_deleted"]);
    }
  });

  test.for([
    ["GET", ""],
    ["PUT", ""],
    ["DELETE", ""],
    ["POST", "/archive"],
    ["POST", "/unarchive"],
    ["GET", "/versions"],
    ["GET", "/versions/1"],
    ["GET", "/keys"],
    ["POST", "/keys"],
  ] as const)("%s /agents/{unknown}%s is 404", async ([method, path]) => {
    const body = method === "PUT" ? { definition } : undefined;
    const response = await service.call(method, `/agents/${missing}${path}`, { body });
    expect([response.status, response.body["code"]]).toEqual([404, "agent_not_found"]);
  });
});

describe("definitions", () => {
  test.for([
    [{ name: "" }, [{ loc: ["body", "definition", "name"], type: "string_too_short" }]],
    [{ tools: ["read_file", "read_file"] }, [{ loc: ["body", "definition", "tools"], type: "list_not_unique" }]],
    [{ tools: ["fly"] }, [{ loc: ["body", "definition", "tools", 0], type: "literal_error" }]],
    [{ limits: { steps: 1.5 } }, [{ loc: ["body", "definition", "limits", "steps"], type: "int_type" }]],
    [{ mcp: [{ name: "T", url: "x" }] }, [{ type: "string_pattern_mismatch" }, { type: "string_pattern_mismatch" }]],
    [withHeaders({ "a b": { secret: "env:TEAM_KEY" } }), [{ loc: ["body", "definition", "mcp", 0, "headers", "a b"] }]],
    [withHeaders({ Authorization: "Bearer sk-pasted" }), [{ type: "model_attributes_type" }]],
    [{ webFetch: { privateAddresses: "yes" } }, [{ type: "bool_type" }]],
    [{ webFetch: { hosts: ["https://example.com"] } }, [{ type: "string_pattern_mismatch" }]],
    [{ webFetch: { hosts: ["*.*.example.com"] } }, [{ type: "string_pattern_mismatch" }]],
    [{ prices: { input: -1 } }, [{ type: "missing" }, { type: "greater_than_equal" }]],
    [{ fallback: {} }, [{ loc: ["body", "definition", "fallback"], type: "too_short" }]],
    [{ colour: "red" }, [{ loc: ["body", "definition", "colour"], type: "extra_forbidden" }]],
    [{ limits: { dollars: 1 } }, "prices is missing; limits.dollars requires it"],
    [withHeaders({ Authorization: { secret: "sk-pasted" } }), "on one machine, a secret is env:NAME or file:PATH."],
    [withHeaders({ Authorization: { secret: "env:OTHER" } }), "start it with this option first"],
    // A provider's key must not go to an MCP server.
    [withHeaders({ Authorization: { secret: "env:OPENAI_API_KEY" } }), "--allow-secret OPENAI_API_KEY"],
  ] as const)("%j is 422", async ([fields, expected]) => {
    const { id } = await newAgent();
    const responses = [
      await create({ organization_id: organizationId, definition: { ...definition, ...fields } }),
      await update(id, fields),
    ];
    for (const { status, body } of responses) {
      expect(status).toBe(422);
      const { detail } = body as Schemas["Error"];
      if (typeof expected === "string") expect(detail).toContain(expected);
      else expect(detail).toMatchObject(expected);
      expect(JSON.stringify(body)).not.toContain("sk-pasted");
    }
  });

  test("the secret of a header is a location, and a stored one that is not is hidden", async () => {
    const headers = { Authorization: { secret: "env:TEAM_KEY", prefix: "Bearer " } };
    const agent = await newAgent(withHeaders(headers));
    expect(agent.definition.mcp).toMatchObject([{ headers }]);
    const stored = await service.platform.accounts.findAgent(agent.id);
    if (!stored) throw new Error("no agent");
    const pasted = [{ name: "team", url: "https://mcp.example/", headers: { Authorization: { secret: "sk-pasted" } } }];
    await service.platform.accounts.replaceAgent({ ...stored, mcp: pasted });
    const { body } = await service.call<Agent>("GET", `/agents/${agent.id}`);
    expect(JSON.stringify(body)).not.toContain("sk-pasted");
    expect(body.warnings.join(" ")).toContain("the secret of the header Authorization of the MCP server team");
    expect((await update(agent.id, body.definition)).status).toBe(422);
  });

  test("a secret that cannot be checked after a change is a warning", async () => {
    const { id } = await newAgent(withHeaders({ Authorization: { secret: "env:TEAM_KEY" } }));
    const deps = {
      accounts: service.platform.accounts,
      secretProblem: throttled,
      service: {},
    } as unknown as ManageDeps;
    const call = { path: { agent_id: id }, principal: { actor: "op" } } as unknown as Call<"archive_agent">;
    const answer = await agentHandlers(deps).archive_agent(call);
    expect(JSON.stringify(answer)).toContain("the secret could not be checked");
  });
});

describe("keys", () => {
  test("a key is shown once, creates runs, and can be disabled and enabled", async () => {
    await service.call("PUT", `/organizations/${organizationId}/model`, { body: { provider: "demo" } });
    const { id } = await newAgent();
    const created = await service.call<Schemas["CreatedKey"]>("POST", `/agents/${id}/keys`, { body: { name: "CI" } });
    expect(created.status).toBe(201);
    const { key, ...stored } = created.body;
    expect(stored).toMatchObject({ agent_id: id, name: "CI", enabled: true, last_used_at: null });
    const list = async () => (await service.call<Schemas["KeyPage"]>("GET", `/agents/${id}/keys`)).body.data;
    expect(await list()).toEqual([stored]);
    const run = async () => {
      const response = await fetch(`${service.baseUrl}/v1/agents`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: JSON.stringify({ name: "r", template_id: id }),
      });
      return response.status;
    };
    expect(await run()).toBe(201);
    expect((await service.call("POST", `/keys/${stored.id}/disable`)).body).toMatchObject({ enabled: false });
    expect(await run()).toBe(401);
    expect((await service.call("POST", `/keys/${stored.id}/enable`)).body).toMatchObject({ enabled: true });
    expect(await run()).toBe(201);
    expect((await list())[0]?.last_used_at).not.toBeNull();
    const { body: audit } = await service.call<Schemas["AuditPage"]>("GET", "/audit?limit=3");
    expect(audit.data.map(({ action }) => action)).toEqual(["key.enable", "key.disable", "key.create"]);
  });

  test("a name is optional", async () => {
    const { id } = await newAgent();
    for (const body of [undefined, {}, { name: null }]) {
      expect((await service.call("POST", `/agents/${id}/keys`, { body })).body).toMatchObject({ name: null });
    }
    const blank = await service.call("POST", `/agents/${id}/keys`, { body: { name: " " } });
    expect(blank.body).toEqual({ detail: "the key's name is blank", code: "invalid_argument" });
  });

  test.for(["disable", "enable"])("an unknown key cannot be changed: %s", async (verb) => {
    const unknown = await service.call("POST", `/keys/${"a".repeat(64)}/${verb}`);
    expect([unknown.status, unknown.body["code"]]).toEqual([404, "key_not_found"]);
    expect((await service.call("POST", `/keys/ak_0/${verb}`)).status).toBe(422);
  });
});
