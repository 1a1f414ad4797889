import { beforeAll, expect, test } from "vitest";
import { httpServer } from "../../support/http-server.ts";
import { fileCases } from "../../../conformance/files.ts";
import type { TestedServer } from "../../../conformance/types.ts";
import { runCases } from "../../../conformance/suite.ts";
import { type Edge, startEdge } from "./edge.ts";
import { createBody, type UploadServerProcess, secrets, send, startUploadServer } from "./upload-process.ts";

// A stand-in for API Gateway: an origin that names itself.
const small = await httpServer((request, response) => {
  request.resume().on("end", () => response.writeHead(200).end('{"origin":"small"}'));
});
let service: UploadServerProcess;
let edge: Edge;
beforeAll(async () => {
  service = await startUploadServer("web-function");
  edge = await startEdge({
    small: { baseUrl: small.url },
    large: { baseUrl: `http://127.0.0.1:${service.port}`, secret: secrets.old },
  });
  return async () => {
    await Promise.all([edge.close(), small.close()]);
    service.child.kill("SIGKILL");
    await service.exited;
  };
});

/** Sends a request through the edge, with a forged origin secret. */
function viaEdge(body: Buffer, headers: object = {}) {
  const port = Number(new URL(edge.baseUrl).port);
  return send({ ...service, port }, body, { headers: { "x-origin-secret": "guess", ...headers } });
}

test("small creates reach API Gateway, large and chunked ones the upload server", async () => {
  expect((await viaEdge(createBody(service, [700_000]))).body).toEqual({ origin: "small" });
  expect((await viaEdge(createBody(service, [800_000]))).status).toBe(201);
  expect((await viaEdge(createBody(service, [1]), { "transfer-encoding": "chunked" })).status).toBe(201);
  expect(edge.counts).toEqual({ small: 1, large: 2, streams: 0, rejected: 0 });
});

test("a large create without a valid key, or over 20 MiB, reaches no origin and gets the contract's response", async () => {
  const before = { ...edge.counts };
  const body = createBody(service, [2_000_000]);
  const [unknown, missing] = [`ak_${"a".repeat(49)}`, { authorization: "Basic dXNlcjpwYXNz" }];
  const answers = [
    await viaEdge(body, missing),
    await viaEdge(body, { authorization: "Bearer no-such-key" }),
    await viaEdge(Buffer.alloc(21 * 1024 * 1024, "a")),
    await viaEdge(body, { authorization: `Bearer ${unknown}` }),
  ];
  expect(answers.map(({ status, body: answer }) => [status, answer])).toEqual([
    [401, { detail: "Missing API key" }],
    [401, { detail: "Invalid API key" }],
    [413, { detail: "total file size exceeds the allowed limit" }],
    [401, { detail: "Invalid API key" }], // by the upload server: the key is well-formed
  ]);
  for (const { headers } of answers) {
    expect(headers).toMatchObject({
      "content-type": "application/json",
      "x-request-id": expect.any(String) as unknown,
    });
  }
  expect(answers.map(({ headers }) => headers["www-authenticate"])).toEqual(["Bearer", "Bearer", undefined, "Bearer"]);
  expect(edge.counts).toEqual({ ...before, large: before.large + 1, rejected: before.rejected + 3 });
});

test("the large creates of the conformance suite pass, including 10 MiB", async () => {
  const { apiKey, templateId } = service;
  const target: TestedServer = { baseUrl: edge.baseUrl, apiKey, templateId, timeoutSeconds: 60, quotesFiles: false };
  const large = fileCases.filter(({ name }) => /10 MiB|of 1 MiB/.test(name));
  expect(large.length).toBeGreaterThanOrEqual(5);
  const before = edge.counts.large;
  const results = await runCases(large, target, () => {});
  expect(results.filter(({ passed }) => !passed)).toEqual([]);
  expect(edge.counts.large - before).toBe(large.length);
});
