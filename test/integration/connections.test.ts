import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, expect, test } from "vitest";
import { createRun, finished, newDataDir, type Service, startService } from "./service.ts";

let service: Service;
beforeAll(async () => {
  service = await startService();
  return () => service[Symbol.asyncDispose]();
});

/** Sends bytes as they are and ends its side; resolves with all that comes back until the server ends, too. */
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

test("a client that ends its side once its requests are sent gets all their answers", async () => {
  const [one, three, nothing] = await Promise.all([
    halfClosed(create([file])),
    halfClosed(create([file]).repeat(3)),
    halfClosed(""),
  ]);
  expect(one).toMatch(/^HTTP\/1\.1 201 [^]*\{"agent_id":"[0-9a-f-]{36}"\}$/);
  expect(three.match(/HTTP\/1\.1 201 /g)).toHaveLength(3);
  expect(nothing).toBe("");
});

test("a client that ends its side before its body is complete is refused, and nothing is created", async () => {
  const answer = await halfClosed(create([file]).slice(0, -1));
  expect(answer).toMatch(/^HTTP\/1\.1 400 [^]*\{"detail":"Bad Request"\}$/);
});

test("requests that came whole are answered before what follows them and is no request", async () => {
  const answers = await exchange((socket) => socket.write(`${create([file]).repeat(2)}no request\r\n\r\n`));
  expect(answers.match(/HTTP\/1\.1 \d+ /g)).toEqual(["HTTP/1.1 201 ", "HTTP/1.1 201 ", "HTTP/1.1 400 "]);
});

test("the service goes on when nobody reads its log any more", async () => {
  await using talkative = await startService(newDataDir(), ["--verbose"]);
  talkative.child.stdout?.destroy();
  talkative.child.stderr?.destroy();
  const runs = [await createRun(talkative, { input_text: "a" }), await createRun(talkative, { input_text: "b" })];
  for (const run of runs) expect((await finished(talkative, run)).loop_status).toBe("finished");
  expect(await talkative.end("SIGTERM")).toBe(0);
});

test("a service that is ending answers the request it is receiving, and does not wait for another", async () => {
  await using ending = await startService();
  const { hostname, port } = new URL(ending.baseUrl);
  const body = JSON.stringify({ name: "n", template_id: ending.templateId });
  const socket = connect({ host: hostname, port: Number(port) });
  let received = "";
  socket.on("data", (chunk) => (received += chunk.toString()));
  const head = `POST /v1/agents HTTP/1.1\r\nHost: h\r\nX-API-Key: ${ending.apiKey}\r\nContent-Type: application/json`;
  socket.write(`${head}\r\nExpect: 100-continue\r\nContent-Length: ${body.length}\r\n\r\n`);
  await new Promise((resolve) => socket.once("data", resolve)); // it is being received
  const started = performance.now();
  const ended = ending.end("SIGTERM");
  await sleep(200);
  socket.write(body);
  expect(await ended).toBe(0);
  expect(performance.now() - started).toBeLessThan(4_000); // it waits for 5 s for what is under way
  expect(received).toMatch(/HTTP\/1\.1 201 [^]*\r\nconnection: close\r\n[^]*"agent_id"/i);
});
