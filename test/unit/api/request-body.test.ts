import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { request as httpRequest } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, expect, test } from "vitest";
import { HttpError } from "../../../src/http/errors.ts";
import { type ApiRequest, jsonResponse } from "../../../src/http/handler.ts";
import { withErrorResponses } from "../../../src/http/middleware.ts";
import { byteBudget } from "../../../src/http/server/byte-budget.ts";
import { bodyHandler, nodeServer } from "../../../src/http/server/node-server.ts";
import { responseWriter } from "../../../src/http/server/write-response.ts";

const MiB = 1024 * 1024;
const spoolDirectory = mkdtempSync(join(tmpdir(), "streamed-"));
afterAll(() => rmSync(spoolDirectory, { recursive: true }));

/** What the handler saw: the sizes of bodies, and the errors that ended others. */
interface Seen {
  sizes: number[];
  errors: string[];
  /** Bytes that have arrived of the body in progress. */
  arrived: number;
}

/** A server whose `PUT /` counts bytes, and rejects the body as soon as there are more than `maxBytes`. */
async function startServer({ idleMilliseconds = 10_000, drainBytes = 8 * MiB, maxBytes = 20 * MiB } = {}) {
  const seen: Seen = { sizes: [], errors: [], arrived: 0 };
  const handler = withErrorResponses(async ({ method, path, bodyChunks, headers, parseBody }: ApiRequest) => {
    if (method !== "PUT" || path !== "/" || !bodyChunks)
      return jsonResponse(200, { parsed: await parseBody(async ({ length }) => length) });
    if (headers["authorization"] === undefined) throw new HttpError(401, "Missing API key", { code: "key_missing" });
    seen.arrived = 0;
    try {
      for await (const { length } of bodyChunks()) {
        seen.arrived += length;
        if (seen.arrived > maxBytes) throw new HttpError(422, "Too long", { code: "upload_mismatch" });
      }
    } catch (error) {
      seen.errors.push((error as Error).message);
      throw error;
    }
    seen.sizes.push(seen.arrived);
    return jsonResponse(200, { size: seen.arrived });
  });
  const budget = byteBudget({ all: 100 * MiB, each: 100 * MiB });
  const handle = bodyHandler(handler, { maxBytes: MiB, drainBytes, idleMilliseconds, spoolDirectory, budget });
  const write = responseWriter(new AbortController().signal);
  const server = nodeServer({}, async (incoming, outgoing, sendContinue) => {
    const { response, complete } = await handle(incoming, sendContinue);
    if (!complete) outgoing.setHeader("connection", "close");
    await write(incoming, outgoing, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    seen,
    port,
    url: `http://127.0.0.1:${port}/`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const authorization = "Bearer x";

async function put(url: string, body: Buffer | ReadableStream, headers: Record<string, string> = { authorization }) {
  const response = await fetch(url, { method: "PUT", body, headers, duplex: "half" });
  return {
    status: response.status,
    close: response.headers.get("connection") === "close",
    json: await response.json(),
  };
}

function openPut(port: number, length: number, part: Buffer): Socket {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => {});
  socket.write(`PUT / HTTP/1.1\r\nhost: h\r\nauthorization: x\r\ncontent-length: ${length}\r\n\r\n`);
  socket.write(part);
  return socket;
}

async function until(condition: () => boolean): Promise<void> {
  for (let waited = 0; !condition(); waited += 5) {
    if (waited > 5_000) throw new Error(`not within 5 s: ${condition.toString()}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

test.each([0, 1, 65_536, 3 * MiB + 7])(
  "a body of %i bytes arrives in chunks, with a length and chunked",
  async (size) => {
    await using server = await startServer();
    const body = Buffer.alloc(size, "Every byte counts. ");
    for (const sent of [body, new Blob([body]).stream()]) {
      expect(await put(server.url, sent)).toEqual({ status: 200, close: false, json: { size } });
    }
    expect(readdirSync(spoolDirectory)).toEqual([]);
  },
);

test("a body over the limit of other requests is accepted, and other requests keep theirs", async () => {
  await using server = await startServer();
  expect(await put(server.url, Buffer.alloc(5 * MiB))).toMatchObject({ json: { size: 5 * MiB } });
  expect((await put(`${server.url}other`, Buffer.alloc(2 * MiB))).status).toBe(413);
  expect(await put(`${server.url}other`, Buffer.alloc(5))).toMatchObject({ json: { parsed: 5 } });
});

test("a client reads the response to a body that is rejected at its beginning or in the middle", async () => {
  await using server = await startServer({ maxBytes: MiB });
  const body = Buffer.alloc(4 * MiB);
  for (const sent of [body, new Blob([body]).stream()]) {
    expect(await put(server.url, sent, {})).toMatchObject({ status: 401, close: false });
    expect(await put(server.url, sent === body ? body : new Blob([body]).stream())).toMatchObject({ status: 422 });
  }
  expect(await put(server.url, Buffer.alloc(1))).toMatchObject({ status: 200 });
});

test("a rejected body that is very long is not read to its end: the connection is closed", async () => {
  await using server = await startServer({ drainBytes: MiB });
  const socket = connect(server.port, "127.0.0.1");
  socket.write(`PUT / HTTP/1.1\r\nhost: h\r\ncontent-length: ${100 * MiB}\r\n\r\n`);
  expect(await text(socket)).toMatch(/^HTTP\/1.1 401 [^]*connection: close[^]*{"detail":"Missing API key"}$/i);
});

test("a client that waits for a 100 gets it only if the body will be read", async () => {
  await using server = await startServer();
  const send = async (headers: Record<string, string>) => {
    let continued = false;
    const request = httpRequest(server.url, { method: "PUT", headers: { expect: "100-continue", ...headers } });
    request.on("continue", () => {
      continued = true;
      request.end(Buffer.alloc(10));
    });
    const response = await new Promise<import("node:http").IncomingMessage>((resolve, reject) => {
      request.once("response", resolve).once("error", reject).flushHeaders();
    });
    await text(response);
    request.destroy();
    return [response.statusCode, continued];
  };
  expect(await send({ authorization, "content-length": "10" })).toEqual([200, true]);
  expect(await send({ "content-length": "10" })).toEqual([401, false]);
});

test("a cut connection ends the body with an error", async () => {
  await using server = await startServer();
  const socket = openPut(server.port, 3 * MiB, Buffer.alloc(MiB));
  await until(() => server.seen.arrived === MiB);
  socket.resetAndDestroy();
  await until(() => server.seen.errors.length === 1);
  expect(server.seen).toMatchObject({ sizes: [], errors: ["The client disconnected before the end of the body"] });
});

test("a body that stops is 408, at once after the time limit", async () => {
  await using server = await startServer({ idleMilliseconds: 200 });
  const response = text(openPut(server.port, 3 * MiB, Buffer.alloc(MiB)));
  expect(await response).toMatch(/^HTTP\/1.1 408 [^]*{"detail":"Timed out while reading the request body"}$/);
  expect(server.seen.sizes).toEqual([]);
});
