import { once } from "node:events";
import { connect } from "node:net";
import { mkdtempSync, rmSync } from "node:fs";
import type { AddressInfo, Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { ApiResponse, StreamBody } from "../../../src/http/handler.ts";
import { limitResponseSize } from "../../../src/http/response-size.ts";
import { changesResponse } from "../../../src/http/server/lambda.ts";
import { apiFunction } from "../../support/lambda-function.ts";
import { localServer } from "../../../src/http/server/local-server.ts";
import { pause } from "../../../src/async/backoff.ts";

/** A server whose `GET /` streams `body`. `ready` is called for each request; the response begins when it resolves. */
async function startServer(body: StreamBody, ready = async (): Promise<void> => {}) {
  const spoolDirectory = mkdtempSync(join(tmpdir(), "streams-"));
  const stream: ApiResponse = { status: 200, headers: { "content-type": "text/event-stream" }, body };
  const hosts = { host: "127.0.0.1", allowedHosts: [] };
  const handler = () => ready().then(() => stream);
  const server = localServer(handler, { spoolDirectory, hosts });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    server,
    port,
    url: `http://127.0.0.1:${port}/`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      if (server.listening) await new Promise((resolve) => server.close(resolve));
      rmSync(spoolDirectory, { recursive: true });
    },
  };
}

/** A stream of ticks that counts how many of it are open. */
function ticks(text = "tick\n", milliseconds = 5) {
  const counts = { open: 0, sent: 0 };
  const body: StreamBody = async function* (signal) {
    counts.open++;
    try {
      while (!signal.aborted) {
        counts.sent++;
        yield text;
        await pause(milliseconds, signal).catch(() => {});
      }
    } finally {
      counts.open--;
    }
  };
  return { body, counts };
}

test("a stream is sent piece by piece, and ends soon after its client has left", async () => {
  const { body, counts } = ticks();
  await using service = await startServer(body);
  const leave = new AbortController();
  const response = await fetch(service.url, { signal: leave.signal });
  expect([response.status, response.headers.get("content-length")]).toEqual([200, null]);
  const reader = response.body?.getReader();
  const { value } = (await reader?.read()) ?? {};
  expect(Buffer.from(value ?? []).toString()).toMatch(/^tick\n/);
  expect(counts.open).toBe(1);
  leave.abort();
  await expect.poll(() => counts.open).toBe(0);
});

test.each(["resetAndDestroy", "end"] as const)(
  "a stream does not begin when its client has left before (%s)",
  async (leave) => {
    const { body, counts } = ticks();
    const [requested, ready] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    await using service = await startServer(body, () => {
      requested.resolve();
      return ready.promise;
    });
    const connected = once(service.server, "connection");
    const socket = connect({ port: service.port, allowHalfOpen: true });
    const [accepted] = (await connected) as [Socket];
    // Not `once` of node:events, which rejects for the error of a reset.
    const left = new Promise((resolve) => accepted.once(leave === "end" ? "end" : "close", resolve));
    socket.write("GET / HTTP/1.1\r\nhost: x\r\n\r\n");
    await requested.promise;
    socket[leave]();
    await left;
    ready.resolve();
    if (leave === "end") await once(socket.resume(), "close");
    await pause(20);
    expect(counts).toEqual({ open: 0, sent: 0 });
  },
);

test("a client that closes only its side of the connection has left, too", async () => {
  const { body, counts } = ticks("", 60_000);
  await using service = await startServer(body);
  const socket = connect({ port: service.port, allowHalfOpen: true });
  socket.write("GET / HTTP/1.1\r\nhost: x\r\n\r\n");
  await expect.poll(() => counts.open).toBe(1);
  socket.end();
  await expect.poll(() => counts.open).toBe(0);
  await once(socket.resume(), "close");
});

test("a client that does not read stops the stream until it reads", async () => {
  const { body, counts } = ticks("x".repeat(100_000), 0);
  await using service = await startServer(body);
  const socket = connect({ port: service.port });
  socket.write("GET / HTTP/1.1\r\nhost: x\r\n\r\n");
  socket.pause();
  let before = -1;
  await expect
    .poll(
      () => {
        const unchanged = counts.sent > 5 && counts.sent === before;
        before = counts.sent;
        return unchanged;
      },
      { interval: 100, timeout: 25_000 },
    )
    .toBe(true);
  expect(counts.sent).toBeLessThan(1_000); // 100 MB would be buffered otherwise
  socket.resume();
  await expect.poll(() => counts.sent).toBeGreaterThan(before + 10);
  socket.destroy();
  await expect.poll(() => counts.open).toBe(0);
});

test("a server that closes ends its streams at once", async () => {
  const { body, counts } = ticks("tick\n", 60_000);
  await using service = await startServer(body);
  const responses = await Promise.all([fetch(service.url), fetch(service.url)]);
  expect(counts.open).toBe(2);
  await new Promise((resolve) => service.server.close(resolve));
  expect(await Promise.all(responses.map((response) => response.text()))).toEqual(["tick\n", "tick\n"]);
  expect(counts.open).toBe(0);
});

const twoParts = async (): Promise<ApiResponse> => ({
  status: 200,
  headers: { "content-type": "text/event-stream" },
  async *body() {
    yield "one\n";
    yield "two\n";
  },
});

test("Lambda sends a stream when it has ended", async () => {
  const event = { headers: {}, rawPath: "/", isBase64Encoded: false };
  const requestContext = { requestId: "r", http: { method: "GET" } };
  const answer = await apiFunction(twoParts, changesResponse(limitResponseSize))({ ...event, requestContext });
  expect(answer).toMatchObject({ statusCode: 200, body: "one\ntwo\n" });
});
