import { randomUUID } from "node:crypto";
import { readdirSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { setQuota } from "../../../src/accounts/organizations.ts";
import { sha256Of } from "../../../src/agent/turn/files/manifest.ts";
import type { Schemas } from "../../../src/ext/call.ts";
import type { RestCaller } from "../../support/local-service.ts";
import { type ExtService, extService } from "../../support/ext-service.ts";

const MiB = 1024 * 1024;
let service: ExtService;
beforeAll(async () => {
  service = await extService();
});
afterAll(() => service[Symbol.asyncDispose]());

const content = Buffer.alloc(11 * MiB, "measured,1\n"); // more than a create's body accepts

async function begin(
  bytes: Uint8Array,
  { filename = "data.csv", call = service.call }: { filename?: string; call?: RestCaller } = {},
): Promise<Schemas["Upload"]> {
  const body = { filename, size: bytes.length, sha256: sha256Of(bytes) };
  const response = await call<Schemas["Upload"]>("POST", "/uploads", { body });
  expect(response.status).toBe(201);
  return response.body;
}

async function put({ url }: { url: string }, body: Buffer | string | ReadableStream, apiKey = service.apiKey) {
  const headers = { authorization: `Bearer ${apiKey}` };
  const response = await fetch(new URL(url, service.baseUrl), {
    method: "PUT",
    headers,
    body,
    duplex: "half",
  } as object);
  const received = await response.text();
  return { status: response.status, body: received === "" ? undefined : (JSON.parse(received) as object) };
}

async function sent(bytes: Buffer<ArrayBuffer>, filename?: string): Promise<string> {
  const upload = await begin(bytes, filename === undefined ? {} : { filename });
  expect(await put(upload, bytes)).toEqual({ status: 204, body: undefined });
  return upload.upload_id;
}

const create = (uploads: string[], more: object = {}, call = service.call) =>
  call<Schemas["CreatedRun"] & { code?: string; detail?: string }>("POST", "/runs", {
    body: { name: "R", uploads, ...more },
  });

const download = (run: string, name: string) =>
  fetch(`${service.baseUrl}/ext/v1/runs/${run}/files/${encodeURIComponent(name)}`, {
    headers: { authorization: `Bearer ${service.apiKey}` },
  });

/** Files of uploads and runs that are being written. */
const partialFiles = () =>
  ["pending-uploads", "workspaces"].flatMap((folder) =>
    readdirSync(join(service.dataDir, folder)).filter((name) => name.startsWith(".")),
  );

describe("an upload", () => {
  test("says where to send the file until when, and is sent, named by a create and downloaded", async () => {
    const before = Date.now();
    const upload = await begin(content, { filename: "größe ☃.csv" });
    expect(upload).toEqual({
      upload_id: expect.any(String),
      url: `/ext/v1/uploads/${upload.upload_id}`,
      method: "PUT",
      headers: {},
      expires_at: expect.any(String),
    });
    const hours = (Date.parse(upload.expires_at) - before) / 3_600_000;
    expect(hours).toBeGreaterThanOrEqual(24);
    expect(hours).toBeLessThan(24.1);
    expect(await put(upload, content)).toEqual({ status: 204, body: undefined });
    const run = await create([upload.upload_id]);
    expect(run.status).toBe(201);
    const { body } = await service.call<Schemas["RunFilePage"]>("GET", `/runs/${run.body.id}/files`);
    expect(body.data).toMatchObject([{ name: "größe ☃.csv", size: content.length, sha256: sha256Of(content) }]);
    const response = await download(run.body.id, "größe ☃.csv");
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "content-length": String(content.length),
      "content-type": "application/octet-stream",
      "content-disposition": "attachment; filename*=UTF-8''gr%C3%B6%C3%9Fe%20%E2%98%83.csv",
      "x-content-type-options": "nosniff",
      "cache-control": "no-store",
    });
    expect(sha256Of(await response.bytes())).toBe(sha256Of(content));
  });

  test("can be named by two creates, and twice by one; names in a run are unique", async () => {
    const [a, b] = [await sent(Buffer.from("a"), "same.txt"), await sent(Buffer.from("b"), "SAME.txt")];
    const files = [{ filename: "same.txt", content_base64: "YQ==" }];
    const runs = [await create([a, b, a], { files }), await create([a])];
    const names = runs.map(async ({ body: { id } }) => {
      const { body } = await service.call<Schemas["RunFilePage"]>("GET", `/runs/${id}/files`);
      return body.data.map(({ name }) => name);
    });
    expect(await Promise.all(names)).toEqual([
      ["SAME (3).txt", "same (2).txt", "same (4).txt", "same.txt"],
      ["same.txt"],
    ]);
  });

  test("of the same file has the same id, so that a create that is repeated with it is the same", async () => {
    const headers = { "idempotency-key": "same-file" };
    const runs: string[] = [];
    for (let attempt = 0; attempt < 2; attempt++) {
      const body = { name: "R", uploads: [await sent(Buffer.from("same"), "same.txt")] };
      const { status, body: run } = await service.call<Schemas["Run"]>("POST", "/runs", { body, headers });
      expect(status).toBe(201);
      runs.push(run.id);
    }
    expect(runs[1]).toBe(runs[0]);
    const files = [Buffer.from("same"), Buffer.from("else")];
    const ids = [await begin(files[0]!), await begin(files[0]!, { filename: "b" }), await begin(files[1]!)];
    expect(new Set(ids.map(({ upload_id }) => upload_id)).size).toBe(3);
  });

  test("can be named by any form of its UUID", async () => {
    const id = await sent(Buffer.from("x"), "x.txt");
    for (const form of [id.toUpperCase(), `{${id}}`, `urn:uuid:${id}`, id.replaceAll("-", "")]) {
      expect((await create([form])).status).toBe(201);
    }
  });

  test("can be empty", async () => {
    const { body: run } = await create([await sent(Buffer.from(""), "empty.txt")]);
    const { body } = await service.call<Schemas["RunFilePage"]>("GET", `/runs/${run.id}/files`);
    expect(body.data).toMatchObject([{ name: "empty.txt", size: 0 }]);
    expect(await (await download(run.id, "empty.txt")).text()).toBe("");
  });

  test("is not needed to replay a create with the same idempotency key", async () => {
    const { upload_id: id } = await begin(Buffer.from("x"));
    const headers = { "idempotency-key": randomUUID() };
    const send = (uploads: string[]) => service.call("POST", "/runs", { body: { name: "R", uploads }, headers });
    expect(await send([id])).toMatchObject({ status: 422, body: { code: "upload_incomplete" } });
    expect(await put({ url: `/ext/v1/uploads/${id}` }, "x")).toMatchObject({ status: 204 });
    const { status, body: run } = await send([id]);
    expect(status).toBe(201);
    service.platform.database.db.exec("UPDATE uploads SET body = json_set(body, '$.expiresAt', 1)");
    const again = await send([id]);
    expect([again.status, again.headers.get("idempotent-replayed"), again.body["id"]]).toEqual([
      201,
      "true",
      run["id"],
    ]);
    expect(await send([])).toMatchObject({ status: 422, body: { code: "idempotency_key_reused" } });
    expect(await create([id])).toMatchObject({ status: 422, body: { code: "upload_not_found" } });
  });
});

const notFound = (id: string) => ({
  status: 422,
  body: { code: "upload_not_found", detail: `Upload "${id}" does not exist or has expired; create a new one` },
});

describe("rejects", () => {
  test.each([
    ["another hash", Buffer.from("y"), /^The content has the SHA-256 [0-9a-f]{64}; the upload was created for/],
    ["too few bytes", Buffer.from(""), /^The content has 0 bytes; the upload was created for 1$/],
    ["too many bytes", Buffer.from("xx"), /^The content has 2 bytes; the upload was created for 1$/],
  ])("a content with %s, and the right one is accepted afterwards", async (filename, wrong, detail) => {
    const upload = await begin(Buffer.from("x"), { filename });
    const response = {
      status: 422,
      body: { code: "upload_mismatch", detail: expect.stringMatching(detail) as string },
    };
    expect(await put(upload, wrong)).toEqual(response);
    expect((await put(upload, new Blob([wrong]).stream())).status).toBe(422);
    expect(await create([upload.upload_id])).toMatchObject({ status: 422, body: { code: "upload_incomplete" } });
    expect((await put(upload, "x")).status).toBe(204);
    expect((await create([upload.upload_id])).status).toBe(201);
    expect(partialFiles()).toEqual([]);
  });

  test("another agent's upload as if it did not exist, for both to send and to name it", async () => {
    const { stranger } = service;
    const [mine, unknown] = [await sent(Buffer.from("mine")), randomUUID()];
    for (const id of [mine, unknown]) {
      expect(await put({ url: `/ext/v1/uploads/${id}` }, "mine", stranger.apiKey)).toEqual(notFound(id));
      expect(await create([id], {}, stranger.call)).toMatchObject(notFound(id));
    }
  });

  test("a content without a key before it is read, with a body of any length", async () => {
    const upload = await begin(content);
    const { port } = new URL(service.baseUrl);
    const socket = connect(Number(port), "127.0.0.1");
    const head = `PUT ${upload.url} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nexpect: 100-continue\r\n`;
    socket.write(`${head}content-length: ${content.length}\r\n\r\n`);
    expect(await text(socket)).toMatch(/^HTTP\/1.1 401 [^]*"code":"key_missing"/);
    expect(await put(upload, content, "ak_wrong")).toMatchObject({ status: 401, body: { code: "key_invalid" } });
  });

  test("a file over the limit, and fields that violate the schema", async () => {
    const upload = { filename: "a", size: 100 * MiB + 1, sha256: "a".repeat(64) };
    expect(await service.call("POST", "/uploads", { body: upload })).toMatchObject({
      status: 413,
      body: {
        code: "upload_too_large",
        detail: "The file has 104857601 bytes; this service accepts at most 104857600. Split or compress it.",
      },
    });
    for (const field of [{ size: -1 }, { size: 1.5 }, { sha256: "z".repeat(64) }, { filename: "" }, { other: 1 }]) {
      const { status, body } = await service.call("POST", "/uploads", { body: { ...upload, size: 1, ...field } });
      expect({ status, body }).toMatchObject({ status: 422, body: { code: "invalid_request" } });
    }
  });
});

test("a cut connection leaves nothing behind, and the file can be sent again", async () => {
  const upload = await begin(content);
  const { port } = new URL(service.baseUrl);
  const socket = connect(Number(port), "127.0.0.1").on("error", () => {});
  const head = `PUT ${upload.url} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nauthorization: Bearer ${service.apiKey}\r\n`;
  socket.write(`${head}content-length: ${content.length}\r\n\r\n`);
  socket.write(content.subarray(0, MiB));
  await expect.poll(() => partialFiles().length).toBe(1);
  socket.resetAndDestroy();
  await expect.poll(partialFiles).toEqual([]);
  expect(await create([upload.upload_id])).toMatchObject({ status: 422, body: { code: "upload_incomplete" } });
  expect((await put(upload, content)).status).toBe(204);
  expect((await create([upload.upload_id])).status).toBe(201);
});

test("an agent's pending uploads are limited and shown, and count until they expire", async () => {
  await using own = await extService(); // which accepts 300 MiB
  const register = (index: number, call = own.call) =>
    call("POST", "/uploads", { body: { filename: "a.bin", size: 100 * MiB, sha256: String(index).padStart(64, "0") } });
  const shown = async () => (await own.call("GET", "/agent")).body["pending_uploads"];
  const none = { uploads: 0, bytes: 0, max_uploads: 20_000, max_bytes: 300 * MiB };
  expect(await shown()).toEqual(none);
  for (const index of [1, 2, 3, 3, 1]) expect((await register(index)).status).toBe(201); // the same file counts once
  expect(await shown()).toEqual({ ...none, uploads: 3, bytes: 300 * MiB });
  const { status, body } = await register(4);
  expect([status, body["code"]]).toEqual([429, "too_many_uploads"]);
  expect(body["detail"]).toBe(
    "the agent has 3 pending uploads of 314572800 bytes, and this one has 104857600; at most 20000 of 314572800 bytes are accepted; an upload expires 24 hours after it was registered, or is deleted with the last run that names it",
  );
  expect((await register(4, own.stranger.call)).status).toBe(201);
  expect((await register(2)).status).toBe(201);
  await own.platform.pendingUploads.removeExpired(Date.now() + 26 * 3_600_000);
  expect(await shown()).toEqual(none);
  expect((await register(4)).status).toBe(201);
});

test("the pending uploads of an organization are limited together, beside those of each agent", async () => {
  await using own = await extService();
  const register = (index: number, { size = MiB, call = own.call } = {}) =>
    call("POST", "/uploads", { body: { filename: "a.bin", size, sha256: String(index).padStart(64, "0") } });
  const { accounts } = own.platform;
  const { organizationId = "" } = (await accounts.findAgent(own.templateId)) ?? {};
  const ofSibling = own.stranger.call;
  await setQuota(accounts, organizationId, { maxPendingUploadBytes: 2 * MiB });
  expect((await register(1)).status).toBe(201);
  expect((await register(2, { call: ofSibling })).status).toBe(201);
  for (const call of [own.call, ofSibling]) {
    const { status, body } = await register(3, { size: 1, call });
    expect([status, body["code"], body["detail"]]).toEqual([
      429,
      "too_many_uploads",
      "the organization has 2 pending uploads of 2097152 bytes, and this one has 1; at most 2097152 bytes are accepted (maxPendingUploadBytes); an upload expires 24 hours after it was registered, or is deleted with the last run that names it",
    ]);
  }
  expect((await register(1)).status).toBe(201); // already registered
  await setQuota(accounts, organizationId, { maxPendingUploadBytes: null });
  expect((await register(3)).status).toBe(201);
});
