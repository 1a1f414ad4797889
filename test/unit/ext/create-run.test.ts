import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { setWebhook } from "../../../src/accounts/webhooks.ts";
import type { Schemas } from "../../../src/ext/call.ts";
import { untilState } from "../../support/ext-runs.ts";
import { type ExtService, extService } from "../../support/ext-service.ts";

type Run = Schemas["CreatedRun"];

let service: ExtService;
beforeAll(async () => {
  service = await extService();
});
afterAll(() => service[Symbol.asyncDispose]());

const create = (body: unknown, headers: Record<string, string> = {}, { call }: Pick<ExtService, "call"> = service) =>
  call<Run & { code?: string; detail: unknown }>("POST", "/runs", { body, headers });

const key = (text: string) => ({ "idempotency-key": text });
const labelsOf = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`l${index}`, ""]));
const file = { filename: "a", content_base64: "YQ==" };
const filesOf = (count: number) => Array.from({ length: count }, () => file);

describe("a create", () => {
  test("starts a run with files and labels, without a template_id", async () => {
    const files = [{ filename: "note.txt", content_base64: Buffer.from("Bring coffee.").toString("base64") }];
    const labels = { customer: "4711", "with.dots-and_dashes": "" };
    const { status, headers, body } = await create({ name: "Report", input_text: "Read.", files, labels });
    expect(status).toBe(201);
    expect(headers.has("idempotent-replayed")).toBe(false);
    expect(body).toMatchObject({ name: "Report", status: "running", turn: 1, labels, webhook: null });
    await untilState(service, body.id, "finished");
    const { body: listed } = await service.call<Schemas["RunFilePage"]>("GET", `/runs/${body.id}/files`);
    expect(listed.data).toMatchObject([{ name: "note.txt", size: 13 }]);
    const v1 = await fetch(`${service.baseUrl}/v1/agents/${body.id}`, {
      headers: { authorization: `Bearer ${service.apiKey}` },
    });
    expect(Object.keys((await v1.json()) as object)).toEqual(["agent_id", "loop_status", "transcript"]);
  });

  test("answers with the names of its files, also when it is repeated, and the list has both", async () => {
    const sent = ["reports/q3.csv", "q3.csv", "Q3.csv", "plain.txt", "Abscha\u0308tzung.txt", ".."];
    const files = sent.map((filename) => ({ filename, content_base64: "YQ==" }));
    const request = { name: "r", input_text: "Work.\ndemo: steps=4", files };
    const expected = [
      { name: "q3.csv", sent_as: "reports/q3.csv" },
      { name: "q3 (2).csv", sent_as: "q3.csv" },
      { name: "Q3 (3).csv", sent_as: "Q3.csv" },
      { name: "plain.txt", sent_as: null },
      { name: "Abschätzung.txt", sent_as: "Abscha\u0308tzung.txt" },
      { name: "file", sent_as: ".." },
    ];
    const { body } = await create(request, key("names"));
    expect(body.files).toEqual(expected);
    await untilState(service, body.id, "finished"); // the demo model writes a file, so that the run stores a new list
    const again = await create(request, key("names"));
    expect([again.body.id, again.body.files]).toEqual([body.id, expected]);
    const { body: listed } = await service.call<Schemas["RunFilePage"]>("GET", `/runs/${body.id}/files`);
    expect(listed.data.some(({ changed_at_step, sent_as }) => changed_at_step !== null && sent_as === null)).toBe(true);
    for (const named of expected) expect(listed.data).toContainEqual(expect.objectContaining(named));
    expect((await create({ name: "r" })).body.files).toEqual([]);
  });

  test("checks a template_id as v1 does", async () => {
    expect((await create({ name: "r", template_id: service.templateId })).status).toBe(201);
    const { status, body } = await create({ name: "r", template_id: service.stranger.agentId });
    expect([status, body.code]).toEqual([403, "template_mismatch"]);
    expect(body.detail).toBe("API key is not valid for the requested template");
  });

  test("with invalid base64 is rejected with the text of v1", async () => {
    const { status, body } = await create({ name: "r", files: [{ filename: "a", content_base64: "x" }] });
    expect([status, body.code, body.detail]).toEqual([422, "file_not_base64", "file 'a' is not valid base64"]);
  });

  test.for<[string, object, object]>([
    ["no name", { name: undefined }, { type: "missing", loc: ["body", "name"] }],
    ["a long name", { name: "x".repeat(201) }, { type: "string_too_long", loc: ["body", "name"] }],
    ["an unknown field", { agent_id: "x" }, { type: "extra_forbidden", loc: ["body", "agent_id"] }],
    ["an unknown field of a file", { files: [{ ...file, mode: 1 }] }, { type: "extra_forbidden" }],
    ["11 files", { files: filesOf(11) }, { type: "too_long", loc: ["body", "files"] }],
    ["17 labels", { labels: labelsOf(17) }, { type: "too_long", loc: ["body", "labels"] }],
    ["a label that is a number", { labels: { a: 1 } }, { type: "string_type", loc: ["body", "labels", "a"] }],
    ["a long label", { labels: { a: "x".repeat(201) } }, { type: "string_too_long", loc: ["body", "labels", "a"] }],
    ["a label with a space in its key", { labels: { "a b": "" } }, { type: "string_pattern_mismatch" }],
    ["a label with a long key", { labels: { ["a".repeat(65)]: "" } }, { type: "string_pattern_mismatch" }],
    [
      "a label that JavaScript would lose",
      JSON.parse('{"labels":{"__proto__":"x"}}') as object,
      { loc: ["body", "labels", "__proto__"] },
    ],
    ["a webhook without a URL", { webhook: {} }, { type: "missing", loc: ["body", "webhook", "url"] }],
    ["an upload that is no UUID", { uploads: ["x"] }, { type: "uuid_parsing", loc: ["body", "uploads", 0] }],
  ])("with %s is 422", async ([, more, issue]) => {
    const { status, body } = await create({ name: "r", ...more });
    expect([status, body.code, body.detail]).toEqual([422, "invalid_request", [expect.objectContaining(issue)]]);
  });

  test("accepts 10 files and uploads together", async () => {
    const uploads = ["00000000-0000-4000-8000-000000000001"];
    const { status, body } = await create({ name: "r", files: filesOf(10), uploads });
    expect([status, body.code]).toEqual([422, "invalid_argument"]);
    const missing = await create({ name: "r", uploads });
    expect([missing.status, missing.body.code]).toEqual([422, "upload_not_found"]);
  });

  test("with a webhook needs one of the agent, whose secret signs the messages", async () => {
    const webhook = { url: "https://example.com/hook?token=t" };
    const { status, body } = await create({ name: "r", webhook });
    expect([status, body.code]).toEqual([422, "webhook_not_configured"]);
    expect((await service.call("GET", "/agent")).body).toMatchObject({ webhook: { configured: false } });
    const { accounts } = service.platform;
    await setWebhook(accounts, service.stranger.agentId, { privateAddresses: false });
    const { call } = service.stranger;
    expect((await call("GET", "/agent")).body).toMatchObject({ webhook: { configured: true } });
    expect((await create({ name: "r", webhook }, {}, service.stranger)).body).toMatchObject({ webhook: "run" });
    expect((await create({ name: "r" }, {}, service.stranger)).body).toMatchObject({ webhook: null });
    await setWebhook(accounts, service.stranger.agentId, { url: "https://example.com/", privateAddresses: false });
    const reported = await create({ name: "r" }, {}, service.stranger);
    expect(reported.body).toMatchObject({ webhook: "agent" });
    const longest = `https://example.com/${"a".repeat(2_028)}`; // 2,048 characters, as for the webhook of an agent
    expect((await create({ name: "r", webhook: { url: longest } }, {}, service.stranger)).status).toBe(201);
    expect((await create({ name: "r", webhook: { url: `${longest}a` } }, {}, service.stranger)).status).toBe(422);
    const insecure = await create({ name: "r", webhook: { url: "http://example.com/" } }, {}, service.stranger);
    expect([insecure.status, insecure.body.code]).toEqual([422, "invalid_argument"]);
    const { body: detail } = await call<object>("GET", `/runs/${reported.body.id}`);
    expect(JSON.stringify(detail)).not.toContain("example.com");
  });
});

describe("Idempotency-Key", () => {
  test("a repeated create responds with the run of the first one, as it is now", async () => {
    const body = { name: "Once", input_text: "Go.", labels: { a: "1", b: "2" } };
    const first = await create(body, key("order-1"));
    await untilState(service, first.body.id, "finished");
    const again = await create({ labels: { b: "2", a: "1" }, input_text: "Go.", name: "Once" }, key("order-1"));
    expect(again.status).toBe(201);
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect(again.body).toMatchObject({ id: first.body.id, status: "finished", turn: 1 });
  });

  test("another body with the key is rejected, and creates nothing", async () => {
    await create({ name: "First", input_text: "Go." }, key("order-2"));
    const { status, body } = await create({ name: "Second", input_text: "Go." }, key("order-2"));
    expect([status, body.code]).toEqual([422, "idempotency_key_reused"]);
    expect((await service.call<Schemas["RunPage"]>("GET", "/runs?q=Second")).body.data).toEqual([]);
  });

  test("a rejected create does not use up its key", async () => {
    const { status } = await create({ name: "r", files: [{ filename: "a", content_base64: "x" }] }, key("order-3"));
    expect(status).toBe(422);
    expect((await create({ name: "r" }, key("order-3"))).status).toBe(201);
  });

  test("agents have keys of their own", async () => {
    const mine = await create({ name: "r" }, key("order-4"));
    const theirs = await create({ name: "r" }, key("order-4"), service.stranger);
    expect(theirs.headers.has("idempotent-replayed")).toBe(false);
    expect(theirs.body.id).not.toBe(mine.body.id);
  });

  test.for(["a b", "é", "x".repeat(256), ""])("%j is not a key", async (text) => {
    const { status, body } = await create({ name: "r" }, key(text));
    expect([status, body.code]).toEqual([422, "invalid_argument"]);
  });

  test("is ignored by v1", async () => {
    const body = JSON.stringify({ name: "r", template_id: service.templateId });
    const headers = { "content-type": "application/json", "x-api-key": service.apiKey, ...key("order-6") };
    const send = () => fetch(`${service.baseUrl}/v1/agents`, { method: "POST", headers, body });
    const [first, second] = [await send(), await send()];
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(await first.text()).not.toBe(await second.text());
  });

  test("concurrent creates with one key create one run", async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => create({ name: "Same" }, key("order-5"))));
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
    expect(answers.filter(({ headers }) => !headers.has("idempotent-replayed"))).toHaveLength(1);
  });
});

test("a list is filtered by labels and statuses", async () => {
  const { body: red } = await create({ name: "r", labels: { team: "red=1" } });
  const { body: blue } = await create({ name: "r", labels: { team: "blue", year: "2026" } });
  const found = async (label: string, call = service.call) =>
    (await call<Schemas["RunPage"]>("GET", `/runs?label=${label}`)).body.data.map(({ id }) => id);
  expect([await found("team=red=1"), await found("team=blue"), await found("team=")]).toEqual([
    [red.id],
    [blue.id],
    [],
  ]);
  expect(await found("team=blue&label=year=2026")).toEqual([blue.id]);
  expect(await found("team=blue&label=year=2025")).toEqual([]);
  expect(await found("team=blue&status=running&status=finished&status=waiting_for_input")).toEqual([blue.id]);
  expect(await found("team=blue&status=terminated&status=technical_error")).toEqual([]);
  expect(await found("constructor=x")).toEqual([]);
  expect(await found("team=blue", service.stranger.call)).toEqual([]);
});
