import { randomUUID } from "node:crypto";
import { created, pollToEnd, read, send } from "../client.ts";
import { asObject, type Case, describe, expect, expectEqual, expectError, expectStatusBody } from "../expect.ts";
import { bodyOf, ended, expectCode, ext, newRun, runOf } from "./client.ts";

const name = "conformance";

/** Bodies that must be rejected with an issue at the field. */
const invalidBodies: [field: string, body: object][] = [
  ["name", {}],
  ["name", { name: "" }],
  ["name", { name: "n".repeat(201) }],
  ["template_id", { name, template_id: "invalid" }],
  ["labels", { name, labels: { "a b": "x" } }],
  ["labels", { name, labels: { a: "x".repeat(201) } }],
  ["labels", { name, labels: { a: 1 } }],
  ["labels", { name, labels: Object.fromEntries(Array.from({ length: 17 }, (_, index) => [`k${index}`, "v"])) }],
  ["webhook", { name, webhook: {} }],
  ["uploads", { name, uploads: ["invalid"] }],
  ["files", { name, files: Array.from({ length: 11 }, () => ({ filename: "a", content_base64: "QQ==" })) }],
  ["unknown_field", { name, unknown_field: 1 }],
];

const replayed = "idempotent-replayed";

export const createCases: Case[] = [
  {
    name: "ext: the description is OpenAPI 3.1 and needs no key",
    async run(target) {
      const { openapi, paths } = bodyOf(await ext(target, "GET /openapi.json", { auth: {} }), 200);
      expect(String(openapi).startsWith("3.1."), "OpenAPI 3.1", String(openapi));
      for (const path of ["/agent", "/runs", "/runs/{run_id}", "/runs/{run_id}/events", "/uploads"]) {
        expect(`/ext/v1${path}` in asObject(paths), `the path /ext/v1${path}`, Object.keys(asObject(paths)).join(", "));
      }
    },
  },
  {
    name: "ext: the agent is that of the key",
    async run(target) {
      const agent = bodyOf(await ext(target, "GET /agent"), 200);
      expectEqual(agent["id"], target.templateId.toLowerCase(), "the agent's id");
      expect(typeof agent["name"] === "string" && agent["name"] !== "", "a name", JSON.stringify(agent));
    },
  },
  {
    name: "ext create: 201 with the run, which v1 reads under the same id",
    async run(target) {
      const run = await newRun(target, { template_id: target.templateId, labels: { env: "test", "a.b-c_d": "" } });
      expectEqual(run["labels"], { env: "test", "a.b-c_d": "" }, "the labels");
      expectEqual([run.status, run.state, run.turn], ["finished", "waiting_for_input", 0], "an idle run:");
      expectStatusBody(await read(target, run.id), run.id);
    },
  },
  {
    name: "ext create: a run with an input ends with an output",
    async run(target) {
      const { id } = await newRun(target, { input_text: "Reply with one word." });
      const run = await ended(target, id);
      const { transcript } = await pollToEnd(target, id);
      expectEqual(run["output"], transcript.at(-1)?.text, "the output of v1:");
      expectEqual([run.status, run.turn, run["failure"]], ["finished", 1, null], "status, turn and failure:");
    },
  },
  {
    name: "ext create: another template_id is 403, as in v1",
    async run(target) {
      const response = await ext(target, "POST /runs", { body: { name, template_id: randomUUID() } });
      expectError(response, 403, "API key is not valid for the requested template");
      expectCode(response, 403, "template_mismatch");
    },
  },
  ...invalidBodies.map(([field, body]): Case => ({
    name: `ext create: rejects ${JSON.stringify(body).slice(0, 70)}`,
    async run(target) {
      const response = await ext(target, "POST /runs", { body });
      expectCode(response, 422, "invalid_request");
      const issues = [asObject(response.json)["detail"]].flat().map((issue) => asObject(issue)["loc"]);
      const found = issues.some((loc) => Array.isArray(loc) && loc[0] === "body" && loc[1] === field);
      expect(found, `an issue at ["body", "${field}", …]`, describe(response));
    },
  })),
  {
    name: "ext create: invalid base64 is the 422 of v1, with a code",
    async run(target) {
      const files = [{ filename: "bad.bin", content_base64: "Q" }];
      const response = await ext(target, "POST /runs", { body: { name, files } });
      expectError(response, 422, "file 'bad.bin' is not valid base64");
      expectCode(response, 422, "file_not_base64");
    },
  },
  {
    name: "ext create: the same idempotency key and body give the same run",
    async run(target) {
      const [key, body] = [{ "idempotency-key": randomUUID() }, { name, labels: { a: "1", b: "2" } }];
      const first = await ext(target, "POST /runs", { headers: key, body });
      expect(first.headers[replayed] === undefined, `no ${replayed} at first`, String(first.headers[replayed]));
      const again = await ext(target, "POST /runs", { headers: key, body: { labels: { b: "2", a: "1" }, name } });
      expectEqual(runOf(again, 201).id, runOf(first, 201).id, "the run's id");
      expectEqual(again.headers[replayed], "true", replayed);
    },
  },
  {
    name: "ext create: the same idempotency key with another body is 422",
    async run(target) {
      const headers = { "idempotency-key": randomUUID() };
      await newRun(target, {}, headers);
      expectCode(await ext(target, "POST /runs", { headers, body: { name: "other" } }), 422, "idempotency_key_reused");
    },
  },
  {
    name: "ext create: 20 creates at once with one idempotency key give one run",
    async run(target) {
      const headers = { "idempotency-key": randomUUID() };
      const body = { name, files: [{ filename: "a.txt", content_base64: "QQ==" }] };
      const responses = await Promise.all(
        Array.from({ length: 20 }, () => ext(target, "POST /runs", { headers, body })),
      );
      const ids = new Set(responses.map((response) => runOf(response, 201).id));
      const fresh = responses.filter((response) => response.headers[replayed] === undefined).length;
      expectEqual([ids.size, fresh], [1, 1], "numbers of runs, and of responses that are not replays:");
    },
  },
  {
    name: "ext create: an invalid idempotency key is 422",
    async run(target) {
      for (const key of ["", "a".repeat(256), "a b"]) {
        const response = await ext(target, "POST /runs", { headers: { "idempotency-key": key }, body: { name } });
        expectCode(response, 422, "invalid_argument");
      }
    },
  },
  {
    name: "ext create: v1 ignores an idempotency key",
    async run(target) {
      const headers = { "idempotency-key": randomUUID() };
      const body = { name, template_id: target.templateId };
      const call = { method: "POST", path: "/v1/agents", headers, body };
      const [first, second] = [await send(target, call), await send(target, call)];
      expect(first.text !== second.text, "two runs", `${first.text} twice`);
      expect(first.status === 201 && second.status === 201, "201 twice", describe(second));
    },
  },
  {
    name: "ext create: a webhook without a webhook of the agent is 422",
    async run(target) {
      const { webhook } = bodyOf(await ext(target, "GET /agent"), 200);
      if (asObject(webhook)["configured"] === true) return;
      const body = { name, webhook: { url: "https://example.com/hook" } };
      expectCode(await ext(target, "POST /runs", { body }), 422, "webhook_not_configured");
    },
  },
  {
    name: "ext: every operation requires a key",
    async run(target) {
      const id = await created(target);
      const reads = ["/agent", "/runs", `/runs/${id}`, `/runs/${id}/events`, `/runs/${id}/files`];
      const writes = ["/runs", `/runs/${id}/input`, `/runs/${id}/stop`, "/uploads"];
      const changes = [...writes.map((path) => `POST ${path}`), `DELETE /runs/${id}`];
      const all = [...reads.map((path) => `GET ${path}`), ...changes];
      for (const at of all) {
        const body = at.startsWith("POST") ? { body: {} } : {};
        const missing = await ext(target, at, { auth: {}, ...body });
        expectError(missing, 401, "Missing API key");
        expectCode(missing, 401, "key_missing");
        expectCode(await ext(target, at, { auth: { "x-api-key": "ak_unknown" }, ...body }), 401, "key_invalid");
      }
    },
  },
];
