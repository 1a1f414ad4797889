import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { Schemas } from "../../../src/ext/call.ts";
import { openapiDocument } from "../../../src/ext/generated/openapi.ts";
import { newToken } from "../../../src/accounts/token.ts";
import { type ManageService, manageService } from "../../support/manage-service.ts";
import { restCaller } from "../../support/local-service.ts";
import { responseChecks } from "../../support/rest-contract.ts";

// Tokens that read one run, and pages of other origins.

const origin = "https://app.example.com";
let service: ManageService;
let asKey: ReturnType<typeof restCaller>;
beforeAll(async () => {
  service = await manageService({ corsOrigins: [origin] });
  asKey = caller(service.apiKey);
});
afterAll(async () => {
  vi.useRealTimers();
  await service[Symbol.asyncDispose]();
});

const problemsOf = responseChecks(openapiDocument);
const caller = (token: string) => restCaller(service.baseUrl, { basePath: "/ext/v1", token, problemsOf });

type Created = Schemas["CreatedRun"];

async function newRun(more: object = {}): Promise<Created> {
  const files = [{ filename: "a b.txt", content_base64: Buffer.from("hello").toString("base64") }];
  const body = { name: "Shared", input_text: "Read.\ndemo: steps=2", files, ...more };
  const { status, body: run } = await asKey<Created>("POST", "/runs", { body });
  expect(status).toBe(201);
  await vi.waitFor(async () => expect((await asKey("GET", `/runs/${run.id}`)).body["status"]).toBe("finished"), 8_000);
  return run;
}

describe("a token of a run", () => {
  test("reads its run, as the key does, and nothing else", async () => {
    const { id, token } = await newRun({ token: { expires_in: 600 } });
    expect(Date.parse(token?.expires_at ?? "") - Date.parse(token?.created_at ?? "")).toBe(600_000);
    const asReader = caller(token?.token ?? "");
    for (const path of ["", "?wait=1", "/events", "/files", "/files/a%20b.txt"]) {
      const [read, own] = [await asReader("GET", `/runs/${id}${path}`), await asKey("GET", `/runs/${id}${path}`)];
      expect([read.status, read.body]).toEqual([200, own.body]);
    }
    const { id: other } = await newRun();
    for (const path of ["", "/events", "/files", "/files/a%20b.txt"]) {
      expect((await asReader("GET", `/runs/${other}${path}`)).body).toMatchObject({ code: "run_not_found" });
    }
    const forbidden: [string, string, object?][] = [
      ["GET", "/runs"],
      ["GET", "/agent"],
      ["POST", "/runs", { name: "x" }],
      ["POST", `/runs/${id}/input`, { input_text: "Go." }],
      ["POST", `/runs/${id}/stop`],
      ["PATCH", `/runs/${id}`, { labels: {} }],
      ["DELETE", `/runs/${id}`],
      ["POST", `/runs/${id}/tokens`, {}],
      ["GET", `/runs/${id}/tokens`],
      ["DELETE", `/runs/${id}/tokens/${token?.id}`],
      ["POST", "/uploads", { filename: "x", size: 1 }],
    ];
    for (const [method, path, body] of forbidden) {
      const response = await asReader(method, path, { body });
      expect([method, path, response.status, response.body["code"]]).toEqual([
        method,
        path,
        403,
        "token_reads_one_run",
      ]);
    }
    for (const path of ["/v1/agents/" + id, "/manage/v1/runs/" + id, "/mcp"]) {
      const headers = { authorization: `Bearer ${token?.token}`, "content-type": "application/json" };
      const method = path === "/mcp" ? { method: "POST", body: "{}" } : {};
      expect((await fetch(service.baseUrl + path, { headers, ...method })).status).toBe(401);
    }
    expect((await asKey<Created>("GET", `/runs/${id}`)).body).toMatchObject({ status: "finished", turn: 1 });
  });

  test("ends with its time, when it is revoked, and with its run", async () => {
    const { id } = await newRun();
    const create = async (body?: object) =>
      (await asKey<Schemas["CreatedRunToken"]>("POST", `/runs/${id}/tokens`, { body })).body;
    const [first, second] = [await create({ expires_in: 60 }), await create()];
    expect(Date.parse(second.expires_at) - Date.parse(second.created_at)).toBe(3_600_000);
    const list = async () => (await asKey<Schemas["RunTokenList"]>("GET", `/runs/${id}/tokens`)).body.data;
    const { token: _first, ...shown } = first;
    const { token: _second, ...others } = second;
    expect(await list()).toEqual([shown, others]);
    expect(JSON.stringify(await service.platform.runs.head(id))).not.toContain(first.token);

    const read = async ({ token }: { token: string }) => {
      const { status, body } = await caller(token)("GET", `/runs/${id}`);
      return [status, body["code"]];
    };
    expect([await read(first), await read(second)]).toEqual([
      [200, undefined],
      [200, undefined],
    ]);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 61_000 });
    expect([await read(first), await read(second)]).toEqual([
      [401, "key_expired"],
      [200, undefined],
    ]);
    vi.useRealTimers();
    expect((await asKey("DELETE", `/runs/${id}/tokens/${second.id}`)).status).toBe(204);
    expect((await asKey("DELETE", `/runs/${id}/tokens/${second.id}`)).status).toBe(204);
    expect(await read(second)).toEqual([401, "key_invalid"]);

    const last = await create();
    expect((await service.call("DELETE", `/runs/${id}`)).status).toBe(204);
    expect(await read(last)).toEqual([401, "key_invalid"]);
    expect((await asKey("POST", `/runs/${id}/tokens`, { body: {} })).body).toMatchObject({ code: "run_ended" });
  });

  test("reads the event stream from its address, as a browser's EventSource does, and nothing else", async () => {
    const { id, token } = await newRun({ token: { expires_in: 600 } });
    const { id: other } = await newRun();
    const logged = vi.spyOn(process.stderr, "write");
    const read = async (path: string, accept = "text/event-stream", method = "GET") => {
      const response = await fetch(`${service.baseUrl}/ext/v1${path}`, { method, headers: { accept } });
      return [response.status, (await response.text()).slice(0, 2_000)] as const;
    };
    const query = `token=${token?.token}`;
    const [status, text] = await read(`/runs/${id}/events?${query}&after=1`);
    expect([status, text]).toEqual([200, expect.stringMatching(/^retry: .*\n\nevent: run\n/)]);
    expect((await read(`/runs/${other}/events?${query}`))[1]).toContain("run_not_found");
    expect((await read(`/runs/${id}/events?token=${token?.token}0`))[1]).toContain("key_invalid");
    const refused = [
      read(`/runs/${id}/events?token=${service.apiKey}`),
      read(`/runs/${id}/events?${query}`, "application/json"),
      read(`/runs/${id}?${query}`),
      read(`/runs/${id}/files?${query}`),
      read(`/runs/${id}/stop?${query}`, "text/event-stream", "POST"),
    ];
    for (const [code, body] of await Promise.all(refused)) {
      expect([code, body]).toEqual([401, expect.stringContaining("key_missing")]);
    }
    expect(logged.mock.calls.flat().join("")).not.toContain(token?.token);
    logged.mockRestore();
  });

  test("that is invented, of another run, or one too many is rejected", async () => {
    const { id } = await newRun();
    const { id: other } = await newRun();
    const hex = id.replaceAll("-", "");
    const { body: real } = await asKey<Schemas["CreatedRunToken"]>("POST", `/runs/${id}/tokens`, { body: {} });
    const moved = real.token.replace(hex, other.replaceAll("-", ""));
    const unknown = newToken("rt", "0".repeat(32)).token;
    for (const token of [
      newToken("rt", hex).token,
      moved,
      unknown,
      `${real.token}x`,
      real.token.slice(0, -1),
      "rt_",
      `rt_${hex}`,
    ]) {
      expect((await caller(token)("GET", `/runs/${id}`)).body).toMatchObject({ code: "key_invalid" });
    }
    const create = (body: object) => asKey("POST", `/runs/${id}/tokens`, { body });
    for (const expires_in of [59, 30 * 86_400 + 1, 1.5, "60"]) expect((await create({ expires_in })).status).toBe(422);
    for (let count = 1; count < 20; count++) expect((await create({})).status).toBe(201);
    expect((await create({})).body).toMatchObject({
      code: "invalid_argument",
      detail: expect.stringContaining("20 valid tokens") as string,
    });
    expect((await asKey("GET", `/runs/${"0".repeat(8)}-0000-4000-8000-000000000001/tokens`)).status).toBe(404);
  });

  test("ends the stream that it has open when it is revoked", async () => {
    const run = (await asKey<Created>("POST", "/runs", { body: { name: "Idle", token: {} } })).body;
    const headers = { authorization: `Bearer ${run.token?.token}`, accept: "text/event-stream" };
    const response = await fetch(`${service.baseUrl}/ext/v1/runs/${run.id}/events`, { headers });
    expect(response.status).toBe(200);
    expect((await asKey("DELETE", `/runs/${run.id}/tokens/${run.token?.id}`)).status).toBe(204);
    await response.text();
  });

  test("is created and revoked by operators, with an entry in the audit", async () => {
    const { id } = await newRun();
    const { body } = await service.call<Schemas["CreatedRunToken"]>("POST", `/runs/${id}/tokens`, {
      body: { expires_in: 86_400 },
    });
    expect((await caller(body.token)("GET", `/runs/${id}`)).status).toBe(200);
    expect((await service.call("POST", `/runs/${id}/tokens`, { body: {}, token: service.viewerToken })).status).toBe(
      403,
    );
    expect((await service.call("DELETE", `/runs/${id}/tokens/${body.id}`)).status).toBe(204);
    const { body: audit } = await service.call<{ data: { action: string; id: string }[] }>("GET", "/audit?limit=10");
    expect(audit.data.filter((entry) => entry.id === id).map(({ action }) => action)).toEqual([
      "run.unshare",
      "run.share",
    ]);
  });
});

const send = (method: string, path: string, headers: Record<string, string>) =>
  fetch(service.baseUrl + path, { method, headers });

describe("a page of an allowed origin", () => {
  test("may read and write with a key, after a preflight without one", async () => {
    const preflight = await send("OPTIONS", "/ext/v1/runs", {
      origin,
      "access-control-request-method": "POST",
      "access-control-request-headers": "authorization,content-type,idempotency-key",
    });
    expect(preflight.status).toBe(204);
    expect(Object.fromEntries(preflight.headers)).toMatchObject({
      "access-control-allow-origin": origin,
      "access-control-allow-methods": "POST, GET, HEAD, OPTIONS",
      "access-control-allow-headers": expect.stringMatching(
        /^Authorization, .*, Cache-Control, X-Requested-With, traceparent/,
      ) as string,
      "access-control-max-age": "7200",
      vary: expect.stringContaining("Origin") as string,
    });
    expect(preflight.headers.has("access-control-allow-credentials")).toBe(false);
    const listed = await send("GET", "/ext/v1/runs", { origin, authorization: `Bearer ${service.apiKey}` });
    expect([listed.status, listed.headers.get("access-control-allow-origin")]).toEqual([200, origin]);
    expect(listed.headers.get("access-control-expose-headers")).toContain("Retry-After");
    const refused = await send("GET", "/ext/v1/runs", { origin });
    expect([refused.status, refused.headers.get("access-control-allow-origin")]).toEqual([401, origin]);
  });

  test.each(["https://evil.example", `${origin}.evil.example`, "http://app.example.com", "null"])(
    "%s may not",
    async (other) => {
      for (const [method, path] of [
        ["GET", "/ext/v1/runs"],
        ["OPTIONS", "/ext/v1/runs"],
      ] as const) {
        const { headers } = await send(method, path, { origin: other, "access-control-request-method": "GET" });
        expect([...headers.keys()].filter((name) => name.startsWith("access-control"))).toEqual([]);
        expect(headers.get("vary")).toContain("Origin");
      }
    },
  );

  test.each(["/v1/agents/0198c0de-0000-4000-8000-000000000000", "/manage/v1/runs", "/mcp", "/console/"])(
    "may not read %s",
    async (path) => {
      for (const method of ["GET", "OPTIONS"]) {
        const { headers } = await send(method, path, { origin, "access-control-request-method": "GET" });
        expect([...headers.keys()].filter((name) => name.startsWith("access-control"))).toEqual([]);
      }
    },
  );
});
