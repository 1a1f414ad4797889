import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import type { Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, describe, expect, test } from "vitest";
import { localProgram } from "../../../bin/local/options.ts";
import { jsonResponse } from "../../../src/http/handler.ts";
import { withErrorResponses } from "../../../src/http/middleware.ts";
import type { HostRules } from "../../../src/http/server/host-check.ts";
import { localServer } from "../../../src/http/server/local-server.ts";
import { createSpoolDirectory } from "../../../src/http/server/spool-file.ts";

const directory = mkdtempSync(join(tmpdir(), "hosts-"));
const servers: Server[] = [];
afterAll(() => {
  for (const server of servers) server.close();
  rmSync(directory, { recursive: true });
});

/** A server with these rules, whose handler answers every request with 200. Resolves with its port. */
async function listen(rules: HostRules, address = "127.0.0.1"): Promise<number> {
  const spoolDirectory = createSpoolDirectory(`${directory}/${servers.length}`);
  const handler = withErrorResponses(async ({ method, path }) => jsonResponse(200, { method, path }));
  const server = localServer(handler, { spoolDirectory, hosts: rules });
  servers.push(server);
  await once(server.listen(0, address), "listening");
  return (server.address() as AddressInfo).port;
}

/** Sends lines as they are. Resolves with the status and the body of the response. */
async function send(port: number, lines: string[], address = "127.0.0.1") {
  const socket = connect(port, address);
  socket.write(`${[...lines, "Connection: close"].join("\r\n")}\r\n\r\n`);
  const response = await text(socket);
  return { status: Number(response.slice(9, 12)), response, body: response.split("\r\n\r\n")[1] ?? "" };
}

const own = await listen({ host: "127.0.0.1", allowedHosts: ["runs.example.com", "proxy.example:8443"] });
const wildcard = await listen({ host: "0.0.0.0" });

describe.each([
  "/manage/v1/me",
  "/console/",
  "/console",
  "/mcp",
  "/%6danage/v1/me",
  "http://evil.example/manage/v1/me",
])("%s", (path) => {
  test.each([
    `127.0.0.1:${own}`,
    `localhost:${own}`,
    `LocalHost:${own}`,
    `[::1]:${own}`,
    `[0:0:0:0:0:0:0:1]:${own}`,
    "runs.example.com",
    "Runs.Example.com:443",
    "proxy.example:8443",
  ])("is served for the Host %s", async (host) => {
    expect((await send(own, [`GET ${path} HTTP/1.1`, `Host: ${host}`])).status).toBe(200);
  });

  test.each([
    `evil.example:${own}`, // DNS rebinding: a name of the attacker that resolves to this machine
    `127.0.0.1.evil.example:${own}`,
    `localhost.evil.example:${own}`,
    `evil-localhost:${own}`,
    `localhost.:${own}`,
    `127.0.0.1@evil.example:${own}`,
    `evil.example@127.0.0.1:${own}`,
    `127.0.0.1:${own}:80`,
    `[::1:${own}`,
    `::1:${own}`,
    `192.0.2.1:${own}`,
    `[2001:db8::1]:${own}`,
    "127.0.0.1",
    "localhost:80",
    `localhost:${own + 1}`,
    "proxy.example",
    "proxy.example:443",
    "sub.runs.example.com",
    "",
    " ",
    `localhost:${own}/`,
  ])("is refused for the Host %j", async (host) => {
    expect((await send(own, [`GET ${path} HTTP/1.1`, `Host: ${host}`])).status).toBe(403);
  });

  test("is refused without a Host, and with two", async () => {
    expect((await send(own, [`GET ${path} HTTP/1.0`])).status).toBe(403);
    expect((await send(own, [`GET ${path} HTTP/1.1`])).status).toBe(400);
    const two = [`Host: localhost:${own}`, "Host: evil.example"];
    for (const hosts of [two, two.toReversed()]) {
      expect([400, 403]).toContain((await send(own, [`GET ${path} HTTP/1.1`, ...hosts])).status);
    }
  });
});

test.each(["/v1/openapi.json", "/", "/managed", "/consoles/"])("%s is served for every Host", async (path) => {
  for (const host of ["evil.example", `127.0.0.1:${own + 1}`, ""]) {
    expect((await send(own, [`GET ${path} HTTP/1.1`, `Host: ${host}`])).status).toBe(200);
  }
});

test("the refusal says what was received, what is accepted and what to do", async () => {
  const { body, response } = await send(own, ["GET /console/ HTTP/1.1", `Host: evil.example:${own}`]);
  expect(JSON.parse(body)).toEqual({
    detail:
      `The Host header is "evil.example:${own}"; accepted: 127.0.0.1:${own}, localhost:${own}, [::1]:${own}, ` +
      "runs.example.com, proxy.example:8443. To accept another name, such as that of a reverse proxy, start the service " +
      "with --allow-host NAME.",
    code: "forbidden",
  });
  expect(response).toMatch(/^x-request-id: /m);
});

test("a server on all addresses accepts any address and port, and the name of the machine", async () => {
  const accepted = ["192.0.2.1:9000", "[2001:db8::1]", `localhost:${wildcard}`, "127.0.0.1:1", `${hostname()}:8787`];
  for (const host of accepted) {
    expect((await send(wildcard, ["GET /console/ HTTP/1.1", `Host: ${host}`])).status).toBe(200);
  }
  const { status, body } = await send(wildcard, ["GET /console/ HTTP/1.1", "Host: evil.example"]);
  expect(status).toBe(403);
  expect(body).toContain(`accepted: any IP address, localhost, ${hostname().toLowerCase()}."`);
});

test.each([
  ["::1", "::1"],
  ["::", "::1"],
  ["127.0.0.2", "127.0.0.2"],
])("a server on %s accepts its address", async (host, address) => {
  const port = await listen({ host }, address);
  const named = address.includes(":") ? `[${address}]` : address;
  expect((await send(port, ["GET /console/ HTTP/1.1", `Host: ${named}:${port}`], address)).status).toBe(200);
  expect((await send(port, ["GET /console/ HTTP/1.1", `Host: evil.example:${port}`], address)).status).toBe(403);
});

describe("the Origin", () => {
  const request = (method: string, origin: string, host = `localhost:${own}`) =>
    send(own, [`${method} /manage/v1/runs HTTP/1.1`, `Host: ${host}`, `Origin: ${origin}`, "Content-Length: 0"]);

  test.each([
    [`http://localhost:${own}`, `localhost:${own}`],
    ["https://runs.example.com", "runs.example.com"],
    ["https://runs.example.com", `127.0.0.1:${own}`], // a proxy that replaces the Host
  ])("%s may write to %s", async (origin, host) => {
    expect((await request("POST", origin, host)).status).toBe(200);
  });

  test.each([
    "https://evil.example",
    "null",
    "file://",
    `http://localhost:${own + 1}`,
    `http://localhost:${own}.evil.example`,
    `http://127.0.0.1:${own}, http://localhost:${own}`,
  ])("%s may not write, and may not read a response", async (origin) => {
    for (const method of ["POST", "PUT", "PATCH", "DELETE"]) {
      const { status, body } = await request(method, origin);
      expect([status, body]).toEqual([403, expect.stringContaining("only pages of this service may change data")]);
    }
    for (const method of ["GET", "OPTIONS"]) {
      expect((await request(method, origin)).response).not.toMatch(/access-control/i);
    }
  });
});

describe("--allow-host", () => {
  test("takes names, with or without a port", async () => {
    const names = ["Runs.Example.com", "runs.example.com:8443", "[::1]:8787", "192.0.2.1"];
    expect(await parse(...names)).toEqual(names.map((name) => name.toLowerCase()));
    expect(await parse()).toEqual([]);
  });

  test.each(["", "https://runs.example.com", "runs.example.com/console", "*.example.com", "a b"])(
    "rejects %j and says what is expected",
    async (name) => {
      await expect(parse(name)).rejects.toThrow(
        `--allow-host is ${JSON.stringify(name)}; expected a name such as runs.example.com, or NAME:PORT`,
      );
    },
  );
});

/** The values of `--allow-host` that a start with these names has. */
async function parse(...names: string[]): Promise<string[]> {
  const { promise, resolve } = Promise.withResolvers<string[]>();
  const program = localProgram(async ({ allowedHosts }) => resolve(allowedHosts));
  await program.parseAsync(
    names.flatMap((name) => ["--allow-host", name]),
    { from: "user" },
  );
  return promise;
}
