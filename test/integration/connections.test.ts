import { readdirSync, readlinkSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, expect, test } from "vitest";
import { newToken } from "../../src/accounts/token.ts";
import { createRun, finished, newDataDir, type Service, startService } from "./service.ts";

const MiB = 1024 * 1024;

let service: Service;
beforeAll(async () => {
  service = await startService();
  return () => service[Symbol.asyncDispose]();
});

/** Sends bytes and ends its side of the connection. Resolves with everything received until the server ends its side. */
function halfClosed(sent: string): Promise<string> {
  return exchange((socket) => socket.end(sent));
}

function exchange(send: (socket: Socket) => void): Promise<string> {
  const { hostname, port } = new URL(service.baseUrl);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true }, () => send(socket));
    let received = "";
    socket.on("data", (chunk) => (received += chunk.toString()));
    socket.once("end", () => resolve(received)).once("error", reject);
  });
}

function create(files: object[]): string {
  const body = JSON.stringify({ name: "n", template_id: service.templateId, files });
  return [
    "POST /v1/agents HTTP/1.1",
    "Host: h",
    `Authorization: Bearer ${service.apiKey}`,
    "Content-Type: application/json",
    `Content-Length: ${body.length}`,
    `\r\n${body}`,
  ].join("\r\n");
}

const file = { filename: "a.txt", content_base64: "QQ==" };

test("a client that ends its side after its requests receives all responses", async () => {
  const [one, three, nothing] = await Promise.all([
    halfClosed(create([file])),
    halfClosed(create([file]).repeat(3)),
    halfClosed(""),
  ]);
  expect(one).toMatch(/^HTTP\/1\.1 201 [^]*\{"agent_id":"[0-9a-f-]{36}"\}$/);
  expect(three.match(/HTTP\/1\.1 201 /g)).toHaveLength(3);
  expect(nothing).toBe("");
});

test("a client that ends its side within a body gets 400", async () => {
  const answer = await halfClosed(create([file]).slice(0, -1));
  expect(answer).toMatch(/^HTTP\/1\.1 400 [^]*\{"detail":"Bad Request"\}$/);
});

test("bytes after a request that are not a request get 400 after its response", async () => {
  const answers = await exchange((socket) => socket.write(`${create([file]).repeat(2)}no request\r\n\r\n`));
  expect(answers.match(/HTTP\/1\.1 \d+ /g)).toEqual(["HTTP/1.1 201 ", "HTTP/1.1 201 ", "HTTP/1.1 400 "]);
});

test("of requests that a connection sends at once, 20 are answered, and the last answer says that it is closed", async () => {
  const request = "GET /v1/openapi.json HTTP/1.1\r\nHost: h\r\n\r\n";
  const answers = await exchange((socket) => socket.write(request.repeat(500)));
  expect(answers.match(/HTTP\/1\.1 \d+ /g)).toEqual(Array(20).fill("HTTP/1.1 200 "));
  const heads = answers.split("HTTP/1.1 200 ").slice(1);
  expect(heads.map((head) => /connection: close/i.test(head))).toEqual([...Array(19).fill(false), true]);
});

test("a client that keeps sending receives its 20 answers", async () => {
  const request = "GET /v1/openapi.json HTTP/1.1\r\nHost: h\r\n\r\n";
  const answers = await exchange((socket) => {
    socket.write(request.repeat(30));
    const sending = setInterval(() => socket.write(request), 1);
    socket.once("end", () => socket.destroy()).once("close", () => clearInterval(sending));
    socket.pause();
    setTimeout(() => socket.resume(), 200);
  });
  expect(answers.match(/HTTP\/1\.1 200 /g)).toHaveLength(20);
});

test("a connection that waits for answers sends any number of requests", async () => {
  const request = "GET /v1/agents/none HTTP/1.1\r\nHost: h\r\n\r\n".repeat(10);
  let answers = 0;
  await exchange((socket) => {
    socket.on("data", (chunk: Buffer) => {
      answers += chunk.toString().match(/HTTP\/1\.1 401 /g)?.length ?? 0;
      if (answers === 100) socket.end();
      else if (answers % 10 === 0) socket.write(request);
    });
    socket.write(request);
  });
  expect(answers).toBe(100);
});

test("the service continues when its log has no reader", async () => {
  await using talkative = await startService(newDataDir(), ["--verbose"]);
  talkative.child.stdout?.destroy();
  talkative.child.stderr?.destroy();
  const runs = [await createRun(talkative, { input_text: "a" }), await createRun(talkative, { input_text: "b" })];
  for (const run of runs) expect((await finished(talkative, run)).loop_status).toBe("finished");
  expect(await talkative.end("SIGTERM")).toBe(0);
});

test("100 Continue requires a valid key and an accepted length", async () => {
  const body = JSON.stringify({ name: "n", template_id: service.templateId });
  const expecting = async (key: string, length: number): Promise<string[]> => {
    const { hostname, port } = new URL(service.baseUrl);
    const socket = connect({ host: hostname, port: Number(port) });
    const head = `POST /v1/agents HTTP/1.1\r\nHost: h\r\nX-API-Key: ${key}\r\nContent-Type: application/json`;
    socket.write(`${head}\r\nExpect: 100-continue\r\nContent-Length: ${length}\r\n\r\n`);
    let received = "";
    for await (const chunk of socket) {
      received += String(chunk);
      if (received.endsWith("100 Continue\r\n\r\n")) socket.write(body);
      if (received.includes("agent_id")) break;
    }
    return received.match(/HTTP\/1\.1 \d+|connection: close|"detail":"[^"]*"/gi) ?? [];
  };
  const closed = expect.stringMatching(/^connection: close$/i) as string;
  expect(await expecting("ak_unknown", body.length)).toEqual(["HTTP/1.1 401", closed, '"detail":"Invalid API key"']);
  const text = '"detail":"total file size exceeds the allowed limit"';
  expect(await expecting(service.apiKey, 200_000_000)).toEqual(["HTTP/1.1 413", closed, text]);
  expect(await expecting(service.apiKey, body.length)).toEqual(["HTTP/1.1 100", "HTTP/1.1 201"]);
});

/** Sends the head of a request with a body of 20 MiB, and 19 MiB of it. Resolves when the service has taken nearly all. */
function openUpload(method: string, path: string, credential: string): Promise<Socket> {
  const { hostname, port } = new URL(service.baseUrl);
  const socket = connect({ host: hostname, port: Number(port) });
  const head = `${method} ${path} HTTP/1.1\r\nHost: ${hostname}:${port}\r\n${credential}Content-Type: application/json`;
  socket.write(`${head}\r\nContent-Length: ${20 * MiB}\r\n\r\n`);
  return new Promise((resolve, reject) => {
    socket.once("error", reject).write(Buffer.alloc(19 * MiB, "a"), () => resolve(socket));
  });
}

/** Files that the service has open in its folder for bodies. Their names are removed already. */
function spoolFiles(): number {
  const directory = `/proc/${service.child.pid}/fd`;
  const targets = readdirSync(directory).map((fd) => readlinkSync(join(directory, fd), "utf8"));
  return targets.filter((target) => target.startsWith(join(service.dataDir, "uploads"))).length;
}

// The service takes 360 MB.
test.skipIf(process.platform !== "linux")(
  "nothing of a body is stored without a valid key",
  { timeout: 30_000 },
  async () => {
    const unknown = newToken("ak").token;
    const sockets = [];
    for (const credential of ["", `X-API-Key: ${unknown}\r\n`, `Authorization: Bearer ${unknown}\r\n`]) {
      for (const path of ["/v1/agents", "/ext/v1/runs", "/manage/v1/organizations", "/mcp"]) {
        sockets.push(await openUpload("POST", path, credential));
      }
      sockets.push(await openUpload("PUT", `/ext/v1/uploads/${crypto.randomUUID()}`, credential));
      sockets.push(await openUpload("GET", "/v1/openapi.json", credential));
    }
    expect(spoolFiles()).toBe(0);
    sockets.push(await openUpload("POST", "/v1/agents", `X-API-Key: ${service.apiKey}\r\n`));
    expect(spoolFiles()).toBe(1);
    for (const socket of sockets) socket.destroy();
  },
);

test("a service that is stopping responds to the request it is receiving and closes the connection", async () => {
  await using ending = await startService();
  const { hostname, port } = new URL(ending.baseUrl);
  const body = JSON.stringify({ name: "n", template_id: ending.templateId });
  const socket = connect({ host: hostname, port: Number(port) });
  let received = "";
  socket.on("data", (chunk) => (received += chunk.toString()));
  const head = `POST /v1/agents HTTP/1.1\r\nHost: h\r\nX-API-Key: ${ending.apiKey}\r\nContent-Type: application/json`;
  socket.write(`${head}\r\nExpect: 100-continue\r\nContent-Length: ${body.length}\r\n\r\n`);
  await new Promise((resolve) => socket.once("data", resolve)); // it is being received
  const ended = ending.end("SIGTERM");
  await sleep(200);
  socket.write(body);
  expect(await ended).toBe(0);
  expect(received).toMatch(/HTTP\/1\.1 201 [^]*\r\nconnection: close\r\n[^]*"agent_id"/i);
});
