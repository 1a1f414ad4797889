import { type IncomingMessage, request as httpRequest } from "node:http";
import { buffer } from "node:stream/consumers";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { acceptsCoding, compress } from "../../../src/http/compression.ts";
import type { ApiResponse } from "../../../src/http/handler.ts";
import { openapiHandler } from "../../../src/v1/openapi.ts";
import { compression } from "../../../src/http/server/lambda.ts";
import { apiFunction } from "../../support/lambda-function.ts";
import { type ManageService, manageService } from "../../support/manage-service.ts";

let service: ManageService;
/** A finished run with a long transcript. */
let runId: string;

beforeAll(async () => {
  service = await manageService();
  const { body } = await send("POST", "/v1/agents", {
    headers: { "x-api-key": service.apiKey, "content-type": "application/json" },
    body: JSON.stringify({ name: "Run", template_id: service.templateId, input_text: "A long input. ".repeat(500) }),
  });
  runId = (JSON.parse(body.toString()) as { agent_id: string }).agent_id;
  const isFinished = async () => expect((await service.call("GET", `/runs/${runId}`)).body["status"]).toBe("finished");
  await vi.waitFor(isFinished, { interval: 10, timeout: 25_000 });
});
afterAll(() => service[Symbol.asyncDispose]());

interface Sent {
  headers?: Record<string, string>;
  body?: string;
}

/** Sends a request without decoding the response, as fetch would. */
async function send(method: string, path: string, { headers = {}, body }: Sent = {}) {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  httpRequest(`${service.baseUrl}${path}`, { method, headers, agent: false }, resolve).once("error", reject).end(body);
  const response = await promise;
  return { status: response.statusCode, headers: response.headers, body: await buffer(response) };
}

const gzip = { "accept-encoding": "gzip, br" };
const asOperator = (): Record<string, string> => ({ authorization: `Bearer ${service.operatorToken}` });

describe("a response over HTTP", () => {
  test("is compressed for a client that accepts gzip, and has the same body otherwise", async () => {
    const key = { "x-api-key": service.apiKey };
    for (const [path, headers] of [
      [`/v1/agents/${runId}`, key],
      ["/v1/openapi.json", {}],
      [`/ext/v1/runs/${runId}`, key],
      [`/manage/v1/runs/${runId}/events`, asOperator()],
    ] as const) {
      const [plain, coded] = [
        await send("GET", path, { headers }),
        await send("GET", path, { headers: { ...headers, ...gzip } }),
      ];
      const what = { status: 200, "content-type": "application/json", vary: "accept-encoding" };
      expect({ path, status: plain.status, ...plain.headers }).toMatchObject({ path, ...what });
      expect({ path, status: coded.status, ...coded.headers }).toMatchObject({
        path,
        ...what,
        "content-encoding": "gzip",
      });
      expect(plain.headers).not.toHaveProperty("content-encoding");
      expect(coded.headers["content-length"]).toBe(String(coded.body.length));
      expect(coded.body.length).toBeLessThan(plain.body.length * 0.7);
      expect(gunzipSync(coded.body).equals(plain.body)).toBe(true);
    }
  });

  test("that has an ETag or is short is sent as it is, so that the ETag names one form", async () => {
    const path = `/manage/v1/agents/${service.templateId}`;
    const read = () => send("GET", path, { headers: { ...asOperator(), ...gzip } });
    const { headers, body } = await read();
    const { definition } = JSON.parse(body.toString()) as { definition: object };
    const updated = await send("PUT", path, {
      headers: { ...asOperator(), "content-type": "application/json", "if-match": headers["etag"] ?? "" },
      body: JSON.stringify({ definition: { ...definition, instructions: "Work. ".repeat(500) } }),
    });
    expect(updated.status).toBe(200);
    const long = await read();
    expect(long.body.length).toBeGreaterThan(3_000);
    expect(long.headers["etag"]).toBe(updated.headers["etag"]);
    const short = await send("GET", "/v1/agents/x", { headers: { "x-api-key": service.apiKey, ...gzip } });
    for (const each of [long, short]) expect(each.headers).not.toHaveProperty("content-encoding");
  });

  test("that streams events is sent as they happen", async () => {
    const headers = { ...asOperator(), ...gzip, accept: "text/event-stream" };
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const request = httpRequest(
      `${service.baseUrl}/manage/v1/runs/${runId}/events`,
      { headers, agent: false },
      (response) => {
        expect(response.headers["content-encoding"]).toBeUndefined();
        response.once("data", (part: Buffer) => resolve(part.toString()));
      },
    ).once("error", reject);
    request.end();
    expect(await promise).toMatch(/^(?:retry|id|event|data|:)/);
    request
      .off("error", reject)
      .on("error", () => {})
      .destroy();
  });
});

test("a Lambda function compresses, too", async () => {
  const handle = apiFunction(openapiHandler(), compression);
  const event = (headers: Record<string, string>) =>
    handle({
      rawPath: "/v1/openapi.json",
      headers,
      isBase64Encoded: false,
      requestContext: { requestId: "r", http: { method: "GET" } },
    });
  const [plain, coded] = [await event({}), await event(gzip)];
  expect(coded).toMatchObject({
    isBase64Encoded: true,
    headers: { "content-encoding": "gzip", vary: "accept-encoding" },
  });
  expect(gunzipSync(Buffer.from(coded.body ?? "", "base64")).toString()).toBe(plain.body);
});

const body = JSON.stringify(Array.from({ length: 20_000 }, (_, index) => index));
const response: ApiResponse = { status: 200, headers: { "content-type": "application/json" }, body };
const handle = compress(async () => response);
const parseBody = (): Promise<never> => Promise.reject(new Error("no body"));
const parameters = { query: new URLSearchParams(), parameters: {}, headers: gzip, parseBody };
const request = { id: "r", method: "GET", path: "/", ...parameters };

test("only answers to GET are compressed: secrets are in others", async () => {
  for (const method of ["POST", "PUT", "PATCH", "DELETE"]) expect(await handle({ ...request, method })).toBe(response);
  expect((await handle(request)).headers["content-encoding"]).toBe("gzip");
});

test("a response does not wait for others to be compressed", async () => {
  const responses = await Promise.all(Array.from({ length: 5 }, () => handle(request)));
  const codings = responses.map(({ headers }) => headers["content-encoding"]);
  expect(codings).toEqual(["gzip", "gzip", undefined, undefined, undefined]);
  expect((await handle(request)).headers["content-encoding"]).toBe("gzip");
});

test.each([
  ["gzip", true],
  ["x-gzip;q=0.1", true],
  ["*", true],
  ["br, GZIP;q=1.0", true],
  ["*, gzip;q=0", false],
  ["identity", false],
  ["", false],
  [undefined, false],
])("Accept-Encoding %j accepts gzip: %s", (accepted, expected) => {
  expect(acceptsCoding(accepted, "gzip")).toBe(expected);
});
