import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readlinkSync, rmSync, statSync, writeFileSync } from "node:fs";
import type { ServerOptions } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { type ApiRequest, jsonResponse } from "../../../src/http/handler.ts";
import { withErrorResponses } from "../../../src/http/middleware.ts";
import { byteBudget } from "../../../src/http/server/byte-budget.ts";
import { bodyHandler, nodeServer } from "../../../src/http/server/node-server.ts";
import { responseWriter } from "../../../src/http/server/write-response.ts";
import { maxBufferedBytes } from "../../../src/http/server/read-body.ts";
import { createSpoolDirectory } from "../../../src/http/server/spool-file.ts";

const MiB = 1024 * 1024;
const root = mkdtempSync(join(tmpdir(), "bodies-"));
afterAll(() => rmSync(root, { recursive: true }));

let spoolDirectory: string;
beforeEach(() => {
  spoolDirectory = createSpoolDirectory(mkdtempSync(join(root, "spool-")));
});

/** Responds with the size and the sum of the body's bytes. */
const echo = withErrorResponses(async ({ parseBody }: ApiRequest) => {
  const body = await parseBody(async (received) => Buffer.from(received));
  return jsonResponse(200, { size: body.length, sum: body.reduce((sum, byte) => sum + byte, 0) });
});

interface TestServer extends AsyncDisposable {
  port: number;
  /** Bytes of bodies that are received or handled. */
  held: () => number;
}

async function startServer({
  idleMilliseconds = 10_000,
  bodies = { all: 1024 * MiB, each: 1024 * MiB },
  handler = echo,
  ...options
}: TestOptions = {}) {
  const budget = byteBudget(bodies);
  const limits = { maxBytes: 4 * MiB, drainBytes: 8 * MiB, idleMilliseconds, spoolDirectory, budget };
  const handle = bodyHandler(handler, limits);
  const write = responseWriter(new AbortController().signal);
  const server = nodeServer(options, async (incoming, outgoing) => {
    const { response, complete } = await handle(incoming);
    if (!complete) outgoing.setHeader("connection", "close");
    await write(incoming, outgoing, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = async (): Promise<void> => {
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  };
  const { port } = server.address() as AddressInfo;
  return { port, held: budget.held, [Symbol.asyncDispose]: close } satisfies TestServer;
}

interface TestOptions extends ServerOptions {
  idleMilliseconds?: number;
  bodies?: Parameters<typeof byteBudget>[0];
  handler?: typeof echo;
}

async function post(
  { port }: TestServer,
  body: Buffer | ReadableStream,
  headers: Record<string, string> = {},
): Promise<{ status: number; retryAfter?: string; json: unknown }> {
  const response = await fetch(`http://127.0.0.1:${port}/`, { method: "POST", body, headers, duplex: "half" });
  const retryAfter = response.headers.get("retry-after");
  return { status: response.status, ...(retryAfter !== null && { retryAfter }), json: await response.json() };
}

function streamOf(body: Buffer): ReadableStream {
  return new Blob([body]).stream();
}

/** A connection that has sent the head of a request with this length, and a part of its body. */
async function openUpload({ port }: TestServer, length: number, part: Buffer, key = "a"): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => {});
  await new Promise<void>((resolve) => {
    socket.write(`POST / HTTP/1.1\r\nhost: h\r\nx-api-key: ${key}\r\ncontent-length: ${length}\r\n\r\n`);
    socket.write(part, () => resolve());
  });
  return socket;
}

function responseOn(socket: Socket): Promise<string> {
  let text = "";
  socket.on("data", (chunk) => (text += chunk.toString()));
  return new Promise((resolve) => socket.once("close", () => resolve(text)));
}

async function until(condition: () => boolean): Promise<void> {
  for (let waited = 0; !condition(); waited += 5) {
    if (waited > 5_000) throw new Error(`not within 5 s: ${condition.toString()}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** Modes of the spool files that this process has open. Their names are removed already. */
function spoolModes(): string[] {
  return readdirSync("/proc/self/fd").flatMap((fd) => {
    const path = `/proc/self/fd/${fd}`;
    try {
      if (!readlinkSync(path).startsWith(spoolDirectory)) return [];
      return [(statSync(path).mode & 0o777).toString(8)];
    } catch {
      return []; // closed in between
    }
  });
}

describe("bodies of every size", () => {
  test.each([0, 1, maxBufferedBytes - 1, maxBufferedBytes, maxBufferedBytes + 1, 3 * MiB + 7, 4 * MiB])(
    "%i bytes arrive unchanged, with a length and chunked",
    async (size) => {
      await using server = await startServer();
      const body = Buffer.alloc(size, "Every byte counts. ");
      const expected = { status: 200, json: { size, sum: body.reduce((sum, byte) => sum + byte, 0) } };
      expect(await post(server, body)).toEqual(expected);
      expect(await post(server, streamOf(body))).toEqual(expected);
      expect(readdirSync(spoolDirectory)).toEqual([]);
    },
  );

  test("one byte over the limit is 413, with a length and chunked", async () => {
    await using server = await startServer();
    const body = Buffer.alloc(4 * MiB + 1);
    const expected = { status: 413, json: { detail: "total file size exceeds the allowed limit" } };
    expect(await post(server, body)).toEqual(expected);
    expect(await post(server, streamOf(body))).toEqual(expected);
  });

  test("the error of the handler comes before 413", async () => {
    const handler = withErrorResponses(async () => jsonResponse(401, { detail: "Missing API key" }));
    await using server = await startServer({ handler });
    expect((await post(server, Buffer.alloc(5 * MiB))).status).toBe(401);
  });

  test("is not stored before the handler asks for it", async () => {
    const accept = Promise.withResolvers<void>();
    const handler = withErrorResponses(async (request: ApiRequest) => {
      await accept.promise;
      return echo(request);
    });
    await using server = await startServer({ handler });
    const body = Buffer.alloc(4 * MiB, 1);
    const waiting = await openUpload(server, body.length, body.subarray(0, 60_000));
    expect(server.held()).toBe(0);
    accept.resolve();
    await until(() => server.held() === 60_000);
    let response = "";
    waiting.on("data", (chunk) => (response += chunk.toString()));
    waiting.write(body.subarray(60_000));
    await until(() => response.includes(JSON.stringify({ size: body.length, sum: body.length })));
    waiting.destroy();
  });
});

describe.skipIf(process.platform !== "linux")("spool files", () => {
  test("have mode 0600 and no name, and are closed when the client disconnects", async () => {
    await using server = await startServer();
    const socket = await openUpload(server, 3 * MiB, Buffer.alloc(2 * MiB));
    await until(() => spoolModes().length === 1 && readdirSync(spoolDirectory).length === 0);
    expect(spoolModes()).toEqual(["600"]);
    expect(statSync(spoolDirectory).mode & 0o777).toBe(0o700);
    socket.resetAndDestroy();
    await until(() => spoolModes().length === 0);
  });

  test("are closed after a success, an error and an oversized body", async () => {
    const failing = withErrorResponses(async ({ parseBody }) => {
      await parseBody(async () => {});
      throw new Error("out of order");
    });
    await using server = await startServer();
    await using failingServer = await startServer({ handler: failing });
    expect((await post(server, Buffer.alloc(2 * MiB))).status).toBe(200);
    expect((await post(failingServer, Buffer.alloc(2 * MiB))).status).toBe(500);
    expect((await post(server, streamOf(Buffer.alloc(5 * MiB)))).status).toBe(413);
    await until(() => spoolModes().length === 0);
  });

  test("of an earlier process are removed at start", () => {
    writeFileSync(join(spoolDirectory, "left"), "behind");
    createSpoolDirectory(spoolDirectory);
    expect(readdirSync(spoolDirectory)).toEqual([]);
  });
});

// Answers uploads of 4 MiB, of the bytes of the first write, and of 1 byte, in a process that may write files of 1 MB at most.
const diskFull = `
  import { once } from "node:events";
  import { mkdtempSync } from "node:fs";
  import { tmpdir } from "node:os";
  import { localServer } from "./src/http/server/local-server.ts";
  import { createSpoolDirectory } from "./src/http/server/spool-file.ts";
  const notFound = async ({ parseBody }) => ({
    status: 200,
    headers: {},
    body: await parseBody(async ({ length }) => String(length)),
  });
  const { withErrorResponses } = await import("./src/http/middleware.ts");
  const server = localServer(
    withErrorResponses(notFound),
    { spoolDirectory: createSpoolDirectory(mkdtempSync(tmpdir() + "/full-")), hosts: { host: "", allowedHosts: [] } },
  );
  await once(server.listen(0, "127.0.0.1"), "listening");
  for (const size of [4 * 1024 * 1024, 512 * 1024, 1]) {
    const url = "http://127.0.0.1:" + server.address().port;
    const response = await fetch(url, { method: "POST", body: Buffer.alloc(size) });
    console.log(response.status, response.headers.get("retry-after"), await response.text());
  }
  process.exit();
`;

test.skipIf(process.platform === "win32")("a full disk is 503, and the server continues", () => {
  const limited = 'ulimit -f 1000 && exec "$0" --input-type=module -e "$1"';
  const { stdout, stderr } = spawnSync("sh", ["-c", limited, process.execPath, diskFull], { encoding: "utf8" });
  expect(stdout.trim().split("\n")).toEqual([
    '503 5 {"detail":"Not enough disk space to receive the request body; retry later"}',
    '503 5 {"detail":"Not enough disk space to receive the request body; retry later"}',
    "200 null 1",
  ]);
  expect(stderr.match(/"level":"error"/g)).toHaveLength(2);
});

describe("bodies at a time", () => {
  const keyA = { "x-api-key": "a" };
  const keyB = { authorization: "Bearer b", "x-api-key": "a" };
  const small = { status: 200, json: { size: 10, sum: 0 } };

  test("of one key are limited, and others are accepted", async () => {
    await using server = await startServer({ bodies: { all: 100 * MiB, each: 4 * MiB } });
    const sockets = [
      await openUpload(server, 3 * MiB, Buffer.alloc(2 * MiB)),
      await openUpload(server, 3, Buffer.of(1)),
    ];
    await until(() => server.held() === 2 * MiB + 1);
    for (const body of [Buffer.alloc(3 * MiB), streamOf(Buffer.alloc(3 * MiB))]) {
      expect(await post(server, body, keyA)).toEqual({
        status: 429,
        retryAfter: "5",
        json: { detail: "Other requests with this key are sending large bodies; retry when they have ended" },
      });
    }
    expect(await post(server, Buffer.alloc(10), keyA)).toEqual(small);
    expect((await post(server, Buffer.alloc(3 * MiB), keyB)).status).toBe(200);
    for (const socket of sockets) socket.destroy();
    await until(() => server.held() === 0);
    expect((await post(server, Buffer.alloc(3 * MiB), keyA)).status).toBe(200);
  });

  test("of two keys leave room to others, although both may hold half of all", async () => {
    await using server = await startServer({ bodies: { all: 6 * MiB, each: 3 * MiB } });
    const first = await openUpload(server, 4 * MiB, Buffer.alloc(3 * MiB));
    await until(() => server.held() === 3 * MiB);
    expect((await post(server, Buffer.alloc(3 * MiB), { "x-api-key": "c" })).status).toBe(503);
    const second = await openUpload(server, 2 * MiB, Buffer.alloc(1.5 * MiB), "c");
    await until(() => server.held() === 4.5 * MiB);
    expect((await post(server, Buffer.alloc(0.7 * MiB), keyB)).status).toBe(200);
    for (const socket of [first, second]) socket.destroy();
  });

  test("of all keys are limited", async () => {
    await using server = await startServer({ bodies: { all: 4 * MiB, each: 3 * MiB } });
    const socket = await openUpload(server, 3 * MiB, Buffer.alloc(2 * MiB));
    await until(() => server.held() === 2 * MiB);
    expect(await post(server, Buffer.alloc(3 * MiB), keyB)).toEqual({
      status: 503,
      retryAfter: "5",
      json: { detail: "The server is receiving too many large request bodies; retry later" },
    });
    expect(await post(server, Buffer.alloc(10), keyB)).toEqual(small);
    socket.destroy();
    await until(() => server.held() === 0);
  });
});

describe("slow clients", () => {
  test("a body that stops is 408", async () => {
    await using server = await startServer({ idleMilliseconds: 100 });
    const response = responseOn(await openUpload(server, 3 * MiB, Buffer.alloc(MiB)));
    expect(await response).toMatch(/^HTTP\/1.1 408 [^]*{"detail":"Timed out while reading the request body"}$/);
  });

  test("headers that are not complete in time are 408", async () => {
    await using server = await startServer({ headersTimeout: 100, connectionsCheckingInterval: 20 });
    const socket = connect(server.port, "127.0.0.1");
    socket.write("POST / HTTP/1.1\r\nx-slow: ");
    expect(await responseOn(socket)).toMatch(/^HTTP\/1.1 408 [^]*{"detail":"Request Timeout"}$/);
  });

  test("a connection on which nothing is sent in time is closed without an answer", async () => {
    await using server = await startServer({ headersTimeout: 100, connectionsCheckingInterval: 20 });
    expect(await responseOn(connect(server.port, "127.0.0.1"))).toBe("");
  });

  test("large bodies that are still arriving do not delay a complete one", async () => {
    await using server = await startServer();
    const slow = await Promise.all(Array.from({ length: 64 }, () => openUpload(server, 3 * MiB, Buffer.alloc(MiB))));
    expect((await post(server, Buffer.alloc(3 * MiB))).status).toBe(200);
    for (const socket of slow) socket.destroy();
  });
});

test("at most four large bodies are handled at a time, of one key three, and small ones without a limit", async () => {
  let [active, peak] = [0, 0];
  const release = Promise.withResolvers<void>();
  const handler = withErrorResponses(async ({ parseBody }) => {
    await parseBody(async () => {});
    peak = Math.max(peak, ++active);
    await release.promise;
    active--;
    return jsonResponse(200, {});
  });
  await using server = await startServer({ handler });
  const large = Array.from({ length: 12 }, () => post(server, Buffer.alloc(MiB), { "x-api-key": "ak_one" }));
  await until(() => active === 3);
  large.push(post(server, Buffer.alloc(MiB), { "x-api-key": "ak_other" }));
  await until(() => active === 4);
  const small = Array.from({ length: 12 }, () => post(server, Buffer.alloc(10)));
  await until(() => active === 16);
  release.resolve();
  for (const { status } of await Promise.all([...large, ...small])) expect(status).toBe(200);
  expect(peak).toBe(16);
});
