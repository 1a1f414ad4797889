import { createHash } from "node:crypto";
import type { ServerResponse } from "node:http";
import { expect } from "vitest";
import { clientClasses, errorsOf } from "../../src/error-codes.ts";
import { agent, askAgent, type Case, end, getEvents, getRun, id, run } from "./case.ts";
import { answers, writtenTexts } from "./answer-cases.ts";
import { downloads } from "./download-cases.ts";
import { settings } from "./setting-cases.ts";
import { cutBody, endlessBody, json, noAnswer, type Received, stalledBody, stream, text } from "./scripted-server.ts";

const failure = { category: "limit", title: "The limit is reached", remedy: "Raise it.", retryable: false };

const event = (sequence: number) => ({ type: "output", sequence, at: null, turn: 1, text: `event ${sequence}` });
const eventText = (sequence: number): string =>
  `id: ${sequence}\nevent: event\ndata: ${JSON.stringify(event(sequence))}\n\n`;
const html = text(200, "text/html", "<html>Sign in to the network</html>");

const runToken = {
  token: "rt_0",
  id: "9f86d081884c7d65",
  created_at: "2026-11-26T10:00:00Z",
  expires_at: "2026-11-26T10:10:00Z",
};
const postRun = "POST /ext/v1/runs";
const create = { name: "Test", input: "Hello" };
const sent = ({ body }: Received): unknown => JSON.parse(body.toString());
const totalSchema = { type: "object", properties: { total: { type: "number" } } };
const notFitting = {
  message: "The result does not fit its schema: the result: expected object, received 12.",
  problems: [{ place: "", expected: "object", received: "12" }],
};
const range = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);

/** A case of an error response to `runs.get`. */
function rejected(status: number, body: object, error: object, headers = {}): Case {
  return {
    replies: [agent, json(status, body, headers)],
    job: { method: "get", args: [id] },
    expected: () => ({ calls: [askAgent, getRun], error: { status, ...error } }),
  };
}

/** A case of an idempotency key that a client rejects before its first request. */
function rejectedKey(key: string, message: RegExp): Case {
  return {
    replies: [],
    job: { method: "create", options: { ...create, idempotency_key: key } },
    expected: () => ({ calls: [], error: { name: "InvalidArgument", message: expect.stringMatching(message) } }),
  };
}

const creating: Record<string, Case> = {
  "creates a run with all options": {
    replies: [agent, json(201, run("running"))],
    job: {
      method: "create",
      options: {
        ...create,
        files: [["a.txt", "content"]],
        labels: { customer: "4711" },
        webhook: "https://example.com/",
        idempotency_key: "order-1",
        limits: { turn: { steps: 3 }, run: { dollars: 0.5 } },
        model: "fast",
      },
      client: { template_id: "t" },
    },
    expected: ([, post]) => {
      expect(sent(post!)).toEqual({
        name: "Test",
        template_id: "t",
        input_text: "Hello",
        files: [{ filename: "a.txt", content_base64: "Y29udGVudA==" }],
        labels: { customer: "4711" },
        webhook: { url: "https://example.com/" },
        limits: { turn: { steps: 3 }, run: { dollars: 0.5 } },
        model: "fast",
      });
      expect(post!.headers).toMatchObject({ authorization: "Bearer ak_test", "idempotency-key": "order-1" });
      return { calls: [askAgent, postRun], value: { id, status: "running" } };
    },
  },
  "sends the schema of a result, and has the result": {
    replies: [agent, json(201, run("running")), json(200, run("finished", '{"total": 12}', { result: { total: 12 } }))],
    job: { method: "create_and_wait", options: { ...create, result: totalSchema } },
    expected: ([, post]) => {
      expect(sent(post!)).toMatchObject({ result_schema: totalSchema });
      const value = { id, status: "finished", output: '{"total": 12}', result: { total: 12 } };
      return { calls: [askAgent, postRun, getRun], value };
    },
  },
  "says why an output is no result": {
    replies: [agent, json(200, run("finished", "Twelve.", { result: null, result_error: notFitting }))],
    job: { method: "get", args: [id] },
    expected: () => ({ value: { id, status: "finished", output: "Twelve.", result_error: notFitting } }),
  },
  "repeats a create that was not answered, with the same key": {
    replies: [agent, noAnswer, cutBody(201, '{"id": '), json(503, { detail: "busy" }), json(201, run("running"))],
    job: { method: "create", options: create },
    expected: (received) => {
      const keys = received.slice(1).map(({ headers }) => headers["idempotency-key"]);
      expect(new Set(keys).size).toBe(1);
      expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/);
      return { calls: [askAgent, postRun, postRun, postRun, postRun], value: { id }, sleeps: [1_000, 2_000, 4_000] };
    },
  },
  "says that the outcome of a create is unknown": {
    replies: [agent, noAnswer, noAnswer, noAnswer, noAnswer],
    job: { method: "create", options: { ...create, idempotency_key: "order-1" } },
    expected: () => ({
      calls: [askAgent, postRun, postRun, postRun, postRun],
      error: { name: "CreateOutcomeUnknown", idempotency_key: "order-1" },
    }),
  },
  "says that the outcome is unknown when a gateway gives up": {
    replies: [agent, ...range(4).map(() => text(504, "text/html", "<html>Gateway Timeout</html>"))],
    job: { method: "create", options: create },
    expected: () => ({ error: { name: "CreateOutcomeUnknown" } }),
  },
  "says that the service is unavailable when it rejects a create": {
    replies: [agent, ...range(4).map(() => json(503, { detail: "no space", code: "storage_full" }))],
    job: { method: "create", options: create },
    expected: () => ({ error: { name: "ServiceUnavailable", status: 503, code: "storage_full" } }),
  },
  "uploads files that do not fit into the request": {
    replies: [
      agent,
      json(201, { upload_id: "u1", url: "/ext/v1/uploads/u1", headers: { "content-type": "text/plain" } }),
      noAnswer,
      json(204, ""),
      json(201, run("running")),
    ],
    job: { method: "create", options: { ...create, files: [["big.txt", "more than 10 bytes"]] } },
    expected: ([, begin, , put, post]) => {
      const sha256 = createHash("sha256").update("more than 10 bytes").digest("hex");
      expect(sent(begin!)).toEqual({ filename: "big.txt", size: 18, sha256 });
      expect(put!.body.toString()).toBe("more than 10 bytes");
      expect(put!.headers).toMatchObject({ authorization: "Bearer ak_test", "content-type": "text/plain" });
      expect(sent(post!)).toMatchObject({ uploads: ["u1"] });
      const putUpload = "PUT /ext/v1/uploads/u1";
      return { calls: [askAgent, "POST /ext/v1/uploads", putUpload, putUpload, postRun], value: { id } };
    },
  },
  "creates and uploads for another agent of the key than that of the client": {
    replies: [
      agent,
      json(201, { upload_id: "u1", url: "/ext/v1/uploads/u1", headers: {} }),
      json(204, ""),
      json(201, run("running")),
    ],
    job: {
      method: "create",
      options: { ...create, files: [["big.txt", "more than 10 bytes"]], template_id: "other" },
      client: { template_id: "a" },
    },
    expected: ([, begin, , post]) => {
      expect(sent(begin!)).toMatchObject({ filename: "big.txt", template_id: "other" });
      expect(sent(post!)).toMatchObject({ uploads: ["u1"], template_id: "other" });
      return { value: { id } };
    },
  },
  "uploads to a bucket without the key": {
    replies: [
      agent,
      (response, request) => {
        const url = elsewhere(response, request, "/bucket?signature=1");
        const headers = { "content-length": "18", "x-amz-checksum-sha256": "abc=" };
        json(201, { upload_id: "u1", url, headers })(response, request);
      },
      text(200, "application/xml", ""),
      json(201, run("running")),
    ],
    job: { method: "create", options: { ...create, files: [["big.txt", "more than 10 bytes"]] } },
    expected: ([, , put]) => {
      expect(put!.headers).toMatchObject({ "content-length": "18", "x-amz-checksum-sha256": "abc=" });
      expect(put!.headers).not.toHaveProperty("authorization");
      return { calls: [askAgent, "POST /ext/v1/uploads", "PUT /bucket?signature=1", postRun], value: { id } };
    },
  },
  "reports a bucket that rejects an upload, without the signature": {
    replies: [
      agent,
      (response, request) => {
        const url = elsewhere(response, request, "/bucket?signature=1");
        json(201, { upload_id: "u1", url, headers: {} })(response, request);
      },
      text(403, "application/xml", "<Error><Code>AccessDenied</Code></Error>"),
    ],
    job: { method: "create", options: { ...create, files: [["big.txt", "more than 10 bytes"]] } },
    expected: () => ({
      error: {
        name: "APIError",
        status: 403,
        message: expect.stringMatching(/^PUT http:\/\/localhost[^?]*: 403 <Error><Code>AccessDenied/),
      },
    }),
  },
  "does not create a run when an upload is rejected": {
    replies: [agent, json(413, { detail: "The file has 18 bytes", code: "upload_too_large" })],
    job: { method: "create", options: { ...create, files: [["big.txt", "more than 10 bytes"]] } },
    expected: () => ({ calls: [askAgent, "POST /ext/v1/uploads"], error: { name: "PayloadTooLarge" } }),
  },
};

const waiting: Record<string, Case> = {
  "polls after 3 s, growing to 10 s": {
    replies: [
      agent,
      json(201, run("running")),
      ...range(5).map(() => json(200, run("running"))),
      json(200, run("finished", "Done.")),
    ],
    job: { method: "create_and_wait", options: create },
    expected: () => ({
      calls: [askAgent, postRun, ...range(6).map(() => getRun)],
      value: { id, status: "finished", output: "Done." },
      sleeps: [3_000, 4_500, 6_750, 10_000, 10_000],
    }),
  },
  "lets a read wait where the service has waits for clients": {
    replies: [
      json(200, { id: "a", name: "Test", max_inline_bytes: 10, max_upload_bytes: 100, wait_seconds: 20 }),
      json(200, run("running")),
      json(200, run("finished", "Done.")),
    ],
    job: { method: "wait", args: [id] },
    expected: () => ({
      calls: [askAgent, `${getRun}?wait=20`, `${getRun}?wait=20`],
      value: { output: "Done." },
      sleeps: [3_000], // this server does not wait
    }),
  },
  "backs off 1, 2, 4 … 30 s on 502 and 503, and then polls again": {
    replies: [
      agent,
      ...range(7).map((n) => json(n % 2 ? 502 : 503, { detail: "event history lookup failed" })),
      json(200, run("running")),
      json(503, { detail: "event history is temporarily unavailable" }),
      json(200, run("finished")),
    ],
    job: { method: "wait", args: [id] },
    expected: () => ({
      value: { status: "finished" },
      sleeps: [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 3_000, 1_000],
    }),
  },
  "polls on after connections that were refused or cut, and after 429": {
    replies: [
      agent,
      noAnswer,
      cutBody(200, '{"id": "'),
      json(429, { detail: "too many requests" }, { "retry-after": "7" }),
      json(200, run("finished")),
    ],
    job: { method: "wait", args: [id] },
    expected: () => ({ value: { status: "finished" }, sleeps: [1_000, 2_000, 7_000] }),
  },
  "backs off in the same way before it knows the server": {
    replies: [...range(6).map(() => json(503, { detail: "starting" })), agent, json(200, run("finished"))],
    job: { method: "wait", args: [id] },
    expected: () => ({ value: { status: "finished" }, sleeps: [1_000, 2_000, 4_000, 8_000, 16_000, 30_000] }),
  },
  "stops waiting at the deadline": {
    replies: [agent, json(201, run("running")), ...range(3).map(() => json(200, run("running")))],
    job: { method: "create_and_wait", options: { ...create, timeout: 9_000 } },
    expected: () => ({
      error: { name: "WaitTimeout", run_id: id, message: "the run did not end within 9 s" },
      sleeps: [3_000, 4_500, 1_500],
    }),
  },
  "fails like a read when nothing answers": {
    replies: [noAnswer, noAnswer, noAnswer, noAnswer],
    job: { method: "wait", args: [id] },
    expected: () => ({
      calls: range(4).map(() => askAgent),
      error: { name: "ConnectionFailed", run_id: id },
      sleeps: [1_000, 2_000, 4_000],
    }),
  },
  "fails like a read when nothing answers, with events, too": {
    replies: [noAnswer, noAnswer],
    job: { method: "wait", args: [id], onEvent: "record", client: { max_retries: 1 } },
    expected: () => ({ calls: [askAgent, askAgent], error: { name: "ConnectionFailed", run_id: id } }),
  },
  "says at the deadline why the last request failed": {
    replies: [agent, json(200, run("running")), ...range(3).map(() => json(503, { detail: "no store" }))],
    job: { method: "wait", args: [id], options: { timeout: 9_000 } },
    expected: () => ({
      error: {
        name: "WaitTimeout",
        message: `the run did not end within 9 s; the last request failed: ${getRun}: 503 no store`,
      },
    }),
  },
  "stops waiting at the deadline while a body stalls": {
    replies: [agent, stalledBody(200, "application/json", '{"id": ')],
    job: { method: "wait", args: [id], options: { timeout: 300 }, realTime: true },
    expected: () => ({ error: { name: "WaitTimeout", run_id: id } }),
  },
  "stops waiting at the deadline while a body does not end": {
    replies: [agent, endlessBody(200, "application/json")],
    job: { method: "wait", args: [id], options: { timeout: 300 }, realTime: true },
    expected: () => ({ error: { name: "WaitTimeout", run_id: id } }),
  },
  "stops waiting at the deadline while an event stream is silent": {
    replies: [agent, stalledBody(200, "text/event-stream", "retry: 2000\n\n")],
    job: { method: "wait", args: [id], options: { timeout: 300 }, onEvent: "record", realTime: true },
    expected: () => ({ error: { name: "WaitTimeout", run_id: id } }),
  },
  "stops waiting at the deadline while an event stream is busy": {
    replies: [agent, endlessBody(200, "text/event-stream")],
    job: { method: "wait", args: [id], options: { timeout: 300 }, onEvent: "record", realTime: true },
    expected: () => ({ error: { name: "WaitTimeout", run_id: id } }),
  },
  "says that no run was created when the deadline passes before": {
    replies: [stalledBody(200, "application/json", "{")],
    job: { method: "create_and_wait", options: { ...create, timeout: 300 }, realTime: true },
    expected: () => ({ calls: [askAgent], error: { name: "WaitTimeout" } }),
  },
  "ends a request that is not answered in time": {
    replies: [agent, stalledBody(200, "application/json", "{"), json(200, run("finished"))],
    job: { method: "get", args: [id], client: { timeout: 300 } },
    expected: () => ({ value: { status: "finished" }, sleeps: [1_000] }),
  },
  "returns a run that failed": {
    replies: [agent, json(200, run("technical_error", null, { failure }))],
    job: { method: "wait", args: [id] },
    expected: () => ({ value: { status: "technical_error", output: null } }),
  },
  "raises for a run that failed, if asked to": {
    replies: [agent, json(200, run("technical_error", null, { failure }))],
    job: { method: "wait", args: [id], options: { raise_on_failure: true } },
    expected: () => ({ error: { name: "RunFailed", run_id: id, message: "The limit is reached. Raise it." } }),
  },
  "names the run in the error of a wait": {
    replies: [agent, json(201, run("running")), json(404, { detail: "Agent not found", code: "run_not_found" })],
    job: { method: "create_and_wait", options: create },
    expected: () => ({ error: { name: "RunNotFound", run_id: id } }),
  },
};

const streaming: Record<string, Case> = {
  "passes each event on, and then returns the run": {
    replies: [
      agent,
      json(201, run("running")),
      stream(`retry: 2000\n\nevent: run\ndata: {}\n\n${eventText(1)}: comment\n\n${eventText(2)}${end}`),
      json(200, run("finished", "Done.")),
    ],
    job: { method: "create_and_wait", options: create, onEvent: "record" },
    expected: ([, , events]) => {
      expect(events!.headers).toMatchObject({ accept: "text/event-stream" });
      expect(events!.headers).not.toHaveProperty("last-event-id");
      return {
        calls: [askAgent, postRun, getEvents, getRun],
        value: { output: "Done." },
        events: [event(1), event(2)],
        sleeps: [],
      };
    },
  },
  "resumes a stream that ended normally, after its retry": {
    replies: [
      agent,
      stream(`retry: 500\n\n${eventText(1)}`),
      stream(`retry: 100\n\n`),
      stream(eventText(2) + end),
      json(200, run("finished")),
    ],
    job: { method: "wait", args: [id], onEvent: "record" },
    expected: ([, , second, third]) => {
      expect([second!.headers["last-event-id"], third!.headers["last-event-id"]]).toEqual(["1", "1"]);
      return { events: [event(1), event(2)], sleeps: [500, 100] };
    },
  },
  "resumes a stream that is cut 100 times in the middle of an event: every event once, in order": {
    replies: [
      agent,
      ...range(100).map((n) => stream(`retry: 20\n\n${eventText(n)}${eventText(n + 1).slice(0, -9)}`, "cut")),
      stream(eventText(101) + end),
    ],
    job: { method: "events", args: [id] },
    expected: (received) => {
      expect(received.slice(2).map(({ headers }) => headers["last-event-id"])).toEqual(range(100).map(String));
      return { value: range(101).map(event) };
    },
  },
  "waits longer after each failure of a stream, up to 30 s": {
    replies: [agent, ...range(6).map((n) => (n % 2 ? noAnswer : json(503, { detail: "busy" }))), stream(end)],
    job: { method: "events", args: [id] },
    expected: () => ({
      value: [],
      sleeps: [2, 4, 8, 16, 30, 30].map((seconds) =>
        expect.toSatisfy((ms: number) => ms >= seconds * 1_000 && ms <= seconds * 1_250),
      ),
    }),
  },
  "waits as long as a 429 asks": {
    replies: [agent, json(429, { detail: "slow down" }, { "retry-after": "9" }), stream(end)],
    job: { method: "events", args: [id] },
    expected: () => ({ value: [], sleeps: [expect.toSatisfy((ms: number) => ms >= 9_000)] }),
  },
  "stops at a stream that is rejected": {
    replies: [agent, json(404, { detail: "Agent not found", code: "run_not_found" })],
    job: { method: "events", args: [id] },
    expected: () => ({ calls: [askAgent, getEvents], error: { name: "RunNotFound" } }),
  },
  "begins after a known event": {
    replies: [agent, stream(eventText(8) + end)],
    job: { method: "events", args: [id], options: { after: 7 } },
    expected: ([, events]) => {
      expect(events!.headers["last-event-id"]).toBe("7");
      return { value: [event(8)] };
    },
  },
  "reads messages with any line ends, a byte order mark and several data lines": {
    replies: [
      agent,
      stream(
        `\ufeffretry: 10\r\n\r\nid: 1\revent: event\rdata: {"type":\rdata: "output"}\r\rid:2\nevent:event\ndata:{}\n\n${end}`,
      ),
    ],
    job: { method: "events", args: [id] },
    expected: () => ({ value: [{ type: "output" }, {}] }),
  },
  "closes the stream when the caller has enough": {
    replies: [agent, stream(eventText(1) + eventText(2) + end)],
    job: { method: "events", args: [id], take: 1 },
    expected: () => ({ calls: [askAgent, getEvents], value: [event(1)] }),
  },
  "passes on the events of the next turn only": {
    replies: [agent, stream(eventText(8) + end), json(200, run("finished"))],
    job: { method: "wait", args: [id], options: { after: 7 }, onEvent: "record" },
    expected: ([, events]) => {
      expect(events!.headers["last-event-id"]).toBe("7");
      return { events: [event(8)] };
    },
  },
  "lets an error of the callback through": {
    replies: [agent, stream(eventText(1) + end)],
    job: { method: "wait", args: [id], onEvent: "raise" },
    expected: () => ({ calls: [askAgent, getEvents], error: { name: "CallbackError", message: "from the callback" } }),
  },
  "reports a page in place of a stream": {
    replies: [agent, html],
    job: { method: "events", args: [id] },
    expected: () => ({
      error: { name: "UnexpectedResponse", message: expect.stringContaining("text/html instead of text/event-stream") },
    }),
  },
  "reports an event that is not JSON": {
    replies: [agent, stream("id: 1\nevent: event\ndata: {oops\n\n")],
    job: { method: "events", args: [id] },
    expected: () => ({ error: { name: "UnexpectedResponse", message: expect.stringContaining("{oops") } }),
  },
};

/** A case of a call to a server that has no extension API. */
function notSupported(job: Case["job"]): Case {
  return {
    replies: [json(404, { detail: "Not Found" })],
    job,
    expected: () => ({
      calls: [askAgent],
      error: {
        name: "NotSupported",
        message: expect.stringMatching(
          /^the server at http:\S+ has no \/ext\/v1, which this client calls; use the address/,
        ),
      },
    }),
  };
}

const withoutExtensionApi: Record<string, Case> = {
  "says that a server has no extension API: create": notSupported({ method: "create", options: create }),
  "says that a server has no extension API: wait": notSupported({ method: "wait", args: [id], onEvent: "record" }),
  "says that a server has no extension API: files": notSupported({ method: "files", args: [id] }),
};

const errors: Record<string, Case> = {
  "a base URL with /v1": {
    replies: [],
    job: { method: "agent", client: { base_url: "http://127.0.0.1:8787/v1/" } },
    expected: () => ({
      calls: [],
      error: { name: "InvalidArgument", message: expect.stringMatching(/v1\/['"]: pass base.*, without \/v1$/) },
    }),
  },
  "a base URL that is none": {
    replies: [],
    job: { method: "agent", client: { base_url: "http://127.0.0.1:port" } },
    expected: () => ({ error: { name: "InvalidArgument", message: expect.stringContaining("127.0.0.1:port") } }),
  },
  "a key with a line break in it": {
    replies: [],
    job: { method: "agent", client: { api_key: "ak_\n1" } },
    expected: () => ({ error: { name: "InvalidArgument", message: expect.stringContaining("is malformed") } }),
  },
  "an idempotency key that no header can have": rejectedKey(
    "größe-1",
    /^idempotency_?[kK]ey is ['"]größe-1['"]; accepted: 1 to 255 /,
  ),
  "an idempotency key with a line break": rejectedKey("order\n1", /key is ['"]order\\n1['"]; accepted: /i),
  "an empty idempotency key": rejectedKey("", /key is (''|""); accepted: /i),
  "an idempotency key that is too long": rejectedKey("x".repeat(256), /key has 256 characters; accepted: /i),
  "an empty ID of a run": {
    replies: [agent],
    job: { method: "get", args: [""] },
    expected: () => ({
      calls: [askAgent],
      error: { name: "InvalidArgument", message: expect.stringMatching(/^run_id is (''|""); accepted: a text/) },
    }),
  },
  "an invalid key": {
    replies: [json(401, { detail: "Invalid API key", code: "key_invalid" }, { "x-request-id": "r-1" })],
    job: { method: "agent" },
    expected: () => ({
      calls: [askAgent],
      error: { name: "AuthenticationError", status: 401, code: "key_invalid", request_id: "r-1" },
    }),
  },
  "a run that has ended": rejected(
    409,
    { detail: "terminated", code: "run_ended" },
    { name: "RunEnded", code: "run_ended" },
  ),
  "a full queue": rejected(409, { detail: "20 inputs", code: "queue_full" }, { name: "QueueFull" }),
  "a key with another body": rejected(
    422,
    { detail: "used", code: "idempotency_key_reused" },
    { name: "IdempotencyKeyReused" },
  ),
  "no webhook": rejected(422, { detail: "none", code: "webhook_not_configured" }, { name: "WebhookNotConfigured" }),
  "an unknown upload": rejected(422, { detail: "none", code: "upload_not_found" }, { name: "UploadFailed" }),
  "no such file": rejected(404, { detail: "none", code: "file_not_found" }, { name: "FileNotFound" }),
  "a limit for long": rejected(
    429,
    { detail: "spent", code: "dollars_spent" },
    { name: "RateLimited", retry_after: 3_600 },
    { "retry-after": "3600" },
  ),
  "an unknown code": rejected(409, { detail: "new", code: "brand_new" }, { name: "APIError", code: "brand_new" }),
  "an error page of a proxy": {
    replies: [agent, text(403, "text/html", "<html>Forbidden by the firewall</html>")],
    job: { method: "get", args: [id] },
    expected: () => ({
      error: { name: "APIError", status: 403, message: expect.stringContaining("Forbidden by the firewall") },
    }),
  },
  "a page in place of JSON": {
    replies: [agent, html],
    job: { method: "get", args: [id] },
    expected: () => ({
      calls: [askAgent, getRun],
      error: {
        name: "UnexpectedResponse",
        message: expect.stringMatching(/text\/html.*Sign in to the network.*base URL/),
      },
    }),
  },
  "a page in place of the agent": {
    replies: [html],
    job: { method: "create", options: create },
    expected: () => ({ calls: [askAgent], error: { name: "UnexpectedResponse" } }),
  },
  "JSON that is cut off": {
    replies: [agent, text(200, "application/json", '{"id": "')],
    job: { method: "get", args: [id] },
    expected: () => ({ error: { name: "UnexpectedResponse" } }),
  },
  "JSON of something else": {
    replies: [agent, json(200, { hello: "world" })],
    job: { method: "get", args: [id] },
    expected: () => ({ error: { name: "UnexpectedResponse", message: expect.stringContaining("hello") } }),
  },
  "JSON that is no object": {
    replies: [agent, json(200, [1])],
    job: { method: "get", args: [id] },
    expected: () => ({ error: { name: "UnexpectedResponse" } }),
  },
  "a redirect": {
    replies: [agent, text(301, "text/html", "", { location: "https://example.com/" })],
    job: { method: "create", options: create },
    expected: () => ({
      calls: [askAgent, postRun],
      error: { name: "UnexpectedResponse", message: expect.stringContaining("a redirect") },
    }),
  },
  "no connection": {
    replies: [agent, noAnswer, noAnswer, noAnswer, noAnswer],
    job: { method: "get", args: [id] },
    expected: () => ({ error: { name: "ConnectionFailed" }, sleeps: [1_000, 2_000, 4_000] }),
  },
};

/** A URL of the same script at another origin: `localhost` in place of `127.0.0.1`. */
function elsewhere({ req }: ServerResponse, { headers }: Received, path: string): string {
  return `http://localhost:${headers.host?.split(":")[1]}${req.url?.replace(/\/ext.*/, path)}`;
}

const file = `GET /ext/v1/runs/${id}/files/a%20b.txt`;
const other: Record<string, Case> = {
  "lists all pages": {
    replies: [
      agent,
      json(200, { data: [run("finished")], next: "2" }),
      json(200, { data: [], next: "3" }),
      json(200, { data: [run("running")], next: null }),
    ],
    job: { method: "list", options: { status: "finished", label: "customer=4711" } },
    expected: (received) => {
      const filters = "GET /ext/v1/runs?status=finished&label=customer%3D4711";
      expect(received.slice(1).map(({ call }) => call)).toEqual([
        filters,
        `${filters}&cursor=2`,
        `${filters}&cursor=3`,
      ]);
      return {
        value: [
          { id, status: "finished" },
          { id, status: "running" },
        ],
      };
    },
  },
  "lists the runs of one of the key's agents": {
    replies: [agent, json(200, { data: [run("finished")], next: null })],
    job: { method: "list", options: { template_id: "other", q: "x" } },
    expected: (received) => {
      const query = new URL(received[1]!.call.slice("GET ".length), "http://localhost").searchParams;
      expect(Object.fromEntries(query)).toEqual({ template_id: "other", q: "x" });
      return { value: [{ id, status: "finished" }] };
    },
  },
  "lists runs with one of several statuses and all of several labels": {
    replies: [agent, json(200, { data: [run("finished")], next: null })],
    job: { method: "list", options: { status: ["finished", "terminated"], label: ["customer=4711", "year=2026"] } },
    expected: () => ({
      calls: [askAgent, "GET /ext/v1/runs?status=finished&status=terminated&label=customer%3D4711&label=year%3D2026"],
      value: [{ id, status: "finished" }],
    }),
  },
  "reads one page, and says where the next one begins": {
    replies: [agent, json(200, { data: [run("finished")], next: "2" })],
    job: { method: "list_page", options: { status: "finished", cursor: "1", limit: 10 } },
    expected: (received) => {
      const [, path = "", query = ""] = /^GET (.*)\?(.*)$/.exec(received[1]?.call ?? "") ?? [];
      const expected = { status: "finished", cursor: "1", limit: "10" };
      expect([path, Object.fromEntries(new URLSearchParams(query))]).toEqual(["/ext/v1/runs", expected]);
      return { value: { data: [{ id, status: "finished" }], next: "2" } };
    },
  },
  "downloads a file": {
    replies: [agent, noAnswer, text(200, "application/octet-stream", "content")],
    job: { method: "download", args: [id, "a b.txt"], options: { at: "1.2" } },
    expected: () => ({ calls: [askAgent, `${file}?at=1.2`, `${file}?at=1.2`], value: "content" }),
  },
  "follows the redirect of a download without the key": {
    replies: [
      agent,
      (response, request) =>
        response.writeHead(307, { location: elsewhere(response, request, "/signed?signature=1") }).end(),
      text(200, "application/octet-stream", "content"),
    ],
    job: { method: "download", args: [id, "a b.txt"] },
    expected: (received) => {
      expect(received[2]!.headers).not.toHaveProperty("authorization");
      return { calls: [askAgent, file, "GET /signed?signature=1"], value: "content" };
    },
  },
  "lists files": {
    replies: [agent, json(200, { data: [{ name: "a.txt", size: 1 }], next: null })],
    job: { method: "files", args: [id] },
    expected: () => ({ calls: [askAgent, `${getRun}/files`], value: [{ name: "a.txt", size: 1 }] }),
  },
  "replaces labels, and repeats that": {
    replies: [agent, json(503, { detail: "Retry", code: "store_unavailable" }), json(200, run("finished"))],
    job: { method: "set_labels", args: [id, { customer: "4711" }] },
    expected: ([, first, second]) => {
      const labels = { customer: "4711" };
      expect([first, second].map((each) => each && sent(each))).toEqual([{ labels }, { labels }]);
      return {
        calls: [askAgent, `PATCH /ext/v1/runs/${id}`, `PATCH /ext/v1/runs/${id}`],
        value: { status: "finished" },
      };
    },
  },
  "creates a token that reads a run": {
    replies: [agent, json(503, { detail: "Retry", code: "store_unavailable" }), json(201, runToken)],
    job: { method: "create_token", args: [id], options: { expires_in: 600 } },
    expected: ([, first, second]) => {
      expect([first, second].map((each) => each && sent(each))).toEqual([{ expires_in: 600 }, { expires_in: 600 }]);
      const post = `POST /ext/v1/runs/${id}/tokens`;
      return { calls: [askAgent, post, post], value: runToken };
    },
  },
  "revokes a token": {
    replies: [agent, (response) => response.writeHead(204).end()],
    job: { method: "revoke_token", args: [id, "9f86d081884c7d65"] },
    expected: () => ({ calls: [askAgent, `DELETE /ext/v1/runs/${id}/tokens/9f86d081884c7d65`] }),
  },
  "reads its run with a token of it": {
    replies: [json(403, { detail: "one run", code: "token_reads_one_run" }), json(200, run("finished", "Done."))],
    job: { method: "get", args: [id], client: { api_key: "rt_test" } },
    expected: () => ({ calls: [askAgent, getRun], value: { status: "finished", output: "Done." } }),
  },
  "creates nothing with a token of a run": {
    replies: [json(403, { detail: "one run", code: "token_reads_one_run" })],
    job: { method: "create", options: { name: "Run" }, client: { api_key: "rt_test" } },
    expected: () => ({ error: { name: "AuthenticationError", code: "token_reads_one_run" } }),
  },
  "repeats an input with one key": {
    replies: [agent, noAnswer, json(202, run("running"))],
    job: { method: "send_input", args: [id, "More"] },
    expected: ([, ...posts]) => {
      const keys = posts.map(({ headers }) => headers["idempotency-key"]);
      expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/);
      expect(keys).toEqual([keys[0], keys[0]]);
      expect(posts.map((post) => sent(post))).toEqual([{ input_text: "More" }, { input_text: "More" }]);
      return { value: { status: "running" }, sleeps: [1_000] };
    },
  },
  "sends an input with a key of the caller": {
    replies: [agent, json(202, run("running"))],
    job: { method: "send_input", args: [id, "More"], options: { idempotency_key: "more-1" } },
    expected: ([, post]) => {
      expect(post!.headers).toMatchObject({ "idempotency-key": "more-1" });
      return { calls: [askAgent, `POST /ext/v1/runs/${id}/input`], value: { status: "running" } };
    },
  },
  "an input with a key that no header can have": {
    replies: [],
    job: { method: "send_input", args: [id, "More"], options: { idempotency_key: "größe-1" } },
    expected: () => ({ calls: [], error: { name: "InvalidArgument" } }),
  },
  "repeats a stop": {
    replies: [agent, noAnswer, json(200, run("terminated"))],
    job: { method: "stop", args: [id] },
    expected: () => ({ value: { status: "terminated" }, sleeps: [1_000] }),
  },
  "repeats a deletion": {
    replies: [agent, noAnswer, json(200, run("terminated"))],
    job: { method: "delete", args: [id] },
    expected: () => ({
      calls: [askAgent, `DELETE /ext/v1/runs/${id}`, `DELETE /ext/v1/runs/${id}`],
      value: { status: "terminated" },
      sleeps: [1_000],
    }),
  },
};

/** One case for each code of the extension API. Codes that are transient are answered until the client gives up. */
const codes = Object.fromEntries(
  Object.entries(errorsOf("ext")).map(([code, { status, detail }]): [string, Case] => [
    `knows ${code}`,
    {
      replies: [agent, ...range(20).map(() => json(status, { detail, code }))],
      job: { method: "get", args: [id] },
      expected: () => ({ error: { name: clientClasses()[code], status, code } }),
    },
  ]),
);

/** What each client does, by name. */
export const cases: Record<string, Case> = {
  ...creating,
  ...waiting,
  ...streaming,
  ...answers,
  ...writtenTexts,
  ...withoutExtensionApi,
  ...errors,
  ...codes,
  ...other,
  ...downloads,
  ...settings,
};
