import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { updateAgent } from "../../../src/accounts/agents/agents.ts";
import { createKey, setKeyEnabled } from "../../../src/accounts/keys.ts";
import { definitionOf } from "../../../src/accounts/agents/definition.ts";
import type { Schemas } from "../../../src/ext/call.ts";
import { startRun, untilState } from "../../support/ext-runs.ts";
import { type ExtService, extService } from "../../support/ext-service.ts";

type Run = Schemas["Run"];

let service: ExtService;
beforeAll(async () => {
  service = await extService();
});
afterAll(() => service[Symbol.asyncDispose]());

const read = async (id: string) => (await service.call<Schemas["RunDetail"]>("GET", `/runs/${id}`)).body;

const waitFor = (id: string, seconds: number) =>
  service.call<Schemas["RunDetail"]>("GET", `/runs/${id}?wait=${seconds}`);

describe("a run", () => {
  test("shows what it does, then its output", async () => {
    const input_text = "Work.\ndemo: steps=3 delay=30";
    const id = await startRun(service, { name: "Busy", input_text });
    expect(await read(id)).toMatchObject({
      id,
      name: "Busy",
      status: "running",
      turn: 1,
      input_excerpt: input_text,
      labels: {},
      webhook: null,
      output: null,
    });
    const run = await untilState(service, id, "finished");
    expect(run).toMatchObject({ model: "demo", finish_reason: "completed", failure: null, activity: null });
    expect(run.output).toMatch(/\S/);
    expect(run.turn_usage.steps).toBeGreaterThan(2);
    expect(run).not.toHaveProperty("agent_id");
  });

  test("is read when its turn has ended, or when the time of the wait is over", async () => {
    const id = await startRun(service, { input_text: "Work.\ndemo: steps=4 delay=100" });
    const [ended, early] = await Promise.all([waitFor(id, 20), waitFor(id, 0)]);
    expect([early.body.status, ended.body.status]).toEqual(["running", "finished"]);
    expect(ended.body.output).toMatch(/\S/);
    const long = await startRun(service, { input_text: "Work.\ndemo: steps=40 delay=200" });
    expect((await waitFor(long, 1)).body.status).toBe("running");
    for (const wait of ["21", "-1", "x", "1.5"]) {
      expect((await service.call("GET", `/runs/${long}?wait=${wait}`)).status).toBe(422);
    }
    await service.call("POST", `/runs/${long}/stop`);
  });

  test("is not read any more by a wait whose key has ended", async () => {
    const id = await startRun(service, { input_text: "Work.\ndemo: steps=40 delay=300" });
    const { key } = await createKey(service.platform.accounts, service.templateId);
    const waiting = fetch(`${service.baseUrl}/ext/v1/runs/${id}?wait=20`, { headers: { "x-api-key": key } });
    await setKeyEnabled(service.platform.accounts, key, false);
    expect((await waiting).status).toBe(401);
    await service.call("POST", `/runs/${id}/stop`);
  }, 10_000);

  test("takes its next input, and keeps the output of the turn before until the next one ends", async () => {
    const id = await startRun(service, { input_text: "First." });
    const { output } = await untilState(service, id, "finished");
    const input = { input_text: "Second.\ndemo: steps=20 delay=30" };
    const next = await service.call<Run>("POST", `/runs/${id}/input`, { body: input });
    expect(next).toMatchObject({ status: 202, body: { status: "running", turn: 2, queued_inputs: 0 } });
    expect((await read(id)).output).toBe(output);
    const queued = await service.call<Run>("POST", `/runs/${id}/input`, { body: { input_text: "Third." } });
    expect(queued).toMatchObject({ status: 202, body: { turn: 2, queued_inputs: 1 } });
    const stopped = await service.call<Run>("POST", `/runs/${id}/stop`);
    expect(stopped).toMatchObject({ status: 200, body: { status: "terminated", queued_inputs: 0 } });
    expect((await read(id)).output).toBeNull();
    expect((await service.call("POST", `/runs/${id}/stop`)).status).toBe(200);
    const late = await service.call("POST", `/runs/${id}/input`, { body: { input_text: "Late." } });
    expect([late.status, late.body["code"]]).toEqual([409, "run_ended"]);
  });

  test("accepts an input with an idempotency key once, while it works and when it has finished", async () => {
    const id = await startRun(service, { input_text: "First.\ndemo: steps=10 delay=30" });
    const send = (key: string, input_text: string) =>
      service.call<Run & { code?: string }>("POST", `/runs/${id}/input`, {
        body: { input_text },
        headers: { "idempotency-key": key },
      });
    const posts = await Promise.all(Array.from({ length: 30 }, () => send("order-1", "Second.")));
    expect(new Set(posts.map(({ status }) => status))).toEqual(new Set([202]));
    expect(posts.filter(({ headers }) => !headers.has("idempotent-replayed"))).toHaveLength(1);
    expect((await read(id)).queued_inputs).toBe(1);
    const other = await send("order-1", "Other.");
    expect([other.status, other.body.code]).toEqual([422, "idempotency_key_reused"]);
    await expect.poll(async () => (await untilState(service, id, "finished")).turn).toBe(2);
    for (const replayed of [null, "true", "true"]) {
      const sent = await send("order-2", "Third.\ndemo: steps=1 delay=1");
      expect([sent.status, sent.headers.get("idempotent-replayed"), sent.body.turn]).toEqual([202, replayed, 3]);
    }
    await untilState(service, id, "finished");
    await service.call("POST", `/runs/${id}/stop`, { headers: { "idempotency-key": "order-3" } });
    const late = await send("order-2", "Third.\ndemo: steps=1 delay=1");
    expect([late.status, late.body.status]).toEqual([202, "terminated"]);
    const malformed = await send("a b", "Fourth.");
    expect([malformed.status, malformed.body.code]).toEqual([422, "invalid_argument"]);
  });

  test("is refused an idempotency key where it would have no effect", async () => {
    const body = { filename: "a.txt", size: 1, sha256: "a".repeat(64) };
    const headers = { "idempotency-key": "order-1" };
    const refused = await service.call<{ detail: { loc: string[]; msg: string }[] }>("POST", "/uploads", {
      body,
      headers,
    });
    expect(refused.status).toBe(422);
    expect(refused.body.detail).toMatchObject([
      { loc: ["header", "Idempotency-Key"], msg: expect.stringContaining("Send it without the header") },
    ]);
    expect((await service.call("POST", "/uploads", { body })).status).toBe(201);
  });

  test("gets other labels while it works and when it has ended, and none after its deletion", async () => {
    const { call, platform, templateId } = service;
    const id = await startRun(service, { input_text: "Work.\ndemo: steps=20 delay=30", labels: { a: "1" } });
    const label = (labels: object) => call<Run>("PATCH", `/runs/${id}`, { body: { labels } });
    expect(await label({ b: "2" })).toMatchObject({ status: 200, body: { labels: { b: "2" }, status: "running" } });
    await untilState(service, id, "finished");
    expect((await read(id)).labels).toEqual({ b: "2" });
    expect((await label({})).body.labels).toEqual({});
    await call("POST", `/runs/${id}/stop`);
    expect((await label({ c: "3" })).body).toMatchObject({ status: "terminated", labels: { c: "3" } });
    const agent = await platform.accounts.findAgent(templateId);
    if (!agent) throw new Error("the starter agent exists");
    await updateAgent(platform.accounts, templateId, { ...definitionOf(agent), allowDelete: true });
    expect((await call("DELETE", `/runs/${id}`)).status).toBe(200);
    const late = await call("PATCH", `/runs/${id}`, { body: { labels: { d: "4" } } });
    expect([late.status, late.body["code"]]).toEqual([409, "run_ended"]);
    await updateAgent(platform.accounts, templateId, definitionOf(agent));
  });

  test("can be deleted if the agent allows it", async () => {
    const { call, platform, templateId } = service;
    const id = await startRun(service, { name: "Private", labels: { who: "4711" } });
    const refused = await call("DELETE", `/runs/${id}`);
    expect([refused.status, refused.body["code"]]).toEqual([403, "delete_not_allowed"]);
    expect(await read(id)).toMatchObject({ name: "Private", status: "finished" });
    const agent = await platform.accounts.findAgent(templateId);
    if (!agent) throw new Error("the starter agent is missing");
    const before = definitionOf(agent);
    await updateAgent(platform.accounts, templateId, { ...before, allowDelete: true });
    expect((await service.stranger.call("DELETE", `/runs/${id}`)).status).toBe(404);
    const deleted = await call<Run>("DELETE", `/runs/${id}`);
    expect(deleted).toMatchObject({ status: 200, body: { status: "terminated", name: "", labels: {} } });
    expect(await read(id)).toMatchObject({ name: "", output: null });
    await updateAgent(platform.accounts, templateId, before);
  });

  test("without an input waits for one", async () => {
    const id = await startRun(service, {});
    expect(await read(id)).toMatchObject({ status: "finished", state: "waiting_for_input", turn: 0, output: null });
    const { status, body } = await service.call("POST", `/runs/${id}/input`, { body: { input_text: "" } });
    expect([status, body["code"]]).toEqual([422, "invalid_request"]);
    await service.call("POST", `/runs/${id}/input`, { body: { input_text: "Go." } });
    expect(await untilState(service, id, "finished")).toMatchObject({ turn: 1 });
  });
});
