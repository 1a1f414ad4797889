import { HeadObjectCommand, NotFound } from "@aws-sdk/client-s3";
import { mockClient } from "aws-sdk-client-mock";
import { expect, test } from "vitest";
import { createAgent } from "../../../src/accounts/agents/agents.ts";
import { createOrganization } from "../../../src/accounts/organizations.ts";
import { createKey } from "../../../src/accounts/keys.ts";
import { sha256Of } from "../../../src/agent/turn/files/manifest.ts";
import { jsonResponse } from "../../../src/http/handler.ts";
import { compression, cors } from "../../../src/http/server/lambda.ts";
import { apiFunction } from "../../support/lambda-function.ts";
import type { Schemas } from "../../../src/ext/call.ts";
import { openapiDocument } from "../../../src/ext/generated/openapi.ts";
import { extHandlers } from "../../../src/ext/handlers/ext-handlers.ts";
import { extResponseLimit } from "../../../src/ext/on-lambda.ts";
import { extRouter } from "../../../src/ext/router.ts";
import { newS3Client } from "../../../src/platform/aws/s3/bucket.ts";
import { uploadKey } from "../../../src/platform/aws/pending-uploads.ts";
import { signedTransfers } from "../../../src/platform/aws/s3/signed-transfers.ts";
import { externalWorkflow } from "../../../src/platform/local/workflow.ts";
import { advance } from "../../../src/workflow/advance.ts";
import { fakeAwsStores } from "../../support/fake-aws/platform.ts";
import { folderFiles, folderRun } from "../../support/folder-run.ts";
import { responseChecks } from "../../support/rest-contract.ts";
import { scriptedModel } from "../../support/scripted-runs.ts";

const limits = { steps: 1_000, tokens: 1_000_000, seconds: 3_600 };
const definition = { name: "Agent", instructions: "Work.", tools: ["list_files", "write_file"], limits };
const origin = "https://app.example.com";
const problemsOf = responseChecks(openapiDocument);

/** The extension API as a Lambda function behind API Gateway, with a worker that advances a run. */
async function onLambda() {
  const stores = fakeAwsStores();
  const { accounts } = stores;
  const organization = await createOrganization(accounts, { name: "O", model: { provider: "demo", enabled: true } });
  const agent = await createAgent(accounts, organization.id, definition);
  const { key } = await createKey(accounts, agent.id);
  const deps = { ...stores, workflow: externalWorkflow, now: Date.now, secretRefusal: () => undefined };
  const accepted = { inlineBytes: 2 ** 21, uploadBytes: 2 ** 20 };
  const s3 = newS3Client({ region: "eu-central-1", credentials: { accessKeyId: "A", secretAccessKey: "s" } });
  const transfers = signedTransfers(async () => s3, "bucket");
  const handlers = extHandlers({ ...deps, limits: accepted, transfers, wait: { interval: 20, clientSeconds: 0 } });
  const handle = apiFunction(extRouter(handlers, stores), cors([origin]), extResponseLimit, compression);

  async function call(
    method: string,
    path: string,
    { body, headers = {} }: { body?: object; headers?: Record<string, string> } = {},
  ) {
    const [rawPath = "", rawQueryString = ""] = path.split("?");
    const response = await handle({
      headers: { "x-api-key": key, "content-type": "application/json", ...headers },
      rawPath: `/ext/v1${rawPath}`,
      rawQueryString,
      isBase64Encoded: false,
      ...(body && { body: JSON.stringify(body) }),
      requestContext: { requestId: "r", http: { method } },
    });
    const { statusCode: status = 0, body: text = "" } = response;
    const contentType = String(response.headers?.["content-type"] ?? "");
    const received: unknown = contentType === "application/json" ? JSON.parse(text) : text;
    // The document has no operations of these methods.
    if (method === "HEAD" || method === "OPTIONS") return { status, headers: response.headers ?? {}, body: {}, text };
    expect(problemsOf(method, `/ext/v1${rawPath}`, { status, contentType, body: received })).toEqual([]);
    return { status, headers: response.headers ?? {}, body: received as Record<string, unknown>, text };
  }

  const model = scriptedModel(3).model;
  const openModel = async () => ({ model, name: "m", provider: "p" });
  const budget = { signal: new AbortController().signal, deadline: Infinity };
  const work = (runId: string, turn: number) =>
    advance({ ...deps, openModel, secretOf: async () => undefined }, { runId, turn }, budget);
  const owner = { agentId: agent.id, organizationId: organization.id };
  return { call, work, stores, owner, agentId: agent.id, bucket: mockClient(s3), putObject: stores.putObject };
}

const stream = (text: string) => ({
  ids: [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id)),
  last: text.trim().split("\n\n").at(-1) ?? "",
});

test("on Lambda, a run is created once, worked on, given another input and read", async () => {
  const { call, work } = await onLambda();
  const create = { body: { name: "r", input_text: "One.", labels: { a: "b" } }, headers: { "idempotency-key": "k" } };
  const { status, body: created } = await call("POST", "/runs", create);
  expect([status, created["labels"]]).toEqual([201, { a: "b" }]);
  const again = await call("POST", "/runs", create);
  expect([again.headers["idempotent-replayed"], again.body["id"]]).toEqual(["true", created["id"]]);
  const run = `/runs/${String(created["id"])}`;
  await work(String(created["id"]), 1);
  expect((await call("GET", run)).body).toMatchObject({
    status: "finished",
    output: "Answer to One..",
    labels: { a: "b" },
  });
  const input = { body: { input_text: "Two." }, headers: { "idempotency-key": "k" } };
  expect((await call("POST", `${run}/input`, input)).status).toBe(202);
  const repeated = await call("POST", `${run}/input`, input);
  expect([repeated.status, repeated.headers["idempotent-replayed"], repeated.body["turn"]]).toEqual([202, "true", 2]);
  expect((await call("GET", run)).body).toMatchObject({ status: "running", turn: 2, output: "Answer to One.." });
  await work(String(created["id"]), 2);
  expect((await call("GET", run)).body).toMatchObject({ status: "finished", output: "Answer to Two.." });
  const files = (await call("GET", `${run}/files`)).body["data"] as Schemas["RunFile"][];
  expect(files.map(({ name }) => name)).toContain("1.txt");
  expect((await call("GET", "/runs?label=a%3Db")).body).toMatchObject({ data: [{ id: created["id"] }], next: null });
});

test("on Lambda, a poll that finds no change reads the key and the head of the run, and nothing else", async () => {
  const { call, work, stores } = await onLambda();
  const { body } = await call("POST", "/runs", { body: { name: "r", input_text: "One." } });
  const run = `/runs/${String(body["id"])}`;
  await work(String(body["id"]), 1);
  const { headers } = await call("GET", run);
  const before = stores.calls();
  const { status, text } = await call("GET", run, { headers: { "if-none-match": String(headers["etag"]) } });
  expect([status, text, stores.calls() - before]).toEqual([304, "", 2]);
  const input = { body: { input_text: "Two." } };
  expect((await call("POST", `${run}/input`, input)).status).toBe(202);
  expect((await call("GET", run, { headers: { "if-none-match": String(headers["etag"]) } })).status).toBe(200);
});

test("on Lambda, a stream ends after the recorded events, and says so only when the run is at rest", async () => {
  const { call, work } = await onLambda();
  const { body } = await call("POST", "/runs", { body: { name: "r", input_text: "One." } });
  const id = String(body["id"]);
  const events = async (lastId: number) => {
    const headers = { accept: "text/event-stream", "last-event-id": String(lastId) };
    return stream((await call("GET", `/runs/${id}/events`, { headers })).text);
  };
  const early = await events(0);
  expect(early.ids).toEqual([1]);
  expect(early.last).not.toMatch(/^event: end/);
  await work(id, 1);
  const late = await events(1);
  expect(late.ids).toEqual(Array.from({ length: late.ids.length }, (_, index) => index + 2));
  expect(late.last).toBe('event: end\ndata: {"status":"finished"}');
  expect(await events(late.ids.at(-1) ?? 0)).toEqual({ ids: [], last: late.last });
});

test("on Lambda, a stream that is too long for a response is continued", async () => {
  const { call, work } = await onLambda();
  const { body } = await call("POST", "/runs", { body: { name: "r", input_text: "x".repeat(900_000) } });
  const id = String(body["id"]);
  await work(id, 1); // writes the input to files, and repeats it in its output
  const { body: run } = await call("GET", `/runs/${id}`);
  const ids: number[] = [];
  let responses = 0;
  for (let last = ""; !last.startsWith("event: end"); responses++) {
    const headers = { accept: "text/event-stream", "last-event-id": String(ids.at(-1) ?? 0) };
    const { text } = await call("GET", `/runs/${id}/events`, { headers });
    expect(text.length).toBeLessThan(2_000_000);
    const part = stream(text);
    ids.push(...part.ids);
    ({ last } = part);
  }
  expect(responses).toBeGreaterThan(1);
  expect(ids).toEqual(Array.from({ length: Number(run["sequence"]) }, (_, index) => index + 1));
});

test("on Lambda, a page of an allowed origin reads with the token of a run", async () => {
  const { call } = await onLambda();
  const { body } = await call("POST", "/runs", { body: { name: "r", token: {} } });
  const { token } = (body as Schemas["CreatedRun"]).token ?? {};
  const headers = { origin, "x-api-key": String(token) };
  const preflight = { origin, "access-control-request-method": "GET" };
  const { headers: permission, status } = await call("OPTIONS", `/runs/${String(body["id"])}`, { headers: preflight });
  expect([status, permission["access-control-allow-origin"]]).toEqual([204, origin]);
  for (const [path, expected] of [
    [`/runs/${String(body["id"])}`, 200],
    ["/runs", 403],
  ] as const) {
    const read = await call("GET", path, { headers });
    expect([path, read.status, read.headers["access-control-allow-origin"]]).toEqual([path, expected, origin]);
    expect(read.headers["vary"]).toContain("Origin");
  }
  const other = await call("GET", "/runs", { headers: { ...headers, origin: "https://evil.example" } });
  expect(other.headers["access-control-allow-origin"]).toBeUndefined();
});

const long = async () => jsonResponse(200, { data: "x".repeat(6_500_000) });

test("on Lambda, a page of an allowed origin can read that a response is too long", async () => {
  const { statusCode, headers } = await apiFunction(
    long,
    cors([origin]),
    extResponseLimit,
  )({
    headers: { origin },
    rawPath: "/ext/v1/runs/r/events",
    isBase64Encoded: false,
    requestContext: { requestId: "request-1", http: { method: "GET" } },
  });
  expect([statusCode, headers?.["access-control-allow-origin"]]).toEqual([413, origin]);
  expect(headers?.["vary"]).toContain("Origin");
});

test("a file is sent to the bucket, named by a create, and downloaded from the bucket", async () => {
  const { call, agentId, bucket, putObject } = await onLambda();
  const content = Buffer.from("city,people\n");
  const sha256 = sha256Of(content);
  const begun = await call("POST", "/uploads", { body: { filename: "data.csv", size: content.length, sha256 } });
  const upload = begun.body as Schemas["Upload"];
  const address = `https://bucket.s3.eu-central-1.amazonaws.com/${uploadKey({ agentId, id: upload.upload_id })}?`;
  expect(upload.url.startsWith(address)).toBe(true);
  expect(upload.headers).toEqual({
    "content-length": "12",
    "x-amz-checksum-sha256": Buffer.from(sha256, "hex").toString("base64"),
  });
  const here = await call("PUT", `/uploads/${upload.upload_id}`);
  expect([here.status, here.body["code"]]).toEqual([404, "not_found"]);

  const files = [{ filename: "reports/data.csv", content_base64: "YQ==" }];
  const create = () =>
    call("POST", "/runs", {
      body: { name: "R", files, uploads: [upload.upload_id] },
      headers: { "idempotency-key": "names" },
    });
  expect((await create()).body).toMatchObject({ code: "upload_incomplete" });
  putObject(uploadKey({ agentId, id: upload.upload_id }), content);
  const { body: run } = await create();
  const names = [
    { name: "data.csv", sent_as: "reports/data.csv" },
    { name: "data (2).csv", sent_as: "data.csv" },
  ];
  expect([run["files"], (await create()).body["files"]]).toEqual([names, names]);
  const file = `/runs/${String(run["id"])}/files/data (2).csv`;
  const { status, headers, text } = await call("GET", file);
  expect([status, text, headers["cache-control"], headers["etag"]]).toEqual([307, "", "no-store", `"${sha256}"`]);
  const { pathname, searchParams } = new URL(String(headers["location"]));
  expect(pathname).toBe(`/workspaces/${String(run["id"])}/.sha256-${sha256}`);
  expect(searchParams.get("response-content-disposition")).toBe("attachment; filename*=UTF-8''data%20%282%29.csv");
  const known = await call("GET", file, { headers: { "if-none-match": `"${sha256}"` } });
  expect([known.status, known.headers["location"]]).toEqual([304, undefined]);
  const beyond = await call("GET", file, { headers: { range: "bytes=12-" } });
  expect([beyond.status, beyond.body["code"]]).toEqual([416, "range_not_satisfiable"]);
  expect(beyond.headers["content-range"]).toBe("bytes */12");
  // S3 compares its own ETag, and serves the range.
  for (const more of [{ range: "bytes=4-" }, { "if-match": '"s3"' }, { range: "bytes=99-", "if-range": '"s3"' }]) {
    expect((await call("GET", file, { headers: more })).status).toBe(307);
  }
  const head = await call("HEAD", file);
  expect([head.status, head.text]).toEqual([200, ""]);
  expect(head.headers).toMatchObject({ etag: `"${sha256}"`, "content-length": "12", "accept-ranges": "bytes" });
  bucket.on(HeadObjectCommand).rejects(new NotFound({ message: "no", $metadata: { httpStatusCode: 404 } }));
  const dropped = await call("GET", file);
  expect([dropped.status, dropped.body["code"]]).toEqual([404, "file_not_kept"]);
});

test("on Lambda, a file in a folder is found whether or not the gateway has decoded the slash of its name", async () => {
  const { call, stores, owner, bucket } = await onLambda();
  bucket.on(HeadObjectCommand).resolves({});
  const id = await folderRun(stores, owner);
  for (const name of Object.keys(folderFiles)) {
    for (const path of [name, name.replaceAll("/", "%2F"), name.replaceAll("/", "%2f")]) {
      const { status, headers } = await call("GET", `/runs/${id}/files/${path}`);
      expect([status, headers["location"]]).toEqual([307, expect.stringContaining(`/workspaces/${id}/.sha256-`)]);
    }
  }
  expect((await call("GET", `/runs/${id}/files/reports`)).body).toMatchObject({ code: "file_not_found" });
});
