import { beforeAll, expect, test } from "vitest";
import { reachableUrl, smokeTest } from "../../../bin/deploy/smoke-test.ts";
import { httpServer } from "../../support/http-server.ts";
import { type Service, startService } from "../service.ts";
import { startEdge } from "./edge.ts";
import { type UploadServerProcess, secrets, startUploadServer } from "./upload-process.ts";

let small: Service;
let large: UploadServerProcess;
beforeAll(async () => {
  [small, large] = await Promise.all([startService(), startUploadServer("web-function")]);
  return async () => {
    large.child.kill("SIGKILL");
    await Promise.all([small[Symbol.asyncDispose](), large.exited]);
  };
});

/** Runs the smoke test without pauses. Resolves with its result and the lines that it prints. */
async function smoke(baseUrl: string, uploads: "web-function" | "fargate" | "off", endpoint?: string) {
  const lines: string[] = [];
  const io = { out: (text: string) => void lines.push(text), err: () => {} };
  const passed = await smokeTest({ baseUrl: new URL(baseUrl), uploads, endpoint }, io, 0);
  return { passed, lines };
}

async function smokeThroughEdge(upload: { port: number; secret: string }) {
  const edge = await startEdge({
    small: { baseUrl: small.baseUrl },
    large: { baseUrl: `http://127.0.0.1:${upload.port}`, secret: upload.secret },
  });
  const result = await smoke(edge.baseUrl, "web-function");
  await edge.close();
  return result;
}

test("a front door that works passes, and the upload server responds to the large create", async () => {
  expect(await smokeThroughEdge({ port: large.port, secret: secrets.new })).toEqual({
    passed: true,
    lines: [
      "ok       OpenAPI description: 200 from the service",
      "ok       create without a key: 401 Missing API key from the service",
      "ok       create of 4 MB with an unknown key: 401 Invalid API key from the web function",
      "ok       create of 14 MB with an unknown key: 401 Invalid API key from the web function",
      "ok       events with an unknown key: 401 Invalid API key from the web function",
      expect.stringMatching(/^ok {7}open stream: its parts arrived 1\.\d s apart, from the web function$/),
    ],
  });
});

test("an upload server with another secret, or that does not run, fails", async () => {
  const expected = "expected 401 Invalid API key from the web function";
  const wrongSecret = await smokeThroughEdge({ port: large.port, secret: "another" });
  expect(wrongSecret.lines[2]).toMatch(/^FAILED {3}create of 4 MB with an unknown key: /);
  expect(wrongSecret.lines[2]).toContain(expected);
  const dead = await smokeThroughEdge({ port: 1, secret: secrets.new });
  expect(dead.lines[2]).toMatch(/: (socket hang up|ECONNRESET|EPIPE); expected/);
  expect([wrongSecret.passed, dead.passed]).toEqual([false, false]);
});

test("a large create that API Gateway receives fails", async () => {
  await using server = await httpServer((request, response) => {
    request.resume().on("end", () => {
      const detail = request.headers.authorization ? "Invalid API key" : "Missing API key";
      const isCreate = request.method === "POST";
      response.writeHead(isCreate ? 401 : 200, { "apigw-requestid": "x" });
      response.end(JSON.stringify(isCreate ? { detail } : { openapi: "3.1.0" }));
    });
  });
  expect(await smoke(server.url, "fargate")).toEqual({
    passed: false,
    lines: [
      "ok       OpenAPI description: 200 from API Gateway",
      "ok       create without a key: 401 Missing API key from API Gateway",
      "FAILED   create of 4 MB with an unknown key: 401 Invalid API key from API Gateway; expected 401 Invalid API key from Fargate",
      "FAILED   create of 14 MB with an unknown key: 401 Invalid API key from API Gateway; expected 401 Invalid API key from Fargate",
      "FAILED   events with an unknown key: 200 from API Gateway; expected 401 Invalid API key from Fargate",
      expect.stringMatching(
        /^FAILED {3}open stream: a response that was collected: its parts arrived \d+ ms apart; expected .* largeBodies=web-function$/,
      ),
    ],
  });
  const withoutFrontDoor = await smoke("https://api.invalid", "off", server.url);
  expect(withoutFrontDoor.passed).toBe(true);
  expect(withoutFrontDoor.lines[2]).toMatch(/^ok {7}create of 2 MB with an unknown key: 401/);
});

test("a front door that does not pass the largest create on fails", async () => {
  await using edge = await httpServer((request, response) => {
    const tooLarge = Number(request.headers["content-length"]) > 10_000_000;
    request.resume().on("end", () => {
      const detail = request.headers.authorization ? "Invalid API key" : "Missing API key";
      const isCreate = request.method === "POST";
      response.writeHead(tooLarge ? 413 : isCreate ? 401 : 200);
      response.end(tooLarge ? "" : JSON.stringify(isCreate ? { detail } : { openapi: "3.1.0" }));
    });
  });
  const { passed, lines } = await smoke(edge.url, "fargate");
  expect(passed).toBe(false);
  expect(lines.slice(2)).toEqual([
    "ok       create of 4 MB with an unknown key: 401 Invalid API key from Fargate",
    expect.stringMatching(/^FAILED {3}create of 14 MB with an unknown key: 413 /),
    expect.stringMatching(/^FAILED {3}events with an unknown key: 200 /),
    expect.stringMatching(/^FAILED {3}open stream: /),
  ]);
});

test("a custom domain without a DNS record is replaced by CloudFront's domain", async () => {
  const lines: string[] = [];
  const io = { out: (text: string) => void lines.push(text), err: () => {} };
  const { href } = await reachableUrl("https://api.invalid", "d1.cloudfront.net", io);
  expect(href).toBe("https://d1.cloudfront.net/");
  expect(lines).toEqual([
    "note     api.invalid is not in DNS. Create a CNAME record to d1.cloudfront.net, which is tested instead.",
  ]);
  expect((await reachableUrl("https://localhost", "d1.cloudfront.net", io)).hostname).toBe("localhost");
});
