import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createOperator } from "../../../src/accounts/operators.ts";
import { setKeyEnabled } from "../../../src/accounts/keys.ts";
import { tokenHash } from "../../../src/accounts/token.ts";
import { StoreUnavailable } from "../../../src/errors.ts";
import { extRouter } from "../../../src/ext/router.ts";
import { type ExtService, extService } from "../../support/ext-service.ts";

let service: ExtService;
beforeAll(async () => {
  service = await extService();
});
afterAll(() => service[Symbol.asyncDispose]());

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

  test("the document needs no key", async () => {
    const { status, body } = await service.call("GET", "/openapi.json", { token: null });
    expect([status, body["openapi"]]).toEqual([200, "3.1.0"]);
  });
});

describe("requests", () => {
  test.for([
    ["GET", "", 404, null],
    ["GET", "/", 404, null],
    ["GET", "/agents", 404, null],
    ["GET", "/runs/x/y/z/a", 404, null],
    ["DELETE", "/runs", 405, "POST, GET"],
    ["PUT", "/runs/x", 405, "GET"],
    ["POST", "/openapi.json", 405, "GET"],
  ] as const)("%s /ext/v1%s is %i", async ([method, path, expected, allow]) => {
    const { status, headers, body } = await service.call(method, path);
    expect([status, headers.get("allow")]).toEqual([expected, allow]);
    expect(body["code"]).toBe(expected === 404 ? "not_found" : "method_not_allowed");
  });

  test("responses are neither cached nor sniffed, and have a request id", async () => {
    for (const path of ["/agent", "/nothing"]) {
      const { headers } = await service.call("GET", path);
      expect(headers.get("cache-control")).toBe("no-store");
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
    }
  });

  test.for([
    ["/runs?limit=0", { type: "greater_than_equal", loc: ["query", "limit"], ctx: { ge: 1 } }],
    ["/runs?limit=201", { type: "less_than_equal", loc: ["query", "limit"], ctx: { le: 200 } }],
    ["/runs?status=done", { type: "literal_error", loc: ["query", "status"] }],
    ["/runs?label=novalue", { type: "string_pattern_mismatch", loc: ["query", "label"] }],
    ["/runs?agent_id=x", { type: "extra_forbidden", loc: ["query", "agent_id"] }],
    ["/runs/x", { type: "uuid_parsing", loc: ["path", "run_id"] }],
  ] as const)("GET %s is 422", async ([path, issue]) => {
    const { status, body } = await service.call("GET", path);
    expect([status, body["code"]]).toEqual([422, "invalid_request"]);
    expect(body["detail"]).toMatchObject([issue]);
  });
});

const throttled = () => Promise.reject(new StoreUnavailable("throttled"));

test("an unavailable store is 503 with Retry-After", async () => {
  const { accounts } = service.platform;
  const { status, headers, body } = await extRouter(
    { get_agent: throttled },
    accounts,
  )({
    id: "request-1",
    method: "GET",
    path: "/ext/v1/agent",
    query: new URLSearchParams(),
    parameters: {},
    headers: { "x-api-key": service.apiKey },
    parseBody: (parse) => parse(""),
  });
  expect([status, headers["retry-after"], headers["x-request-id"]]).toEqual([503, "5", "request-1"]);
  expect(JSON.parse(String(body))).toMatchObject({ code: "store_unavailable" });
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
