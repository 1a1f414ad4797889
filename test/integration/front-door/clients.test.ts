import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, describe, expect, test } from "vitest";
import { startBundle } from "./bundle.ts";
import { createBody, headersOf, type UploadServerProcess, secrets, send, startUploadServer } from "./upload-process.ts";

const MiB = 1024 * 1024;
const tooLarge = { detail: "total file size exceeds the allowed limit" };

let service: UploadServerProcess;
let body: Buffer;
beforeAll(async () => {
  service = await startUploadServer("fargate");
  body = createBody(service, [10 * MiB]);
  return async () => {
    service.child.kill("SIGKILL");
    await service.exited;
  };
});

/** A raw connection. `received`: everything received so far. */
interface Wire {
  socket: Socket;
  received: () => string;
  closed: Promise<void>;
}

function open(): Wire {
  const socket = connect(service.port);
  let text = "";
  socket.on("data", (chunk) => (text += chunk.toString()));
  socket.on("error", () => {}); // a reset closes the connection as well
  return { socket, received: () => text, closed: new Promise((resolve) => void socket.once("close", () => resolve())) };
}

function head(headers: Record<string, string | number>): string {
  const lines = Object.entries({ host: "origin", ...headersOf(service), ...headers });
  return `POST /v1/agents HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}`).join("\r\n")}\r\n\r\n`;
}

async function until(condition: () => boolean, seconds = 20): Promise<void> {
  for (let waited = 0; !condition(); waited += 10) {
    if (waited > seconds * 1_000) throw new Error(`not within ${seconds} s: ${condition.toString()}`);
    await sleep(10);
  }
}

describe("Expect: 100-continue", () => {
  test("gets 100, then the response to the body", async () => {
    const { socket, received } = open();
    socket.write(head({ "content-length": body.length, expect: "100-continue" }));
    await until(() => received().includes("100 Continue"));
    expect(received()).not.toContain("HTTP/1.1 201");
    socket.write(body);
    await until(() => received().includes("agent_id"));
    expect(received()).toContain("HTTP/1.1 201");
    socket.destroy();
  });

  test("an unknown expectation is 417", async () => {
    const { socket, received, closed } = open();
    socket.write(head({ "content-length": 2, expect: "a miracle", connection: "close" }));
    await closed;
    expect(received()).toMatch(/^HTTP\/1.1 417 /);
  });
});

test("a transfer coding besides chunked is 501, two Host headers are 400", async () => {
  const gzip = open();
  gzip.socket.write(`${head({ "transfer-encoding": "gzip, chunked" })}2\r\n{}\r\n0\r\n\r\n`);
  await gzip.closed;
  expect(gzip.received()).toMatch(
    /^HTTP\/1\.1 501 [^]*\{"detail":"The only supported Transfer-Encoding is chunked[^"]*"\}$/,
  );
  const twoHosts = open();
  twoHosts.socket.write(head({ "content-length": 2, Host: "other" }));
  await twoHosts.closed;
  expect(twoHosts.received()).toMatch(/^HTTP\/1\.1 400 [^]*\{"detail":"The request has 2 Host headers; send one"\}$/);
});

test("a body over 32 MiB is 413 before it is read", async () => {
  const { received, socket, closed } = open();
  socket.write(head({ "content-length": 32 * MiB + 1 }));
  await closed;
  expect(received()).toContain(JSON.stringify(tooLarge));
});

test("a connection can be used again after a 413", async () => {
  const { socket, received } = open();
  socket.write(head({ "content-length": 30 * MiB }));
  socket.write(Buffer.alloc(30 * MiB, "a"));
  await until(() => received().includes("HTTP/1.1 413"));
  socket.write(head({ "content-length": body.length }));
  socket.write(body);
  await until(() => received().includes("HTTP/1.1 201"));
  socket.destroy();
});

describe("slow and broken clients", () => {
  test("64 slow and 64 aborted uploads do not delay a complete one", async () => {
    const slow = Array.from({ length: 64 }, () => open());
    for (const { socket } of slow) socket.write(head({ "content-length": body.length }));
    const trickle = setInterval(() => {
      for (const { socket } of slow) socket.write(body.subarray(0, 1_000));
    }, 100);
    const aborted = Array.from({ length: 64 }, () => open());
    for (const { socket } of aborted) {
      socket.write(head({ "content-length": body.length }));
      socket.write(body.subarray(0, 5 * MiB));
    }
    await sleep(300);
    for (const { socket } of aborted) socket.resetAndDestroy();

    const { status } = await send(service, body); // the slow ones would take 20 minutes
    clearInterval(trickle);
    for (const { socket } of slow) socket.destroy();
    expect(status).toBe(201);
  });

  test("complete uploads still succeed afterwards", async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => send(service, body)));
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 201));
  });
});

async function statusOf(secret: string, path = "/v1/agents"): Promise<number> {
  return (await send(service, Buffer.from("{}"), { headers: { "x-origin-secret": secret }, path })).status;
}

describe("the origin secret", () => {
  test("is required except by the health check; the current and the previous one are accepted", async () => {
    expect(await statusOf(secrets.new)).toBe(422);
    expect(await statusOf(secrets.old)).toBe(422);
    expect(await statusOf(`${secrets.new}, ${secrets.new}`)).toBe(403);
    expect(await statusOf("")).toBe(403);
    expect(await statusOf("undefined")).toBe(403);
    expect(await statusOf("", "/health")).toBe(200);
    expect(await statusOf("", "/healthy")).toBe(403);
  });

  test("a request without it is 403 before its body is read", async () => {
    const { socket, received, closed } = open();
    socket.write("POST /v1/agents HTTP/1.1\r\nhost: origin\r\ncontent-length: 14000000\r\n\r\n");
    await closed;
    expect(received()).toMatch(/^HTTP\/1.1 403 .*{"detail":"Forbidden"}/s);
  });
});

test("without its secrets the server fails to start and names the secret", async () => {
  const started = startBundle("fargate", {
    AWS_REGION: "eu-central-1",
    AWS_CONTAINER_CREDENTIALS_FULL_URI: `${service.aws.endpoint}/credentials`,
    AWS_ENDPOINT_URL: service.aws.endpoint,
    TABLE_NAME: "table",
    BUCKET_NAME: "bucket",
    STATE_MACHINE_ARN: "arn",
    ORIGIN_SECRET_ARNS: "arn:new,arn:unknown",
    RETENTION_DAYS: "90",
    SECRET_PREFIX: "agent-run-service/prod/",
  });
  await expect(started).rejects.toThrow("ended with 1: ");
  await expect(started).rejects.toThrow("The secret arn:unknown has no text. Raise originSecretGeneration and deploy.");
});

test("requests other than creates get the responses of the default route", async () => {
  expect((await send(service, Buffer.from("{}"), { path: "/v1/nothing" })).status).toBe(404);
  expect((await send(service, undefined, { method: "GET" })).status).toBe(405);
});

test("the log has a line per request and contains no key, secret or content", () => {
  const requests = service.lines.filter(({ message }) => message === "request");
  expect(requests.length).toBeGreaterThan(15);
  expect(requests).toContainEqual(expect.objectContaining({ method: "POST", path: "/v1/agents", status: 201 }));
  const errors = service.lines.filter(({ level }) => level === "error");
  // Not even for aborted uploads. On a busy machine, the emulated DynamoDB can take more than the 3 s of the client.
  expect(errors.filter(({ error }) => !JSON.stringify(error).includes("StoreUnavailable"))).toEqual([]);
  const log = JSON.stringify(service.lines);
  for (const word of [service.apiKey, secrets.new, secrets.old, "Bearer", "Read them."])
    expect(log).not.toContain(word);
});

test("SIGTERM: the upload in progress gets its response, new connections are refused, the process exits", async () => {
  const { socket, received, closed } = open();
  socket.write(head({ "content-length": body.length }));
  socket.write(body.subarray(0, MiB));
  await sleep(100);
  service.child.kill("SIGTERM");
  await sleep(100);
  await expect(send(service, body)).rejects.toThrow("ECONNREFUSED");
  socket.write(body.subarray(MiB));
  await closed;
  expect(received()).toMatch(/^HTTP\/1.1 201 /);
  expect(received().toLowerCase()).toContain("connection: close");
  expect(await service.exited).toBe(0);
});
