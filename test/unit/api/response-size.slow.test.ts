import { randomBytes } from "node:crypto";
import { gunzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { getHandler } from "../../../src/v1/get.ts";
import type { Runs } from "../../../src/runs/ports.ts";
import { attachment } from "../../../src/http/rest/attachment.ts";
import type { ApiRequest } from "../../../src/http/handler.ts";
import { limitResponseSize } from "../../../src/http/response-size.ts";
import { changesResponse } from "../../../src/http/server/lambda.ts";
import { apiFunction } from "../../support/lambda-function.ts";
import { issueKey } from "../../../src/accounts/keys.ts";
import { firstMessages, input, newRun } from "../../platform/run-fixtures.ts";
import { temporaryStores } from "../../support/temporary-stores.ts";

/** From Lambda's error: "Response payload size exceeded maximum allowed payload size (6291556 bytes)". */
const maxLambdaBytes = 6_291_556;

/** Polls a run with this input. Returns the response that Lambda receives. */
async function poll(text: string, headers: Record<string, string>) {
  using stores = temporaryStores();
  const run = newRun({ status: "finished" });
  await stores.runs.create(run, firstMessages(input(1, text)));
  const { key } = await issueKey(stores.accounts, { id: run.agentId, organizationId: run.organizationId });
  // As the store of a stack, whose responses are whole.
  const runs: Runs = { ...stores.runs, open: async (id) => stores.runs.read(id) };
  const response = await apiFunction(
    getHandler({ ...stores, runs }),
    changesResponse(limitResponseSize),
  )({
    rawPath: `/v1/agents/${run.id}`,
    headers: { ...headers, "x-api-key": key },
    pathParameters: { agent_id: run.id },
    isBase64Encoded: false,
    requestContext: { requestId: "request-1", http: { method: "GET" } },
  });
  expect(Buffer.byteLength(JSON.stringify(response))).toBeLessThanOrEqual(maxLambdaBytes);
  const expected = JSON.stringify({
    agent_id: run.id,
    loop_status: "finished",
    transcript: [{ role: "input_to_agent", text }],
  });
  return { response, expected };
}

const MiB = 1024 * 1024;

describe("a response over the limit of Lambda", () => {
  test.each([
    ["14 MiB of words", "seven b".repeat(2 * MiB)],
    ["4 MiB of quotes, which are escaped twice", '"'.repeat(4 * MiB)],
    ["3 MiB of three-byte characters", "語".repeat(3 * MiB)],
  ])("is compressed: %s", async (_, text) => {
    const { response, expected } = await poll(text, { "accept-encoding": "br;q=1.0, gzip;q=0.8" });
    expect([response.statusCode, response.isBase64Encoded]).toEqual([200, true]);
    expect(response.headers).toEqual({
      "content-type": "application/json",
      "content-encoding": "gzip",
      vary: "accept-encoding",
      "x-request-id": "request-1",
    });
    const body = gunzipSync(Buffer.from(response.body ?? "", "base64")).toString();
    expect(body === expected).toBe(true);
  });

  test.each([
    ["the client accepts no coding", "words ".repeat(2 * MiB), {}],
    ["the client rejects gzip", "words ".repeat(2 * MiB), { "accept-encoding": "identity, gzip;q=0" }],
    ["the compressed response is too long", randomBytes(6 * MiB).toString("base64"), { "accept-encoding": "gzip" }],
  ])("is 502 if %s", async (_, text, headers) => {
    const { response } = await poll(text, headers);
    expect([response.statusCode, response.body]).toEqual([502, '{"detail":"event history lookup failed"}']);
    expect(response.headers?.["x-request-id"]).toBe("request-1");
  });
});

test("compresses a file as a whole, and no range of one", async () => {
  const content = Buffer.from("a,b\n".repeat(2 * MiB));
  const read = (part?: { start: number; end: number }) => (part ? content.subarray(part.start, part.end + 1) : content);
  const get = (range?: string) => {
    const headers = { "accept-encoding": "gzip", ...(range !== undefined && { range }) };
    const whole = { id: "r", method: "GET", path: "/", query: new URLSearchParams(), parameters: {}, headers };
    const request: ApiRequest = { ...whole, parseBody: (parse) => parse("") };
    return limitResponseSize(request, attachment(request, { name: "a.csv", size: content.length, sha256: "0" }, read));
  };
  const { headers, body } = await get();
  expect([headers["content-encoding"], headers["etag"], headers["accept-ranges"]]).toEqual([
    "gzip",
    'W/"0"',
    undefined,
  ]);
  expect(gunzipSync(body as Uint8Array).equals(content)).toBe(true);
  expect((await get("bytes=0-7000000")).status).toBe(502);
  const { status, headers: own, body: part } = await get("bytes=4000000-");
  expect([status, own["content-encoding"], (part as Uint8Array).length]).toEqual([
    206,
    undefined,
    content.length - 4e6,
  ]);
});

test("does not compress a shorter response", async () => {
  const { response, expected } = await poll("x".repeat(6 * MiB - 8 * 1024), { "accept-encoding": "gzip" });
  expect([response.statusCode, response.isBase64Encoded, response.body === expected]).toEqual([200, undefined, true]);
});
