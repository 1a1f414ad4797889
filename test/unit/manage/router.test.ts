import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { operations } from "../../../src/manage/contract/operations/manage-operations.ts";
import { type ManageService, manageService } from "../../support/manage-service.ts";

let service: ManageService;
beforeAll(async () => {
  service = await manageService();
});
afterAll(() => service[Symbol.asyncDispose]());

describe("callers", () => {
  test("a request without a token is rejected", async () => {
    const { status, headers, body } = await service.call("GET", "/me", { token: null });
    expect([status, headers.get("www-authenticate")]).toEqual([401, "Bearer"]);
    expect(body).toEqual({ detail: "Missing operator token (ao_…)", code: "key_missing" });
  });

  test("an API key of an agent is rejected with a text that says what belongs here", async () => {
    const { status, body } = await service.call("GET", "/me", { token: service.apiKey });
    expect(status).toBe(401);
    expect(body).toEqual({ detail: expect.stringContaining("send an operator token (ao_…)"), code: "key_invalid" });
  });

  test("an operator token in X-API-Key is not read", async () => {
    const { body } = await service.call("GET", "/me", { token: null, headers: { "x-api-key": service.operatorToken } });
    expect(body).toMatchObject({ code: "key_missing" });
  });

  test("v1 rejects an operator token with the text of its contract", async () => {
    for (const headers of [
      { authorization: `Bearer ${service.operatorToken}` },
      { "x-api-key": service.operatorToken },
    ]) {
      const response = await fetch(`${service.baseUrl}/v1/agents`, { method: "POST", headers, body: "{}" });
      expect([response.status, await response.json()]).toEqual([401, { detail: "Invalid API key" }]);
    }
  });

  const id = "00000000-0000-4000-8000-000000000001";
  const pathOf = (path: string) =>
    path.slice("/manage/v1".length).replaceAll(/\{(\w+)\}/g, (_, name) => (name === "key_id" ? "a".repeat(64) : id));

  test.for(Object.values(operations).filter(({ role }) => role === "operator"))(
    "a viewer may not $operationId",
    async ({ method, path }) => {
      const { status, body } = await service.call(method, pathOf(path), { token: service.viewerToken, body: {} });
      expect([status, body["code"]]).toEqual([403, "forbidden"]);
    },
  );

  test("a viewer may read", async () => {
    const { status, body } = await service.call("GET", "/me", { token: service.viewerToken });
    expect([status, body["name"], body["role"]]).toEqual([200, "View", "viewer"]);
  });
});

describe("requests", () => {
  test.for([
    ["/audit?limit=0", { type: "greater_than_equal", loc: ["query", "limit"], ctx: { ge: 1 } }],
    ["/audit?limit=1001", { type: "less_than_equal", loc: ["query", "limit"], ctx: { le: 1_000 } }],
    ["/audit?limit=many", { type: "int_parsing", loc: ["query", "limit"], input: "many" }],
    ["/audit?limit=", { type: "int_parsing", loc: ["query", "limit"] }],
    ["/audit?limit=1&limit=2", { type: "int_parsing", loc: ["query", "limit"] }],
    ["/audit?since=yesterday", { type: "datetime_parsing", loc: ["query", "since"] }],
    ["/audit?sort=up", { type: "extra_forbidden", loc: ["query", "sort"], input: "up" }],
    ["/audit?__proto__=x", { type: "extra_forbidden", loc: ["query", "__proto__"] }],
  ] as const)("GET %s is 422", async ([path, issue]) => {
    const { status, body } = await service.call("GET", path);
    expect([status, body["code"]]).toEqual([422, "invalid_request"]);
    expect(body["detail"]).toMatchObject([issue]);
  });

  test("a body is checked like those of v1, without repeating what was received", async () => {
    const { status, body } = await service.call("POST", "/operators", {
      body: { name: "", role: "owner", token: "sk-1" },
    });
    expect(status).toBe(422);
    expect(body["detail"]).toEqual([
      { type: "extra_forbidden", loc: ["body", "token"], msg: "Extra inputs are not permitted" },
      {
        type: "string_too_short",
        loc: ["body", "name"],
        msg: "String should have at least 1 character",
        ctx: { min_length: 1 },
      },
      {
        type: "literal_error",
        loc: ["body", "role"],
        msg: "Input should be 'operator' or 'viewer'",
        ctx: { expected: "'operator' or 'viewer'" },
      },
    ]);
  });
});

describe("operators", () => {
  test("an operator creates a viewer, who is listed, and revokes the token", async () => {
    const created = await service.call("POST", "/operators", { body: { name: "Jo", role: "viewer" } });
    expect(created.status).toBe(201);
    const { token, id, hint } = created.body as { token: string; id: string; hint: string };
    expect(token).toMatch(/^ao_/);
    expect((await service.call("GET", "/me", { token })).body).toMatchObject({ name: "Jo", role: "viewer" });
    const { body: listed } = await service.call<{ data: object[] }>("GET", "/operators");
    expect(listed.data.at(-1)).toMatchObject({ id, hint, name: "Jo", role: "viewer", enabled: true });
    expect(JSON.stringify(listed)).not.toContain(token);
    const revoked = await service.call("POST", `/operators/${id}/revoke`);
    expect(revoked.body).toMatchObject({ id, enabled: false });
    expect((await service.call("GET", "/me", { token })).status).toBe(401);
    const { body: audit } = await service.call<{ data: object[] }>("GET", "/audit?limit=2");
    expect(audit.data).toMatchObject([
      { action: "operator.revoke", id, actor: expect.stringMatching(/^Op \(ao_/) },
      { action: "operator.create", id },
    ]);
  });

  test("an unknown operator is 404", async () => {
    const { status, body } = await service.call("POST", "/operators/00000000-0000-4000-8000-000000000001/revoke");
    expect([status, body["code"]]).toEqual([404, "operator_not_found"]);
  });

  test("the audit log can be limited by time", async () => {
    const { body } = await service.call("GET", `/audit?since=${new Date(Date.now() + 60_000).toISOString()}`);
    expect(body).toEqual({ data: [], next: null });
  });
});

test("GET /me says what the service is", async () => {
  const { body } = await service.call("GET", "/me");
  expect(body).toMatchObject({
    name: "Op",
    role: "operator",
    platform: "local",
    service_url: service.baseUrl,
    stack: null,
    sign_in: "token",
    commands: { start: "npm start --", admin: "npm run -s admin --" },
    limits: { files: 10, file_bytes: 10 * 1024 * 1024, name_length: 200, body_bytes: 20 * 1024 * 1024 },
  });
});
