import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createOperator } from "../../../src/accounts/operators.ts";
import { setKeyEnabled } from "../../../src/accounts/keys.ts";
import { newToken, tokenHash } from "../../../src/accounts/token.ts";
import { type ExtService, extService } from "../../support/ext-service.ts";

let service: ExtService;
beforeAll(async () => {
  service = await extService();
});
afterAll(() => service[Symbol.asyncDispose]());

/** Methods that the document does not name. */
async function bare(method: string, path: string, headers: Record<string, string> = { "x-api-key": service.apiKey }) {
  const response = await fetch(`${service.baseUrl}/ext/v1${path}`, { method, headers });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

describe("callers", () => {
  test("a request without a key is rejected with the text of v1", async () => {
    const { status, headers, body } = await service.call("GET", "/agent", { token: null });
    expect([status, headers.get("www-authenticate")]).toEqual([401, "Bearer"]);
    expect(body).toEqual({ detail: "Missing API key", code: "key_missing" });
  });

  test("a key in X-API-Key is accepted when there is no bearer credential, as in v1", async () => {
    const headers = { "x-api-key": service.apiKey };
    expect((await service.call("GET", "/agent", { token: null, headers })).status).toBe(200);
    expect((await service.call("GET", "/agent", { token: "ak_wrong", headers })).status).toBe(401);
  });

  test("unknown keys, disabled keys and operator tokens are rejected alike", async () => {
    const { accounts } = service.platform;
    const { token } = await createOperator(accounts, { name: "Op", role: "operator" });
    const { apiKey, call } = service.stranger;
    expect((await call("GET", "/agent")).status).toBe(200);
    await setKeyEnabled(accounts, tokenHash("ak", apiKey) ?? "", false);
    for (const key of [apiKey, token, `ak_${"0".repeat(43)}`, "x"]) {
      const { status, body } = await service.call("GET", "/agent", { token: key });
      expect([status, body]).toEqual([401, { detail: "Invalid API key", code: "key_invalid" }]);
    }
    await setKeyEnabled(accounts, tokenHash("ak", apiKey) ?? "", true);
  });
});

describe("requests", () => {
  test.for([
    ["/agent", 200],
    ["/openapi.json", 200],
    ["/runs?limit=0", 422],
    ["/nothing", 404],
  ] as const)("HEAD %s has the status and the headers of GET, without the body", async ([path, expected]) => {
    const [head, get] = [await bare("HEAD", path), await bare("GET", path)];
    expect([head.status, head.text]).toEqual([expected, ""]);
    for (const name of ["content-type", "cache-control"]) expect(head.headers.get(name)).toBe(get.headers.get(name));
    expect(head.headers.get("content-length")).toBe(String(Buffer.byteLength(get.text)));
  });

  test("HEAD requires a key, and opens no stream", async () => {
    expect((await bare("HEAD", "/agent", {})).status).toBe(401);
    const { body } = await service.call<{ id: string }>("POST", "/runs", { body: { name: "Idle" } });
    const accept = { "x-api-key": service.apiKey, accept: "text/event-stream" };
    const { status, headers } = await bare("HEAD", `/runs/${body.id}/events`, accept);
    expect([status, headers.get("content-type"), headers.get("content-length")]).toEqual([
      200,
      "text/event-stream",
      null,
    ]);
  });

  test.for([
    ["/runs", 204, "POST, GET, HEAD, OPTIONS"],
    ["/runs/x/input", 204, "POST, OPTIONS"],
    ["/nothing", 404, null],
  ] as const)("OPTIONS %s is %i and needs no key", async ([path, expected, allow]) => {
    const { status, headers } = await bare("OPTIONS", path, {});
    expect([status, headers.get("allow")]).toEqual([expected, allow]);
  });

  test.for([
    ["/runs?limit=0", { type: "greater_than_equal", loc: ["query", "limit"], ctx: { ge: 1 } }],
    ["/runs?limit=201", { type: "less_than_equal", loc: ["query", "limit"], ctx: { le: 200 } }],
    ["/runs?status=done", { type: "literal_error", loc: ["query", "status", 0] }],
    ["/runs?status=running&status=done", { type: "literal_error", loc: ["query", "status", 1] }],
    ["/runs?label=novalue", { type: "string_pattern_mismatch", loc: ["query", "label", 0] }],
    ["/runs?limit=1&limit=2", { type: "int_parsing", loc: ["query", "limit"] }],
    ["/runs?agent_id=x", { type: "extra_forbidden", loc: ["query", "agent_id"] }],
    ["/runs/x", { type: "uuid_parsing", loc: ["path", "run_id"] }],
  ] as const)("GET %s is 422", async ([path, issue]) => {
    const { status, body } = await service.call("GET", path);
    expect([status, body["code"]]).toEqual([422, "invalid_request"]);
    expect(body["detail"]).toMatchObject([issue]);
  });
});

describe("a key or token in the wrong place is not repeated", () => {
  const secrets = [newToken("ak"), newToken("ao")];

  test.each(secrets)("$hint", async ({ token, hint }) => {
    const { baseUrl, apiKey, templateId, platform } = service;
    const { token: operator } = await createOperator(platform.accounts, { name: "Op", role: "operator" });
    const file = { filename: `"${token}".txt`, content_base64: "not base64" };
    const wrong: [string, string, object?][] = [
      ["/v1/agents/" + token, apiKey],
      ["/v1/agents", apiKey, { name: "n", template_id: token }],
      ["/v1/agents", apiKey, { name: token, template_id: templateId, files: [{ filename: "f", [token]: 1 }] }],
      ["/v1/agents", apiKey, { name: [`\n${token}`], template_id: templateId }],
      ["/v1/agents", apiKey, { name: "n", template_id: templateId, files: [file] }],
      ["/ext/v1/runs/" + token, apiKey],
      ["/ext/v1/runs?label=" + token, apiKey],
      [`/ext/v1/runs?${token}=1`, apiKey],
      ["/ext/v1/runs", apiKey, { name: "n", [token]: 1 }],
      ["/manage/v1/agents/" + token, operator],
      [`/manage/v1/runs?${token}=1`, operator],
    ];
    for (const [path, credential, body] of wrong) {
      const headers = { authorization: `Bearer ${credential}`, "content-type": "application/json" };
      const request = body && { method: "POST", body: JSON.stringify(body) };
      const response = await fetch(baseUrl + path, { headers, ...request });
      const text = await response.text();
      expect([path.replace(token, ""), response.status, text.includes(token)]).toEqual([
        path.replace(token, ""),
        422,
        false,
      ]);
      if (path.startsWith("/v1")) expect(text).toContain(`${hint}…`);
    }
  });

  test("all else is as v1 words it", async () => {
    const headers = { "x-api-key": service.apiKey };
    const response = await fetch(`${service.baseUrl}/v1/agents/weak_passwords-ak_4fGh2k`, { headers });
    const issue = { loc: ["path", "agent_id"], input: "weak_passwords-ak_4fGh2k" };
    expect(await response.json()).toMatchObject({ detail: [issue] });
  });
});

test("GET /agent says what the key's agent is and what the service accepts", async () => {
  const { status, body } = await service.call("GET", "/agent");
  expect(status).toBe(200);
  expect(body).toMatchObject({
    id: service.templateId,
    name: "Starter agent",
    status: "active",
    model: "demo",
    tools: expect.arrayContaining(["read_file"]) as string[],
    limits: { turn: { steps: 50 }, run: {} },
    max_inline_bytes: 10 * 1024 * 1024,
    webhook: { configured: false },
  });
});
