import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { type AddressInfo, connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { ConnectionLimits } from "../../../src/http/server/connection-limits.ts";
import type { ApiRequest, ApiResponse } from "../../../src/http/handler.ts";
import { localServer } from "../../../src/http/server/local-server.ts";

/** A server that accepts the key "known". `/slow` answers when `finish` is called. */
async function startServer(strangers: ConnectionLimits) {
  const spoolDirectory = mkdtempSync(join(tmpdir(), "connections-"));
  const slow = Promise.withResolvers<void>();
  const handler = async ({ path, headers }: ApiRequest): Promise<ApiResponse> => {
    if (path === "/slow") await slow.promise;
    return { status: headers["x-api-key"] === "known" ? 200 : 401, headers: {}, body: "" };
  };
  const server = localServer(handler, { spoolDirectory, hosts: { host: "127.0.0.1", allowedHosts: [] }, strangers });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const sockets: Socket[] = [];
  return {
    finish: slow.resolve,
    async open(): Promise<Socket> {
      const socket = connect(port, "127.0.0.1").on("error", () => {});
      sockets.push(socket);
      await Promise.all([once(socket, "connect"), once(server, "connection")]);
      return socket;
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
      rmSync(spoolDirectory, { recursive: true });
    },
  };
}

function send(socket: Socket, path: string, key = ""): void {
  socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nX-API-Key: ${key}\r\n\r\n`);
}

/** The first line of the next response. */
async function statusOf(socket: Socket): Promise<string> {
  const [chunk] = (await once(socket, "data")) as [Buffer];
  return String(chunk).split(" ")[1] ?? "";
}

const limits = { all: 3, eachAddress: 3 };

test("of too many connections that send nothing, the oldest are closed", async () => {
  await using service = await startServer(limits);
  const [first, second] = [await service.open(), await service.open()];
  const others = [await service.open()];
  const closed = [first, second].map((socket) => once(socket.resume(), "close"));
  others.push(await service.open(), await service.open());
  await Promise.all(closed);
  const answers = others.map((socket) => statusOf(socket));
  for (const socket of others) send(socket, "/");
  expect(await Promise.all(answers)).toEqual(["401", "401", "401"]);
});

test("a connection with an accepted key stays, and so does a request in progress", async () => {
  await using service = await startServer(limits);
  const known = await service.open();
  send(known, "/", "known");
  expect(await statusOf(known)).toBe("200");
  const busy = await service.open();
  send(busy, "/slow");
  const idle = [await service.open(), await service.open()];
  const closed = Promise.all(idle.map((socket) => once(socket.resume(), "close")));
  for (let more = 0; more < 3; more++) await service.open();
  await closed;
  const answer = statusOf(busy);
  service.finish();
  send(known, "/", "known");
  expect([await answer, await statusOf(known)]).toEqual(["401", "200"]);
});

test("where all are in use, the new connection is closed", async () => {
  await using service = await startServer({ all: 3, eachAddress: 1 });
  const busy = await service.open();
  send(busy, "/slow");
  await new Promise((resolve) => setTimeout(resolve, 50)); // until the request is handled
  const refused = await service.open();
  await once(refused.resume(), "close");
  const answer = statusOf(busy);
  service.finish();
  expect(await answer).toBe("401");
});
