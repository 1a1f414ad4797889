import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createAgent, setAgentStatus } from "../../../src/accounts/agents/agents.ts";
import { createOrganization } from "../../../src/accounts/organizations.ts";
import type { ModelConfiguration } from "../../../src/agent/model.ts";
import type { Schemas } from "../../../src/manage/call.ts";
import { chatServer, rejects } from "../../providers/chat-completions-server.ts";
import { newRun } from "../../platform/run-fixtures.ts";
import { type ManageService, manageService } from "../../support/manage-service.ts";

type Run = Schemas["Run"];
type RunPage = Schemas["RunPage"];

let service: ManageService;
beforeAll(async () => {
  service = await manageService();
});
afterAll(() => service[Symbol.asyncDispose]());

const unknown = "00000000-0000-4000-8000-000000000001";

async function start(body: object = {}): Promise<Schemas["CreatedRun"]> {
  const run = { agent_id: service.templateId, name: "Run", ...body };
  const response = await service.call<Schemas["CreatedRun"]>("POST", "/runs", { body: run });
  expect(response).toMatchObject({ status: 201 });
  return response.body;
}

async function read(id: string): Promise<Schemas["RunDetail"]> {
  return (await service.call<Schemas["RunDetail"]>("GET", `/runs/${id}`)).body;
}

async function untilState(id: string, state: Run["state"]): Promise<Schemas["RunDetail"]> {
  await expect.poll(async () => (await read(id)).state, { interval: 10, timeout: 25_000 }).toBe(state);
  return read(id);
}

function found<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error("not found");
  return value;
}

/** An agent of an organization of its own, with the demo model or one at `baseUrl`. */
async function newAgent(name: string, baseUrl?: string) {
  const { accounts } = service.platform;
  const model: ModelConfiguration =
    baseUrl === undefined
      ? { provider: "demo", enabled: true }
      : { provider: "openai-compatible", enabled: true, baseUrl, model: "m" };
  const organization = await createOrganization(accounts, { name, model });
  const limits = { steps: 100, tokens: 1_000_000, seconds: 60 };
  const definition = { name, instructions: "", tools: ["list_files", "read_file", "write_file"], limits };
  return { organization, agent: await createAgent(accounts, organization.id, definition) };
}

/** Status and code of a response. */
async function outcome(method: string, path: string, body?: object): Promise<[number, unknown]> {
  const response = await service.call(method, path, body === undefined ? {} : { body });
  return [response.status, response.body["code"]];
}

const ids = ({ data }: RunPage): string[] => data.map(({ id }) => id);
const list = async (query: string): Promise<RunPage> => (await service.call<RunPage>("GET", `/runs?${query}`)).body;

describe("a run", () => {
  test("is started with files, read while it works, finishes and is deleted", async () => {
    const content_base64 = Buffer.from("Bring coffee.").toString("base64");
    const input = "Read the file.\ndemo: steps=3 delay=30";
    const files = [{ filename: "note.txt", content_base64 }];
    const started = await start({ name: "With a file", input_text: input, files });
    expect(started.files).toEqual([{ name: "note.txt", sent_as: null }]);
    expect(started).toMatchObject({
      name: "With a file",
      agent_name: "Starter agent",
      status: "running",
      state: "running",
      turn: 1,
      input_excerpt: input,
      activity: { turn: 1, tools: [] },
    });
    const run = await untilState(started.id, "finished");
    expect(run).toMatchObject({
      model: "demo",
      finish_reason: "completed",
      activity: null,
      failure: null,
      limits: { turn: { steps: 50 }, run: {} },
      agent_version: 1,
      agent_status: "active",
    });
    expect(run.usage.steps).toBeGreaterThan(2);
    expect(run.turn_usage).toEqual({ ...run.usage, milliseconds: expect.any(Number) as number });
    expect(run.turn_started_at).toBe(run.created_at);
    expect((await service.call("DELETE", `/runs/${run.id}`)).status).toBe(204);
    expect(await read(run.id)).toMatchObject({ name: "", state: "terminated", input_excerpt: null, sequence: 0 });
    expect((await service.call("GET", `/runs/${run.id}/files`)).body).toEqual({ data: [], next: null });
  });

  test("is created without input, gets inputs, queues them and is stopped", async () => {
    const idle = await start();
    expect(idle).toMatchObject({ status: "finished", state: "waiting_for_input", turn: 0, input_excerpt: null });
    expect(await read(idle.id)).toMatchObject({ turn_started_at: null, limits: { turn: { steps: 50 } } });
    const inputs = `/runs/${idle.id}/input`;
    const first = await service.call<Run>("POST", inputs, { body: { input_text: "demo: steps=90 delay=50" } });
    expect(first).toMatchObject({ status: 202, body: { state: "running", turn: 1, queued_inputs: 0 } });
    const second = await service.call<Run>("POST", inputs, { body: { input_text: "Later." } });
    expect(second).toMatchObject({ status: 202, body: { turn: 1, queued_inputs: 1 } });
    const labels = { reviewed: "yes" };
    const labeled = await service.call<Run>("PATCH", `/runs/${idle.id}`, { body: { labels } });
    expect(labeled).toMatchObject({ status: 200, body: { labels } });
    const stopped = await service.call<Run>("POST", `/runs/${idle.id}/stop`);
    expect(stopped).toMatchObject({ status: 200, body: { state: "terminated", activity: null } });
    expect(await outcome("POST", inputs, { input_text: "Too late." })).toEqual([409, "run_ended"]);
    const { body: audit } = await service.call<Schemas["AuditPage"]>("GET", "/audit?limit=10");
    const own = audit.data.filter(({ id }) => id === idle.id);
    expect(own.map(({ action }) => action)).toEqual(["run.stop", "run.label", "run.input", "run.input", "run.create"]);
    expect(own.every(({ actor }) => actor.startsWith("Op (ao_"))).toBe(true);
  });

  test("that waits for a retry, and one that failed, show why", async () => {
    await using server = await chatServer(rejects(429, "Slow down.", { "retry-after": "7" }), rejects(401, "Who?"));
    const { agent } = await newAgent("Broken", server.baseUrl);
    const waiting = await start({ agent_id: agent.id, input_text: "Wait." });
    await expect
      .poll(async () => (await read(waiting.id)).activity?.kind, { interval: 10, timeout: 25_000 })
      .toBe("retry_wait");
    const { activity } = await read(waiting.id);
    expect(activity).toMatchObject({ turn: 1, step: 1, tools: [] });
    expect(Date.parse(activity?.until ?? "") - Date.parse(activity?.since ?? "")).toBeGreaterThanOrEqual(7_000);
    const { body } = await service.call<Schemas["EventPage"]>("GET", `/runs/${waiting.id}/events?after=1`);
    expect(body.data).toMatchObject([{ type: "model_call_failed", category: "model_unavailable", last: false }]);
    await service.call("POST", `/runs/${waiting.id}/stop`);

    const failed = await start({ agent_id: agent.id, input_text: "Fail." });
    const run = await untilState(failed.id, "technical_error");
    expect(run).toMatchObject({ failure: { category: "model_configuration" }, finish_reason: null, activity: null });
    expect(await outcome("POST", `/runs/${failed.id}/stop`)).toEqual([409, "run_ended"]);
  });

  test("over a quota waits for a slot", async () => {
    const { agent, organization } = await newAgent("Small");
    const quota = { max_running: 1 };
    expect((await service.call("PATCH", `/organizations/${organization.id}`, { body: quota })).status).toBe(200);
    const first = await start({ agent_id: agent.id, input_text: "demo: steps=90 delay=50" });
    const second = await start({ agent_id: agent.id, input_text: "Me, too." });
    expect(second).toMatchObject({ status: "running", state: "waiting_for_slot", activity: null });
    expect(await read(second.id)).toMatchObject({ turn_started_at: null, turn_usage: { steps: 0 } });
    const listed = await list(`agent_id=${agent.id}&status=running`);
    expect(listed.data.map(({ state }) => state)).toEqual(["waiting_for_slot", "running"]);
    await service.call("POST", `/runs/${first.id}/stop`);
    await untilState(second.id, "finished");
  });

  test.for([
    ["GET", "/events/1"],
    ["GET", "/request?at=1.1"],
  ] as const)("that does not exist is 404: %s /runs/ID%s", async ([method, path]) => {
    expect(await outcome(method, `/runs/${unknown}${path}`)).toEqual([404, "run_not_found"]);
    expect((await outcome(method, `/runs/no-id${path}`))[0]).toBe(422);
  });

  test("of an unknown, archived or deleted agent, or with bad files, is not created", async () => {
    const { accounts } = service.platform;
    const current = await accounts.findAgent(service.templateId);
    if (!current) throw new Error("no agent");
    const { id } = await createAgent(accounts, current.organizationId, {
      name: "Archived",
      instructions: "",
      tools: [],
      limits: current.limits,
    });
    const body = { agent_id: id, name: "Run", input_text: "Go." };
    await setAgentStatus(accounts, id, "archived");
    expect(await outcome("POST", "/runs", body)).toEqual([409, "agent_archived"]);
    await setAgentStatus(accounts, id, "deleted");
    expect(await outcome("POST", "/runs", body)).toEqual([409, "agent_deleted"]);
    expect(await outcome("POST", "/runs", { ...body, agent_id: unknown })).toEqual([404, "agent_not_found"]);
    const own = { ...body, agent_id: service.templateId };
    const bad = [{ filename: "a", content_base64: "Q" }];
    expect(await outcome("POST", "/runs", { ...own, files: bad })).toEqual([422, "file_not_base64"]);
    const large = [{ filename: "a", content_base64: "QUFB".repeat(3_500_000) }];
    expect(await outcome("POST", "/runs", { ...own, files: large })).toEqual([413, "files_too_large"]);
    const huge = [{ filename: "a", content_base64: "QUFB".repeat(5_300_000) }];
    expect(await outcome("POST", "/runs", { ...own, files: huge })).toEqual([413, "files_too_large"]);
    for (const wrong of [{ name: "" }, { name: " \t" }, { input_text: "" }, { input: "Go." }])
      expect(await outcome("POST", "/runs", { ...own, ...wrong })).toEqual([422, "invalid_request"]);
    expect(await outcome("POST", "/runs", { ...own, template_id: unknown })).toEqual([422, "invalid_request"]);
    const unconfigured = await newAgent("Unconfigured");
    await service.call("DELETE", `/organizations/${unconfigured.organization.id}/model`);
    const without = { ...own, agent_id: unconfigured.agent.id };
    expect(await outcome("POST", "/runs", without)).toEqual([422, "no_model"]);
    expect(await outcome("POST", `/runs/${unknown}/input`, { input_text: "Go." })).toEqual([404, "run_not_found"]);
    expect(await outcome("POST", `/runs/${unknown}/input`, {})).toEqual([422, "invalid_request"]);
    expect(await outcome("POST", `/runs/${unknown}/input`, { text: "Go." })).toEqual([422, "invalid_request"]);
  });
});

describe("lists", () => {
  test("runs have the labels of their create, and are found by them", async () => {
    const { id, organizationId } = await service.platform.accounts.findAgent(service.templateId).then(found);
    const labelled = newRun({
      agentId: id,
      organizationId,
      status: "finished",
      turn: 0,
      labels: { customer: "4711", empty: "" },
    });
    await service.platform.runs.create(labelled, []);
    expect((await read(labelled.id)).labels).toEqual({ customer: "4711", empty: "" });
    expect(ids(await list("label=customer=4711"))).toEqual([labelled.id]);
    expect(ids(await list("label=empty="))).toEqual([labelled.id]);
    expect(ids(await list("label=customer=4712"))).toEqual([]);
    const counts = (await service.call<Schemas["RunCounts"]>("GET", "/runs/counts?label=customer=4711")).body;
    expect(counts).toMatchObject({ waiting_for_input: 1, complete: true });
    expect((await start()).labels).toEqual({});
    expect(await outcome("GET", "/runs?label=customer")).toEqual([422, "invalid_request"]);
  });

  test("runs are filtered, counted and paged", async () => {
    const since = new Date().toISOString();
    const started: Run[] = [];
    for (const name of ["Alpha", "Beta", "Gamma"]) started.push(await start({ name, input_text: `For ${name}` }));
    started.push(await start({ name: "Delta" }));
    const [alpha, beta, gamma, delta] = started.map(({ id }) => id);
    for (const { id } of started.slice(0, 3)) await untilState(id, "finished");
    const newest = [delta, gamma, beta, alpha];
    expect(ids(await list(`since=${since}`))).toEqual(newest);
    expect(ids(await list(`since=${since}&status=finished`))).toEqual(newest.slice(1));
    expect(ids(await list(`since=${since}&status=waiting_for_input`))).toEqual([delta]);
    expect(ids(await list(`since=${since}&q=for%20b`))).toEqual([beta]);
    expect(ids(await list(`q=${gamma?.slice(0, 13)}`))).toEqual([gamma]);
    expect(ids(await list(`since=${since}&agent_id=${service.templateId}&limit=1`))).toEqual([delta]);
    expect(ids(await list(`until=${since}&q=alpha`))).toEqual([]);

    const pages: string[] = [];
    let next: string | null = null;
    do {
      const page: RunPage = await list(`since=${since}&limit=2${next === null ? "" : `&cursor=${next}`}`);
      pages.push(...ids(page));
      ({ next } = page);
    } while (next !== null);
    expect(pages).toEqual(newest);

    const counts = (await service.call("GET", `/runs/counts?since=${since}`)).body;
    const none = { running: 0, technical_error: 0, terminated: 0 };
    expect(counts).toMatchObject({ ...none, finished: 3, waiting_for_input: 1, runs: 4, complete: true });
    expect(counts).toMatchObject({ dollars: 0, models: [{ value: "demo", count: 3 }], categories: [], labels: [] });
    const most = await list(`since=${since}&sort=tokens&limit=2&model=demo`);
    expect([most.data.length, most.complete, most.next]).toEqual([2, true, "sorted-2"]);
  });

  test.for([
    ["/runs?since=yesterday", 422, "invalid_request"],
    [`/runs?agent_id=${unknown}`, 404, "agent_not_found"],
    [`/runs?organization_id=${unknown}`, 404, "organization_not_found"],
    ["/runs/counts?status=bad", 422, "invalid_request"],
    ["/runs?min_dollars=-1", 422, "invalid_request"],
    ["/runs?category=bad", 422, "invalid_request"],
    ["/runs?sort=name", 422, "invalid_request"],
    ["/runs?sort=tokens&cursor=x", 422, "invalid_argument"],
    [`/runs/counts?agent_id=${unknown}`, 404, "agent_not_found"],
    ["/usage?since=2026-11-02&until=2026-11-01", 422, "invalid_argument"],
    ["/usage?since=2026-02-31", 422, "invalid_argument"],
    ["/usage?since=2026-11-02T00:00:00Z", 422, "invalid_request"],
    ["/runs/counts?since=2026-02-31T00:00:00Z", 422, "invalid_argument"],
    ["/runs?since=2026-02-31T00:00:00Z", 422, "invalid_argument"],
    [`/usage?agent_id=${unknown}`, 404, "agent_not_found"],
  ] as const)("GET %s is %i", async ([path, status, code]) => {
    expect(await outcome("GET", path)).toEqual([status, code]);
  });

  test("usage is reported by day, agent and model", async () => {
    const { id } = await start({ input_text: "Count me." });
    await untilState(id, "finished");
    const { body } = await service.call<Schemas["UsageReport"]>("GET", `/usage?agent_id=${service.templateId}`);
    const today = new Date().toISOString().slice(0, 10);
    const row = body.data.find(({ day, model }) => day === today && model === "demo");
    expect(row).toMatchObject({ agent_id: service.templateId, dollars: 0, technical_errors: 0 });
    expect(row?.steps).toBeGreaterThan(0);
    expect(row?.unpriced_tokens).toBe((row?.input_tokens ?? 0) + (row?.output_tokens ?? 0));
    expect(body.complete).toBe(true);
    const past = await service.call<Schemas["UsageReport"]>("GET", "/usage?since=2020-01-01&until=2020-01-31");
    expect(past.body).toEqual({ data: [], next: null, complete: true });
  });

  test("failed runs are reported by reason: category and text, whatever the numbers and ids in it", async () => {
    const requests = ["req 17 of 2026", "req 18 of 2026", "no such model"];
    await using server = await chatServer(...requests.map((message) => rejects(400, message)));
    const { agent, organization } = await newAgent("Failing", server.baseUrl);
    const failed: string[] = [];
    for (const name of ["First", "Second", "Third"]) {
      const { id } = await start({ agent_id: agent.id, name, input_text: "Fail." });
      await untilState(id, "technical_error");
      failed.push(id);
    }
    const path = `/failures?organization_id=${organization.id}`;
    const { body } = await service.call<Schemas["FailureReport"]>("GET", path);
    expect(body).toMatchObject({ next: null, complete: true });
    expect(body.data.map(({ runs, agents, newest }) => [runs, agents, newest.map(({ id }) => id)])).toEqual([
      [2, 1, [failed[1], failed[0]]],
      [1, 1, [failed[2]]],
    ]);
    const [same] = body.data;
    expect(same?.title).toContain("req 18 of 2026");
    expect(same?.newest[0]).toMatchObject({ name: "Second", agent_id: agent.id, created_at: same?.last_at });
    const past = await service.call("GET", `${path}&since=2020-01-01&until=2020-01-31`);
    expect(past.body).toEqual({ data: [], next: null, complete: true });
    expect(await outcome("GET", "/failures?since=2026-11-02&until=2026-11-01")).toEqual([422, "invalid_argument"]);
  });

  test("the activity of an agent has its runs of the last 24 hours, without prices no cost, and its newest run", async () => {
    const { agent, organization } = await newAgent("Active");
    const path = `/agents/activity?organization_id=${organization.id}`;
    expect((await service.call("GET", path)).body).toEqual({ data: [], covers_since: null });
    const { id, created_at } = await start({ agent_id: agent.id, input_text: "Count me." });
    const { usage } = await untilState(id, "finished");
    const { body } = await service.call<Schemas["AgentActivityReport"]>("GET", path);
    expect(body.covers_since).toBeNull();
    expect(body.data).toEqual([
      {
        agent_id: agent.id,
        runs: [...Array.from({ length: 11 }, () => 0), 1],
        technical_errors: 0,
        dollars: 0,
        unpriced_tokens: usage.input_tokens + usage.output_tokens,
        running: 0,
        last_run_at: created_at,
      },
    ]);
  });
});
