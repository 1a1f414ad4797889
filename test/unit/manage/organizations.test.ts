import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { setModel as storeModel } from "../../../src/accounts/organizations.ts";
import type { Accounts } from "../../../src/accounts/account-types.ts";
import type { Call, Schemas } from "../../../src/manage/call.ts";
import type { ManageDeps } from "../../../src/manage/deps.ts";
import { organizationHandlers } from "../../../src/manage/handlers/organizations.ts";
import { httpServer } from "../../support/http-server.ts";
import { type ManageService, manageService } from "../../support/manage-service.ts";

let service: ManageService;
beforeAll(async () => {
  service = await manageService({ allowedSecrets: [{ secret: "env:TEAM_KEY" }, { secret: "env:PATH" }] });
});
afterAll(() => service[Symbol.asyncDispose]());

type Organization = Schemas["Organization"];
const missing = "00000000-0000-4000-8000-000000000001";

async function newOrganization(name = "Research"): Promise<Organization> {
  const { status, body } = await service.call<Organization>("POST", "/organizations", { body: { name } });
  expect(status).toBe(201);
  return body;
}

const setModel = (id: string, body: object) => service.call("PUT", `/organizations/${id}/model`, { body });
const local = { provider: "openai-compatible", base_url: "http://127.0.0.1:9/v1", model: "m", secret: "env:TEAM_KEY" };

const testModel = (id: string, body?: object) =>
  service.call<Schemas["ModelTest"]>("POST", `/organizations/${id}/model/test`, { body });

describe("organizations", () => {
  test("one is created without a model, read and listed by name", async () => {
    const created = await newOrganization("Zoology");
    expect(created).toMatchObject({ name: "Zoology", model: null, max_running: null, max_dollars_per_day: null });
    expect((await service.call("GET", `/organizations/${created.id.toUpperCase()}`)).body).toEqual(created);
    await newOrganization("botany");
    const names: string[] = [];
    for (let cursor: string | null = ""; cursor !== null;) {
      const query: string = cursor === "" ? "" : `&cursor=${cursor}`;
      const page = await service.call<Schemas["OrganizationPage"]>("GET", `/organizations?limit=1${query}`);
      names.push(...page.body.data.map(({ name }) => name));
      cursor = page.body.next;
    }
    expect(names).toEqual(["botany", "Local", "Zoology"]);
  });

  test("its model calls are stopped and resumed, and a second stop keeps the time of the first", async () => {
    const { id } = await newOrganization("Runaway");
    const set = (body: object) => service.call<Organization>("PATCH", `/organizations/${id}`, { body });
    const { models_stopped_at: since } = (await set({ models_stopped: true })).body;
    expect(since).toMatch(/^20/);
    expect((await set({ models_stopped: true })).body.models_stopped_at).toBe(since);
    const definition = { name: "Agent", instructions: "i" };
    const agent = await service.call<{ id: string }>("POST", "/agents", { body: { organization_id: id, definition } });
    const created = await service.call("POST", "/runs", { body: { agent_id: agent.body.id, name: "n" } });
    expect(created).toMatchObject({ status: 422, body: { code: "no_model" } });
    expect(JSON.stringify(created.body)).toContain(`stopped at ${since}`);
    expect((await set({ models_stopped: false })).body.models_stopped_at).toBeNull();
  });

  test("one is deleted with its agents, keys and runs, after its name was sent", async () => {
    const { id } = await newOrganization("Short-lived");
    const definition = { name: "Agent", instructions: "i" };
    const agent = await service.call<{ id: string }>("POST", "/agents", { body: { organization_id: id, definition } });
    await service.call("POST", `/agents/${agent.body.id}/keys`, { body: {} });
    const remove = (name: string) => service.call("DELETE", `/organizations/${id}?name=${name}`);
    expect([(await remove("Other")).status, (await remove("")).status]).toEqual([422, 422]);
    expect(await remove("Short-lived")).toMatchObject({ status: 200, body: { complete: true, runs: 0 } });
    for (const path of [`/organizations/${id}`, `/agents/${agent.body.id}`]) {
      expect((await service.call("GET", path)).status).toBe(404);
    }
    const audit = await service.call<{ data: { action: string; id: string }[] }>("GET", "/audit?limit=5");
    const actions = audit.body.data.filter((entry) => entry.id === id).map(({ action }) => action);
    expect(actions).toEqual(["org.deleted", "org.delete", "org.create"]);
  });

  test("a page after the longest name", async () => {
    const path = `/agents?organization_id=${(await newOrganization()).id}`;
    const organization_id = path.slice(-36);
    for (let number = 0; number < 2; number++) {
      const definition = { name: "💥".repeat(200), instructions: "i" };
      expect((await service.call("POST", "/agents", { body: { organization_id, definition } })).status).toBe(201);
    }
    const first = await service.call<Schemas["AgentSummaryPage"]>("GET", `${path}&limit=1`);
    const second = await service.call<Schemas["AgentSummaryPage"]>("GET", `${path}&limit=1&cursor=${first.body.next}`);
    expect(second.body.data).toHaveLength(1);
    expect(second.body.data[0]?.id).not.toBe(first.body.data[0]?.id);
    expect(second.body.next).toBeNull();
  });

  test.for([
    ["GET", `/organizations/${missing}`, undefined],
    ["PATCH", `/organizations/${missing}`, { max_running: 1 }],
    ["PUT", `/organizations/${missing}/model`, { provider: "demo" }],
    ["DELETE", `/organizations/${missing}/model`, undefined],
    ["POST", `/organizations/${missing}/model/test`, undefined],
    ["GET", `/agents?organization_id=${missing}`, undefined],
  ] as const)("%s %s is 404", async ([method, path, body]) => {
    const response = await service.call(method, path, { body });
    expect([response.status, response.body["code"]]).toEqual([404, "organization_not_found"]);
  });

  test.for([
    ["POST", "/organizations", { name: " " }, "invalid_argument"],
    ["POST", "/organizations", {}, "invalid_request"],
    ["GET", "/organizations?cursor=%20", undefined, "invalid_argument"],
    ["GET", "/organizations/abc", undefined, "invalid_request"],
  ] as const)("%s %s %j is 422", async ([method, path, body, code]) => {
    const response = await service.call(method, path, { body });
    expect([response.status, response.body["code"]]).toEqual([422, code]);
  });

  test("the quota is changed field by field", async () => {
    const { id } = await newOrganization();
    const patch = (body: object) => service.call("PATCH", `/organizations/${id}`, { body });
    expect((await patch({ max_running: 5 })).body).toMatchObject({ max_running: 5, max_dollars_per_day: null });
    expect((await patch({ max_dollars_per_day: 2.5 })).body).toMatchObject({
      max_running: 5,
      max_dollars_per_day: 2.5,
    });
    expect((await patch({ max_stored_bytes: 1_000 })).body).toMatchObject({ max_running: 5, max_stored_bytes: 1_000 });
    expect((await patch({ max_stored_bytes: null })).body).toMatchObject({ max_running: 5, max_stored_bytes: null });
    expect((await patch({ max_pending_upload_bytes: 9 })).body).toMatchObject({ max_pending_upload_bytes: 9 });
    expect((await patch({ max_pending_upload_bytes: null })).body).toMatchObject({ max_pending_upload_bytes: null });
    expect((await patch({ max_running: null })).body).toMatchObject({ max_running: null, max_dollars_per_day: 2.5 });
    expect((await patch({})).body).toMatchObject({ code: "invalid_argument" });
    expect((await patch({ max_running: 0 })).body).toMatchObject({ code: "invalid_request" });
    expect((await patch({ max_dollars_per_day: 0 })).body["detail"]).toMatchObject([{ type: "greater_than" }]);
  });

  test("the hosts of web_fetch are replaced as a whole", async () => {
    const { id } = await newOrganization();
    const put = (body: object) => service.call("PUT", `/organizations/${id}/web_fetch`, { body });
    const hosts = ["docs.example.com", "*.example.org"];
    expect((await put({ hosts })).body).toMatchObject({ web_fetch_hosts: hosts });
    expect((await service.call("GET", `/organizations/${id}`)).body).toMatchObject({ web_fetch_hosts: hosts });
    expect((await put({ hosts: ["Example.com"] })).body["detail"]).toMatchObject([{ type: "string_pattern_mismatch" }]);
    expect((await put({})).status).toBe(422);
    expect((await put({ hosts: [] })).body).toMatchObject({ web_fetch_hosts: [] });
    const audit = await service.call<{ data: { action: string; id: string }[] }>("GET", "/audit?limit=2");
    expect(audit.body.data).toMatchObject([1, 2].map(() => ({ action: "org.set-web-fetch", id })));
  });

  test("the policy for tools of MCP servers is set alone or with limits", async () => {
    const { id } = await newOrganization();
    expect((await service.call("GET", `/organizations/${id}`)).body).toMatchObject({ mcp_tool_policy: "allow" });
    const patch = (body: object) => service.call("PATCH", `/organizations/${id}`, { body });
    expect((await patch({ mcp_tool_policy: "ask" })).body).toMatchObject({ mcp_tool_policy: "ask", max_running: null });
    const both = { mcp_tool_policy: "allow", max_running: 2 };
    expect((await patch(both)).body).toMatchObject(both);
    expect((await patch({ max_running: 3 })).body).toMatchObject({ mcp_tool_policy: "allow", max_running: 3 });
    expect((await patch({ mcp_tool_policy: "deny" })).status).toBe(422);
    const audit = await service.call<{ data: { action: string }[] }>("GET", "/audit?limit=4");
    const actions = ["org.set-quota", "org.set-mcp-tools", "org.set-quota", "org.set-mcp-tools"];
    expect(audit.body.data.map(({ action }) => action)).toEqual(actions);
  });

  test("dollars per day require prices", async () => {
    const { body } = await service.call<Schemas["AgentSummaryPage"]>("GET", "/agents");
    const path = `/organizations/${body.data[0]?.organization_id}`;
    const response = await service.call("PATCH", path, { body: { max_dollars_per_day: 1 } });
    expect(response.body["detail"]).toMatch(/^maxDollarsPerDay requires prices/);
  });
});

describe("models", () => {
  test("a model that is set keeps the secret that another operator has just stored", async () => {
    const { id } = await newOrganization();
    await setModel(id, local);
    const { accounts } = service.platform;
    let hasRaced = false;
    const racing: Accounts = {
      ...accounts,
      async replaceOrganization(organization, audit) {
        if (!hasRaced) await setModel(id, { ...local, secret: "env:PATH" });
        hasRaced = true;
        return accounts.replaceOrganization(organization, audit);
      },
    };
    const deps = { accounts: racing, secretProblem: async () => undefined } as unknown as ManageDeps;
    const { secret: _, ...body } = { ...local, model: "other", enabled: true };
    const call = { path: { organization_id: id }, body, principal: { actor: "op" } };
    await organizationHandlers(deps).set_model(call as unknown as Call<"set_model">);
    expect((await service.call("GET", `/organizations/${id}`)).body).toMatchObject({
      model: { model: "other", secret: "env:PATH" },
    });
  });

  test("a model is set, audited and removed", async () => {
    const { id } = await newOrganization();
    const compat = { supportsStreaming: false, toolCallIdLength: 9 };
    const { body } = await setModel(id, { ...local, compat, idle_seconds: 90 });
    const model = { ...local, compat, idle_seconds: 90, enabled: true, region: null };
    expect(body).toMatchObject({ id, model });
    // What was read can be written.
    expect((await setModel(id, model)).body).toMatchObject({ model });
    const { body: audit } = await service.call<Schemas["AuditPage"]>("GET", "/audit?limit=1");
    expect(audit.data).toMatchObject([{ action: "org.set-model", id, actor: expect.stringMatching(/^Op \(ao_/) }]);
    expect((await service.call("DELETE", `/organizations/${id}/model`)).body).toMatchObject({ id, model: null });
  });

  test("a password in a URL that an earlier version stored is not shown", async () => {
    const { id } = await newOrganization();
    const stored = { provider: "openai-compatible", enabled: true, model: "m" } as const;
    await storeModel(service.platform.accounts, id, { ...stored, baseUrl: "http://user:pw@host/v1?key=pw" });
    expect((await service.call("GET", `/organizations/${id}`)).body).toMatchObject({
      model: { base_url: "http://host/v1" },
    });
  });

  test("the stored secret is kept only for the server that it was named for", async () => {
    const { id } = await newOrganization();
    await setModel(id, local);
    const { secret: _, ...withoutSecret } = local;
    expect((await setModel(id, { ...withoutSecret, model: "other" })).body).toMatchObject({
      model: { model: "other", secret: "env:TEAM_KEY" },
    });
    const elsewhere = await setModel(id, { ...withoutSecret, base_url: "https://elsewhere.example/v1" });
    expect([elsewhere.status, elsewhere.body]).toEqual([
      422,
      { detail: expect.stringContaining("Send secret again, or null for none"), code: "invalid_argument" },
    ]);
    const anthropic = await setModel(id, { provider: "anthropic", model: "m" });
    expect(anthropic.body["detail"]).toMatch(/Send secret again$/);
    const tested = await service.call("POST", `/organizations/${id}/model/test`, {
      body: { ...withoutSecret, base_url: "https://elsewhere.example/v1" },
    });
    expect(tested.status).toBe(422);
    expect(
      (await setModel(id, { ...withoutSecret, base_url: "http://127.0.0.1:8/v1", secret: null })).body,
    ).toMatchObject({
      model: { secret: null },
    });
    expect((await setModel(id, { provider: "demo" })).body).toMatchObject({
      model: { provider: "demo", secret: null },
    });
  });

  test.for([
    [{ provider: "mystery" }, "literal_error"],
    [{ provider: "anthropic", model: "m" }, "secret is missing"],
    [{ provider: "demo", model: "m" }, "provider demo does not accept model"],
    [{ ...local, base_url: "ftp://x" }, "base_url is"],
    [{ ...local, secret: "sk-pasted-key" }, "secret must not be the key itself"],
    [{ ...local, secret: "env:NOT_ALLOWED" }, "--allow-secret NOT_ALLOWED"],
    [{ ...local, secret: "file:/etc/passwd" }, "--allow-secret file:/etc/passwd"],
    [{ provider: "bedrock", model: "m", region: "evil.example/" }, "region is"],
    [{ ...local, compat: { toolCallIdLength: 8 } }, "'any' or 9"],
    [{ ...local, idle_seconds: 241 }, "less_than_equal"],
    [{ provider: "demo", idle_seconds: 90 }, "provider demo does not accept idle_seconds"],
    [{ ...local, api_key: "sk-pasted-key" }, "extra_forbidden"],
  ] as const)("%j is 422: %s", async ([settings, text]) => {
    const { id } = await newOrganization();
    const { status, body } = await setModel(id, settings);
    expect(status).toBe(422);
    expect(JSON.stringify(body)).toContain(text);
    expect(JSON.stringify(body)).not.toContain("sk-pasted-key");
  });
});

describe("tests of models", () => {
  test("the demo model answers", async () => {
    const { id } = await newOrganization();
    const { body } = await testModel(id, { provider: "demo" });
    expect(body).toMatchObject({ ok: true, model: null, failure: null, usage: { cached_input_tokens: null } });
    expect(body.text).not.toBe("");
    expect((await service.call("GET", `/organizations/${id}`)).body).toMatchObject({ model: null });
    const { body: audit } = await service.call<Schemas["AuditPage"]>("GET", "/audit?limit=1");
    expect(audit.data).toMatchObject([{ action: "org.test-model", id, actor: expect.stringMatching(/^Op \(ao_/) }]);
  });

  test("without a body, the stored model is called, also a disabled one; without that, the failure says so", async () => {
    const { id } = await newOrganization();
    expect((await testModel(id)).body).toMatchObject({
      ok: false,
      failure: { category: "model_configuration", title: expect.stringContaining("no inference model configured") },
    });
    await setModel(id, { provider: "demo", enabled: false });
    expect((await testModel(id)).body).toMatchObject({ ok: true });
  });

  test("a model server receives one short request; its error is the failure that a run would have", async () => {
    const requests: { authorization: string | undefined; body: Record<string, unknown> }[] = [];
    await using server = await httpServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        const { authorization } = request.headers;
        requests.push({ authorization, body: JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown> });
        response.writeHead(401, { "content-type": "application/json" });
        response.end(JSON.stringify({ error: { message: `Incorrect API key provided: ${authorization}` } }));
      });
    });
    const { id } = await newOrganization();
    const settings = { provider: "openai-compatible", base_url: `${server.url}/v1`, model: "m", secret: "env:PATH" };
    const { body } = await testModel(id, settings);
    expect(body).toMatchObject({ ok: false, model: "m", text: null, usage: null, failure: { retryable: false } });
    expect(requests).toHaveLength(1);
    expect(requests[0]).toMatchObject({ authorization: `Bearer ${process.env["PATH"]}`, body: { model: "m" } });
    expect(JSON.stringify(requests[0]?.body).length).toBeLessThan(500);
    expect(JSON.stringify(body)).not.toContain(process.env["PATH"]);
  });

  test("an unreachable server is a failure", async () => {
    const { id } = await newOrganization();
    const { body } = await testModel(id, {
      provider: "openai-compatible",
      base_url: "http://127.0.0.1:9/v1",
      model: "m",
    });
    expect(body).toMatchObject({ ok: false, failure: { category: "model_unavailable", retryable: true } });
  });
});
