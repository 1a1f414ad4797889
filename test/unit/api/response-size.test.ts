import { randomBytes } from "node:crypto";
import { gunzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { getHandler } from "../../../src/api/handlers/get.ts";
import { withinLambda } from "../../../src/api/handlers/response-size.ts";
import { issueKey } from "../../../src/accounts/keys.ts";
import { input, newRun } from "../../platform/run-fixtures.ts";
import { temporaryStores } from "../../support/temporary-stores.ts";

/** What Lambda says when it refuses: "Response payload size exceeded maximum allowed payload size (6291556 bytes)". */
const lambdaTakes = 6_291_556;

/** The answer to a poll of a run with this input, as the function gives it to Lambda. */
async function polled(text: string, headers: Record<string, string>) {
  using stores = temporaryStores();
  const run = newRun({ status: "finished" });
  await stores.runs.create(run, [input(1, text)]);
  const { key } = await issueKey(stores.accounts, { id: run.agentId, organizationId: run.organizationId });
  const answer = await getHandler(
    stores,
    withinLambda,
  )({
    rawPath: `/v1/agents/${run.id}`,
    headers: { ...headers, "x-api-key": key },
    pathParameters: { agent_id: run.id },
    isBase64Encoded: false,
    requestContext: { requestId: "request-1", http: { method: "GET" } },
  });
  expect(Buffer.byteLength(JSON.stringify(answer))).toBeLessThanOrEqual(lambdaTakes);
  const expected = JSON.stringify({
    agent_id: run.id,
    loop_status: "finished",
    transcript: [{ role: "input_to_agent", text }],
  });
  return { answer, expected };
}

const MiB = 1024 * 1024;

describe("an answer that Lambda would not hand on", () => {
  test.each([
    ["14 MiB of words", "seven b".repeat(2 * MiB)],
    ["4 MiB of quotes, each of which is escaped twice", '"'.repeat(4 * MiB)],
    ["3 MiB of characters of three bytes", "語".repeat(3 * MiB)],
  ])("goes compressed: %s", async (_, text) => {
    const { answer, expected } = await polled(text, { "accept-encoding": "br;q=1.0, gzip;q=0.8" });
    expect([answer.statusCode, answer.isBase64Encoded]).toEqual([200, true]);
    expect(answer.headers).toEqual({
      "content-type": "application/json",
      "content-encoding": "gzip",
      vary: "accept-encoding",
      "x-request-id": "request-1",
    });
    const body = gunzipSync(Buffer.from(answer.body ?? "", "base64")).toString();
    expect(body === expected).toBe(true);
  });

  test.each([
    ["no coding is accepted", "words ".repeat(2 * MiB), {}],
    ["gzip is refused", "words ".repeat(2 * MiB), { "accept-encoding": "identity, gzip;q=0" }],
    ["compression is no help", randomBytes(6 * MiB).toString("base64"), { "accept-encoding": "gzip" }],
  ])("is the contract's 502 where %s", async (_, text, headers) => {
    const { answer } = await polled(text, headers);
    expect([answer.statusCode, answer.body]).toEqual([502, '{"detail":"event history lookup failed"}']);
    expect(answer.headers?.["x-request-id"]).toBe("request-1");
  });
});

test("a shorter answer goes as it is, whatever the client takes", async () => {
  const { answer, expected } = await polled("x".repeat(6 * MiB - 8 * 1024), { "accept-encoding": "gzip" });
  expect([answer.statusCode, answer.isBase64Encoded, answer.body === expected]).toEqual([200, undefined, true]);
});
