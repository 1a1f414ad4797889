import { once } from "node:events";
import { type AddressInfo, connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { pause } from "../../../src/async/backoff.ts";
import type { ApiResponse } from "../../../src/http/handler.ts";
import { byteBudget } from "../../../src/http/server/byte-budget.ts";
import { nodeServer } from "../../../src/http/server/node-server.ts";
import { responseWriter } from "../../../src/http/server/write-response.ts";

const MiB = 1024 * 1024;
const bytes = 40 * MiB; // more than the operating system takes for a connection
const headers = { "content-type": "application/json" };
const whole: ApiResponse = { status: 200, headers, body: Buffer.alloc(bytes, "a") };
const streamed: ApiResponse = {
  status: 200,
  headers,
  async *body() {
    for (let sent = 0; sent < bytes; sent += MiB) yield "a".repeat(MiB);
  },
};
const late: ApiResponse = { status: 200, headers, body: "late" };
const both = [
  ["a whole response", whole],
  ["a stream", streamed],
] as const;

async function startServer(response: ApiResponse, { stallMilliseconds = 60_000, each = 1024 * MiB } = {}) {
  const budget = byteBudget({ all: 1024 * MiB, each });
  const write = responseWriter(new AbortController().signal, { stallMilliseconds, budget });
  const server = nodeServer({}, async (incoming, outgoing) => {
    if (incoming.url !== "/late") return write(incoming, outgoing, response);
    await pause(700);
    await write(incoming, outgoing, late);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    held: budget.held,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Sends a request, and reads the first bytes of its response. */
async function firstBytes(port: number, key: string): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => {});
  socket.write(`GET / HTTP/1.1\r\nhost: h\r\nx-api-key: ${key}\r\n\r\n`);
  await once(socket, "readable");
  return socket;
}

async function until(condition: () => boolean): Promise<void> {
  for (let waited = 0; !condition(); waited += 5) {
    if (waited > 5_000) throw new Error(`not within 5 s: ${condition.toString()}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** Reads to the end, with a pause before each part. Resolves with the bytes received. */
async function readSlowly(socket: Socket, milliseconds = 0): Promise<number> {
  let received = 0;
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    received += chunk.length;
    if (milliseconds > 0 && received % 7 === 0) await new Promise((resolve) => setTimeout(resolve, milliseconds));
    if (received >= bytes) break;
  }
  return received;
}

test.for(both)("the connection of a client that takes nothing of %s is closed", async ([, response]) => {
  await using server = await startServer(response, { stallMilliseconds: 300 });
  const stalled = await firstBytes(server.port, "a");
  await until(() => server.held() > 0);
  await until(() => server.held() === 0);
  const received = await readSlowly(stalled).catch(() => 0);
  expect(received).toBeLessThan(bytes);
});

test.for(both)(
  "the connection of a client that takes nothing of %s anymore is not closed late",
  async ([, response]) => {
    await using server = await startServer(response, { stallMilliseconds: 1_800 });
    const stalled = await firstBytes(server.port, "a");
    await until(() => server.held() > 0);
    const stalledAt = performance.now();
    await until(() => server.held() === 0);
    const milliseconds = performance.now() - stalledAt;
    expect(milliseconds).toBeGreaterThan(1_500);
    expect(milliseconds).toBeLessThan(3_000); // a timeout of Node.js comes after 3,600
    stalled.destroy();
  },
);

test.for(both)("a client that reads slowly gets all of %s", async ([, response]) => {
  await using server = await startServer(response, { stallMilliseconds: 2_000 });
  expect(await readSlowly(await firstBytes(server.port, "a"), 20)).toBeGreaterThanOrEqual(bytes);
  await until(() => server.held() === 0);
});

test.for(both)("a request behind one for %s has time of its own", async ([, response]) => {
  await using server = await startServer(response, { stallMilliseconds: 1_200 });
  const socket = await firstBytes(server.port, "a");
  socket.write("GET /late HTTP/1.1\r\nhost: h\r\nconnection: close\r\n\r\n");
  expect((await text(socket)).slice(-4)).toBe("late");
});

test.for(both)("bytes of %s that wait for the clients of one key are limited", async ([, response]) => {
  const each = response === whole ? 2 * bytes : 2 * MiB;
  await using server = await startServer(response, { each });
  const [one, two] = [await firstBytes(server.port, "a"), await firstBytes(server.port, "a")];
  await until(() => server.held() === each);
  const cut = await readSlowly(await firstBytes(server.port, "a")).catch(() => 0);
  expect(cut).toBeLessThan(bytes);
  expect(server.held()).toBe(each);
  expect(await readSlowly(await firstBytes(server.port, "b"))).toBeGreaterThanOrEqual(bytes);
  for (const socket of [one, two]) socket.destroy();
  await until(() => server.held() === 0);
  expect(await readSlowly(await firstBytes(server.port, "a"))).toBeGreaterThanOrEqual(bytes);
});
