import { request } from "node:http";
import { connect } from "node:net";
import { readFileSync, rmSync } from "node:fs";
import createClient from "openapi-fetch";
import { beforeAll, describe, expect, test } from "vitest";
import { getHandler } from "../../src/v1/get.ts";
import { newToken } from "../../src/accounts/token.ts";
import { issueKey } from "../../src/accounts/keys.ts";
import { StoreUnavailable } from "../../src/errors.ts";
import { openLocalPlatform } from "../../src/platform/local/open-platform.ts";
import type { paths } from "../client/generated/api.d.ts";
import { finished, newDataDir, type Service, startService } from "./service.ts";
import { apiFunction } from "../support/lambda-function.ts";

let service: Service;
beforeAll(async () => {
  service = await startService();
  return () => service[Symbol.asyncDispose]();
});

async function call(method: string, path: string, init: RequestInit = {}) {
  const response = await fetch(`${service.baseUrl}${path}`, { method, ...init });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

test("a client generated from the OpenAPI document creates a run and reads it", async () => {
  const client = createClient<paths>({
    baseUrl: service.baseUrl,
    headers: { authorization: `Bearer ${service.apiKey}` },
  });
  const created = await client.POST("/v1/agents", {
    body: { name: "typed", template_id: service.templateId, input_text: "hello" },
  });
  expect(created.response.status).toBe(201);
  const runId = created.data?.agent_id ?? "";
  await finished(service, runId);
  const read = await client.GET("/v1/agents/{agent_id}", { params: { path: { agent_id: runId } } });
  expect(read.data?.loop_status).toBe("finished");
  expect(read.data?.transcript.map(({ role }) => role)).toEqual(["input_to_agent", "output_from_agent"]);
  const refused = await client.POST("/v1/agents", { body: { name: "", template_id: service.templateId } });
  expect(refused.error?.detail).toMatchObject([{ type: "string_too_short", loc: ["body", "name"] }]);
});

test.each([
  ["POST", "/", 404, null],
  ["GET", "/v1", 404, null],
  ["GET", "/v1/agents/", 404, null],
  ["GET", "/v1/agents/a/b", 404, null],
  ["GET", "/v1/agents", 405, "POST"],
  ["DELETE", "/v1/agents", 405, "POST"],
  ["POST", "/v1/agents/5d0c2f0a-7f2b-4a53-9b5a-6f1f0c2e7b11", 405, "GET"],
  ["POST", "/v1/openapi.json", 405, "GET"],
])("%s %s is %i in JSON", async (method, path, status, allow) => {
  const answer = await call(method, path);
  expect([answer.status, answer.headers.get("allow")]).toEqual([status, allow]);
  expect(JSON.parse(answer.text)).toEqual({ detail: status === 404 ? "Not Found" : "Method Not Allowed" });
  expect(answer.headers.get("content-type")).toBe("application/json");
  expect(answer.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
});

test("GET / points to the description of the API", async () => {
  const { status, text } = await call("GET", "/");
  expect([status, text]).toEqual([200, '{"openapi":"/v1/openapi.json"}']);
});

test("GET /llms.txt describes the service to language models, without a key", async () => {
  const { status, headers, text } = await call("GET", "/llms.txt");
  expect([status, headers.get("content-type")]).toEqual([200, "text/plain; charset=utf-8"]);
  expect(text).toBe(readFileSync("llms.txt", "utf8"));
  expect((await call("POST", "/llms.txt")).status).toBe(404);
});

test("an unknown, malformed or missing key is 401", async () => {
  const path = "/v1/agents/5d0c2f0a-7f2b-4a53-9b5a-6f1f0c2e7b11";
  const with_ = (headers: Record<string, string>) => call("GET", path, { headers });
  const missing = await with_({});
  expect([missing.status, missing.text, missing.headers.get("www-authenticate")]).toEqual([
    401,
    '{"detail":"Missing API key"}',
    "Bearer",
  ]);
  for (const key of [newToken("ak").token, "ak_nonsense", `${service.apiKey}x`, "\u00a0x"]) {
    const invalid = await with_({ authorization: `bearer ${key}` });
    expect([invalid.status, invalid.text]).toEqual([401, '{"detail":"Invalid API key"}']);
  }
  expect((await call("POST", "/v1/agents", { body: "{" })).status).toBe(401); // before 422 for invalid JSON
  const precedence = await with_({ authorization: `Bearer ${newToken("ak").token}`, "x-api-key": service.apiKey });
  expect(precedence.status).toBe(401);
  for (const authorization of ["Basic abc", "Bearer", "Bearer  ", "Token x"]) {
    expect((await with_({ authorization, "x-api-key": service.apiKey })).status).toBe(404);
  }
});

test.each([
  ["GET", "/v1/openap%69.json", 200, undefined],
  ["DELETE", "/v1/%61gents", 405, "Method Not Allowed"],
  ["GET", "/v1/agents%2F%7B00000000-0000-4000-8000-000000000000%7D", 404, "Agent not found"],
  ["GET", "/v1/agents/x%2Fy", 404, "Not Found"],
  ["GET", "/v1/agents/%C3%A9%FF%20%zz", 422, [expect.objectContaining({ input: "é\uFFFD %zz" })]],
])("%s %s: percent-encoded paths are decoded", async (method, path, status, detail) => {
  const answer = await call(method, path, { headers: { "x-api-key": service.apiKey } });
  expect([answer.status, (JSON.parse(answer.text) as { detail?: unknown }).detail]).toEqual([status, detail]);
});

test("a run of another agent gets the same 404 as an unknown run", async () => {
  await using other = await startService();
  const created = await fetch(`${other.baseUrl}/v1/agents`, {
    method: "POST",
    headers: { "x-api-key": other.apiKey, "content-type": "application/json" },
    body: JSON.stringify({ name: "n", template_id: other.templateId }),
  });
  const { agent_id } = (await created.json()) as { agent_id: string };
  await other.end("SIGTERM");

  const stores = openLocalPlatform({ dataDir: other.dataDir });
  const agent = await stores.accounts.findAgent(other.templateId);
  const { key } = await issueKey(stores.accounts, {
    id: crypto.randomUUID(),
    organizationId: agent?.organizationId ?? "",
  });
  const get = apiFunction(getHandler(stores));
  const answers = await Promise.all([agent_id, crypto.randomUUID()].map((id) => get(event(key, id))));
  expect(answers.map(({ statusCode, body }) => [statusCode, body])).toEqual([
    [404, '{"detail":"Agent not found"}'],
    [404, '{"detail":"Agent not found"}'],
  ]);
  stores.close();
});

function event(key: string, runId: string) {
  return {
    rawPath: `/v1/agents/${runId}`,
    headers: { authorization: `Bearer ${key}` },
    pathParameters: { agent_id: runId },
    isBase64Encoded: false,
    requestContext: { requestId: "request-1", http: { method: "GET" } },
  };
}

describe("a failing store", () => {
  test.each([
    [new StoreUnavailable("throttled"), 503, "event history is temporarily unavailable"],
    [new Error("no such table: secret_table"), 502, "event history lookup failed"],
  ])("%s", async (failure, status, detail) => {
    const dataDir = newDataDir();
    const stores = openLocalPlatform({ dataDir });
    const { key } = await issueKey(stores.accounts, { id: "a", organizationId: "o" });
    const runs = { ...stores.runs, open: () => Promise.reject(failure) };
    const failing = apiFunction(getHandler({ ...stores, runs }));
    const answer = await failing(event(key, crypto.randomUUID()));
    expect([answer.statusCode, answer.body]).toEqual([status, JSON.stringify({ detail })]);
    expect(answer.headers?.["x-request-id"]).toBe("request-1");

    const accounts = { ...stores.accounts, findKey: () => Promise.reject(failure) };
    const noAccounts = apiFunction(getHandler({ ...stores, accounts }));
    expect((await noAccounts(event(key, crypto.randomUUID()))).statusCode).toBe(status);
    stores.close();
    rmSync(dataDir, { recursive: true });
  });
});

/** Sends chunks unchanged. Resolves with the response's status and body. */
function raw(headers: Record<string, string | number>, chunks: Buffer[]): Promise<[number | undefined, string]> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(service.baseUrl);
    const sent = request({ hostname, port, method: "POST", path: "/v1/agents", headers }, (response) => {
      let text = "";
      response.on("data", (chunk: Buffer) => (text += chunk.toString()));
      response.once("end", () => resolve([response.statusCode, text]));
    });
    sent.once("error", reject);
    for (const chunk of chunks) sent.write(chunk);
    sent.end();
  });
}

test("bodies without a length, that are not UTF-8, or over 20 MiB get JSON responses", async () => {
  const headers = { authorization: `Bearer ${service.apiKey}`, "content-type": "application/json" };
  const body = Buffer.from(JSON.stringify({ name: "größe 😀", template_id: service.templateId, input_text: "ü" }));
  const middle = body.indexOf("ö") + 1; // in the middle of a character
  expect((await raw(headers, [body.subarray(0, middle), body.subarray(middle)]))[0]).toBe(201);

  const [status, text] = await raw(headers, [Buffer.from([0x7b, 0xff, 0xfe, 0x00])]);
  expect([status, JSON.parse(text)]).toMatchObject([422, { detail: [{ type: "json_invalid" }] }]);

  const megabyte = Buffer.alloc(1024 * 1024, "a");
  const tooLarge = Array.from({ length: 21 }, () => megabyte);
  const expected = [413, '{"detail":"total file size exceeds the allowed limit"}'];
  expect(await raw(headers, tooLarge)).toEqual(expected);
  expect(await raw({ ...headers, "content-length": 21 * 1024 * 1024 }, tooLarge)).toEqual(expected);
  expect(await raw({}, tooLarge)).toEqual([401, '{"detail":"Missing API key"}']);
});

test("requests that are not valid HTTP are rejected, in JSON if they cannot be parsed", async () => {
  const { hostname, port, host } = new URL(service.baseUrl);
  const exchange = (text: string) =>
    new Promise<string>((resolve, reject) => {
      const socket = connect({ host: hostname, port: Number(port) }, () => socket.write(text));
      let received = "";
      socket.on("data", (chunk) => (received += chunk.toString()));
      socket.once("close", () => resolve(received)).once("error", reject);
    });
  const nonsense = await exchange("NONSENSE\r\n\r\n");
  expect(nonsense).toMatch(/^HTTP\/1\.1 400 [^]*\r\n\r\n\{"detail":"Bad Request"\}$/);
  for (const [head, status] of [
    ["POST /v1/agents HTTP/1.1\r\nHost: h\r\nExpect: more\r\nContent-Length: 2", "417"],
    ["GET /v1/openapi.json HTTP/1.1", "400"], // no Host
    ["CONNECT h:443 HTTP/1.1\r\nHost: h:443", undefined],
  ] as const) {
    const response = await exchange(`${head}\r\nConnection: close\r\n\r\n`);
    expect([head, /^HTTP\/1\.1 (\d+) /.exec(response)?.[1]]).toEqual([head, status]);
  }
  // A connection that ends with a CONNECT has the response to the request before it.
  const input = JSON.stringify({ name: "n", template_id: service.templateId, input_text: "x" });
  const create = `POST /v1/agents HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer ${service.apiKey}\r\nContent-Type: application/json`;
  const pipelined = await exchange(
    `${create}\r\nContent-Length: ${input.length}\r\n\r\n${input}CONNECT h:443 HTTP/1.1\r\nHost: h:443\r\n\r\n`,
  );
  expect(pipelined).toMatch(/^HTTP\/1\.1 201 [^]*"agent_id"[^]*\}$/);
  const twoHosts = await exchange("GET /v1/openapi.json HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n");
  expect(twoHosts).toMatch(/^HTTP\/1\.1 400 [^]*\r\n\r\n\{"detail":"The request has 2 Host headers; send one"\}$/);
  const url = `http://${host}/v1/openapi.json?a=/b`;
  expect(await exchange(`GET ${url} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)).toMatch(
    /^HTTP\/1\.1 200 /,
  );
  // Where errors have a code, those before any handler have one, too.
  for (const [head, status, code] of [
    ["GET /ext/v1/agent HTTP/1.1\r\nbad header", 400, "malformed_request"],
    ["GET /manage/v1/me HTTP/1.1", 400, "malformed_request"], // no Host
    [`GET /manage/v1/organizations?cursor=${"a".repeat(20_000)} HTTP/1.1\r\nHost: h`, 431, "headers_too_large"],
    ["GET /ext/v1/agent HTTP/1.1\r\nHost: a\r\nHost: b", 400, "malformed_request"],
    ["POST /ext/v1/runs HTTP/1.1\r\nHost: h\r\nExpect: more\r\nContent-Length: 2", 417, "expectation_failed"],
    ["POST /ext/v1/runs HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: gzip, chunked", 501, "transfer_coding_unsupported"],
  ] as const) {
    const [line, body = ""] = (await exchange(`${head}\r\n\r\n`)).split(/\r\n[^]*\r\n\r\n/);
    expect([head, line, JSON.parse(body)]).toMatchObject([
      head,
      expect.stringContaining(`HTTP/1.1 ${status} `),
      { code },
    ]);
  }
  const longHeader = await exchange(`GET / HTTP/1.1\r\nx: ${"a".repeat(100_000)}\r\n\r\n`);
  expect(longHeader).toMatch(/^HTTP\/1\.1 431 [^]*\{"detail":"Request Header Fields Too Large"\}$/);
});
