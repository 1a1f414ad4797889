import { beforeAll, expect, test } from "vitest";
import { httpServer } from "../../support/http-server.ts";
import { fileCases } from "../../../conformance/files.ts";
import type { Target } from "../../../conformance/types.ts";
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
  expect((await viaEdge(createBody(service, [1_000_000]))).body).toEqual({ origin: "small" });
  expect((await viaEdge(createBody(service, [2_400_000]))).status).toBe(201);
  expect((await viaEdge(createBody(service, [1]), { "transfer-encoding": "chunked" })).status).toBe(201);
  expect(edge.counts).toEqual({ small: 1, large: 2 });
});

test("the large creates of the conformance suite pass, including 10 MiB", async () => {
  const { apiKey, templateId } = service;
  const target: Target = { baseUrl: edge.baseUrl, apiKey, templateId, timeoutSeconds: 60, quotesFiles: false };
  const large = fileCases.filter(({ name }) => /10 MiB|of 1 MiB/.test(name));
  expect(large.length).toBeGreaterThanOrEqual(5);
  const before = edge.counts.large;
  const results = await runCases(large, target, () => {});
  expect(results.filter(({ passed }) => !passed)).toEqual([]);
  expect(edge.counts.large - before).toBe(large.length);
});
