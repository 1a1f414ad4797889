import { updateAgent } from "../../../src/accounts/agents/agents.ts";
import { createKey } from "../../../src/accounts/keys.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { chatServer, scripted } from "../../providers/chat-completions-server.ts";
import { type HttpServer, httpServer } from "../../support/http-server.ts";
import { finishedTrial, type ManageService, manageService, untilIdle } from "../../support/manage-service.ts";
import type { Schemas } from "../../../src/manage/schema-types.ts";

const pages: string[] = [];
let site: HttpServer;
let model: Awaited<ReturnType<typeof chatServer>>;
let service: ManageService;
let agentId: string;
let organizationId: string;
const runIds: string[] = [];

/** Writes a file, reads a page and answers with both. The instructions say how. */
const works = scripted(({ instructions, input, results }) => {
  const page = instructions.includes("other page") ? "other" : "page";
  const text = instructions.includes("loud") ? input.toUpperCase() : input;
  if (results.length === 0) return { calls: [["write_file", { name: "report.txt", content: text }]] };
  if (results.length === 1) return { calls: [["web_fetch", { url: `${site.url}/${page}` }]] };
  return { text: `${text}: ${results[1]?.length}` };
});

const definition = {
  name: "Reporter",
  instructions: "Write reports.",
  tools: ["list_files", "read_file", "write_file", "web_fetch"],
  limits: { steps: 10, tokens: 100_000, seconds: 60 },
  prices: { input: 1, output: 10 },
  webFetch: { privateAddresses: true },
};

beforeAll(async () => {
  site = await httpServer((request, response) => {
    pages.push(request.url ?? "");
    response.writeHead(200, { "content-type": "text/plain" }).end(`A page at ${new Date().toISOString()}.`);
  });
  model = await chatServer(...Array.from({ length: 200 }, () => works));
  service = await manageService({
    model: { provider: "openai-compatible", enabled: true, baseUrl: model.baseUrl, model: "m" },
  });
  const { call, templateId } = service;
  const { body: starter } = await call<Schemas["Agent"]>("GET", `/agents/${templateId}`);
  organizationId = starter.organization_id;
  const created = await call<Schemas["Agent"]>("POST", "/agents", {
    body: { organization_id: organizationId, definition },
  });
  agentId = created.body.id;
  for (const number of [1, 2, 3]) {
    const { body: run } = await call<Schemas["CreatedRun"]>("POST", "/runs", {
      body: { agent_id: agentId, name: `Run ${number}`, input_text: `Report ${number}` },
    });
    runIds.push(run.id);
  }
  for (const id of runIds) await idle(id);
});

afterAll(async () => {
  await service[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
  await site[Symbol.asyncDispose]();
});

async function idle(id: string): Promise<void> {
  expect((await untilIdle(service, id)).status).toBe("finished");
}

async function readOne(path: string): Promise<unknown> {
  const { status, body } = await service.call("GET", path);
  expect([path, status]).toEqual([path, 200]);
  return body;
}

async function tried(
  change: object,
  more: object = {},
): Promise<{ trial: Schemas["Trial"]; cases: Schemas["TrialCase"][] }> {
  const body = { definition: { ...definition, ...change }, last: 10, budget: { dollars: 1 }, control: 0, ...more };
  const created = await service.call<Schemas["Trial"]>("POST", `/agents/${agentId}/trials`, { body });
  expect(created.status).toBe(201);
  return finishedTrial(service, created.body.id);
}

function create(more: object) {
  const body = { definition, last: 1, budget: { dollars: 1 }, ...more };
  return service.call("POST", `/agents/${agentId}/trials`, { body });
}

describe("a trial", () => {
  test("of an unchanged agent repeats each turn and touches nothing outside", async () => {
    const before = pages.length;
    const { trial, cases } = await tried({}, { control: 2 });
    expect(cases.map(({ verdict }) => verdict)).toEqual(["same", "same", "same"]);
    expect(trial.summary.text).toContain("3 tried · 3 same · current against itself: 0 of 2 differ");
    expect(pages).toHaveLength(before);
  });

  test("runs tools on files, and shows what a change does", async () => {
    const { cases } = await tried({ instructions: "Write loud reports." });
    expect(cases.map(({ verdict }) => verdict)).toEqual(["different", "different", "different"]);
    expect(cases[0]?.candidate).toMatchObject({
      same_output: false,
      files: [{ name: "report.txt", change: "changed" }],
    });
  });

  test("ends a case that leaves the record, and says where", async () => {
    const before = pages.length;
    const { trial, cases } = await tried({ instructions: "Use the other page." });
    expect(cases.map(({ verdict }) => verdict)).toEqual(["left_record", "left_record", "left_record"]);
    expect(cases[0]?.candidate?.reason).toBe(
      "In step 2, the turn called web_fetch, and the recorded turn has no answer to this call.",
    );
    expect(pages).toHaveLength(before);
    const { body: detail } = await service.call<Schemas["TrialCaseDetail"]>("GET", `/trials/${trial.id}/cases/1`);
    expect(detail.first_difference).toBe(1);
  });

  test("has its organization in the audit of what is done with one of its runs", async () => {
    const { cases } = await tried({}, { last: 1 });
    const runId = cases[0]?.candidate?.run_id ?? "";
    expect((await service.call("POST", `/runs/${runId}/stop`)).status).toBe(200);
    const entry = { action: "run.stop", id: runId, organization_id: organizationId };
    const { body } = await service.call<Schemas["AuditPage"]>("GET", "/audit?limit=1");
    expect(body.data).toMatchObject([entry]);

    // An earlier release recorded the trial in its place.
    const { runs } = service.platform;
    const head = await runs.head(runId);
    const audit = { at: Date.now(), actor: "Jo", action: "run.stop", id: runId, organizationId: head?.organizationId };
    await runs.change({ runId, expect: { status: "terminated", turn: 1 }, audit } as Parameters<typeof runs.change>[0]);
    const { body: old } = await service.call<Schemas["AuditPage"]>("GET", "/audit?limit=1");
    expect(old.data).toMatchObject([{ actor: "Jo", id: runId, organization_id: null }]);
  });

  test("is kept with the version that saves its candidate, and with no other definition", async () => {
    const { trial } = await tried({ instructions: "Write loud reports." }, { last: 1 });
    const save = (instructions: string) =>
      service.call("PUT", `/agents/${agentId}`, {
        body: { definition: { ...definition, instructions }, trial_id: trial.id },
      });
    const refused = await save("Write reports.");
    expect([refused.status, refused.body]).toMatchObject([409, { code: "trial_mismatch" }]);
    expect((await save("Write loud reports.")).status).toBe(200);
    const { body } = await service.call<Schemas["AgentVersionHeadPage"]>("GET", `/agents/${agentId}/versions`);
    expect(body.data.map(({ trial_id }) => trial_id)).toEqual([trial.id, null]);
  });

  test("that is not started calls nothing, and says what it would cost and send where", async () => {
    const asked = model.received.length;
    const { body: trial } = await service.call<Schemas["Trial"]>("POST", `/agents/${agentId}/trials`, {
      body: { definition, runs: [{ run_id: runIds[0] }], budget: { dollars: 1 }, control: 0 },
    });
    const host = new URL(model.baseUrl).host;
    expect(trial).toMatchObject({
      status: "estimated",
      estimate: { cases: 1, notes: [], sends: [{ host, for: "model", inputs: 1, files: 0, new: false }] },
    });
    expect(trial.estimate.dollars?.high).toBeGreaterThan(trial.estimate.dollars?.low ?? Infinity);
    expect(model.received).toHaveLength(asked);
  });

  test.each([
    [{ budget: {} }, "budget: expected dollars or tokens"],
    [{ outside: { tools: { web_fech: "live" } } }, 'a rule for "web_fech"'],
    [{ assertions: [{ kind: "output_matches", pattern: "(" }] }, "assertion 1: output_matches.pattern"],
    [{ version: 1 }, "expected definition or version, received both"],
    [{ last: undefined }, "expected last"],
    [{ last: undefined, runs: [{ run_id: "00000000-0000-7000-8000-000000000000" }] }, "does not exist"],
  ])("with %j is refused with the reason", async (more, reason) => {
    const body = { definition, last: 3, budget: { dollars: 1 }, control: 0, ...more };
    const { status, body: problem } = await service.call("POST", `/agents/${agentId}/trials`, { body });
    expect(status).toBeGreaterThanOrEqual(404);
    expect(JSON.stringify(problem)).toContain(JSON.stringify(reason).slice(1, -1));
  });

  test("is refused with what is wrong in an assertion or a rule", async () => {
    const misspelled = await create({ assertions: [{ kind: "file_exist", name: "x" }] });
    expect(misspelled.status).toBe(422);
    expect(JSON.stringify(misspelled.body)).toContain("'file_exists'");
    const hash = { kind: "file_equals", name: "a", sha256: "ABC" };
    for (const assertion of [{ name: "x" }, "x", { kind: "file_exists" }, { kind: "at_most", steps: -1 }, hash]) {
      expect((await create({ assertions: [assertion] })).status).toBe(422);
    }
    for (const budget of [{ dollars: 0 }, { tokens: -5 }, { tokens: 1.5 }]) {
      expect((await create({ budget })).status).toBe(422);
    }
    const rule = await create({ outside: { tools: { web_fetch: "life" } } });
    expect(rule.status).toBe(422);
    expect(JSON.stringify(rule.body)).toContain("'stop', 'error' or 'live'");
  });
});

describe("the runs of a trial", () => {
  test("change nothing that is recorded, counted or reported of the agent", async () => {
    const paths = [
      "/usage",
      "/runs/counts",
      `/agents/${agentId}/use`,
      `/agents/${agentId}/deliveries`,
      "/runs?limit=100",
      ...runIds.flatMap((id) => [`/runs/${id}`, `/runs/${id}/events`, `/runs/${id}/files`]),
    ];
    const read = (): Promise<unknown[]> => Promise.all(paths.map(readOne));
    const before = await read();
    const { trial } = await tried({ instructions: "Write loud reports." });
    expect(trial.summary.verdicts.different).toBe(3);
    expect(await read()).toEqual(before);
  });

  test("are in no list, and no key of the agent can read them", async () => {
    const { trial, cases } = await tried({}, { last: 1 });
    const attempt = cases[0]?.candidate?.run_id ?? "";
    const lists = await Promise.all(
      ["/runs", `/runs?agent_id=${agentId}`, `/runs?organization_id=${organizationId}`].map((path) =>
        service.call<Schemas["RunPage"]>("GET", path),
      ),
    );
    for (const { body } of lists) expect(body.data.map(({ id }) => id)).not.toContain(attempt);
    const { key } = await createKey(service.platform.accounts, agentId);
    const read = await fetch(`${service.baseUrl}/v1/agents/${attempt}`, {
      headers: { authorization: `Bearer ${key}` },
    });
    expect(read.status).toBe(404);
    expect((await service.call("DELETE", `/trials/${trial.id}`)).status).toBe(204);
    expect((await service.call("GET", `/runs/${attempt}`)).status).toBe(404);
  });
});

describe("the deletion of a recorded run", () => {
  const eraseRun: Record<string, (runId: string) => Promise<number>> = {
    "an operator": async (runId) => (await service.call("DELETE", `/runs/${runId}`)).status,
    "a program": async (runId) => {
      const { accounts } = service.platform;
      await updateAgent(accounts, agentId, { ...definition, allowDelete: true });
      const { key } = await createKey(accounts, agentId);
      const address = `${service.baseUrl}/ext/v1/runs/${runId}`;
      return (await fetch(address, { method: "DELETE", headers: { authorization: `Bearer ${key}` } })).status;
    },
  };

  test.for(Object.keys(eraseRun))("by %s deletes the attempts at its cases, and keeps what they cost", async (by) => {
    const { trial, cases } = await tried({});
    const [one, other] = cases;
    if (!one?.candidate || !other?.candidate) throw new Error("two cases were not tried");
    expect(await eraseRun[by]?.(one.run_id)).toBeLessThan(300);
    const { body } = await service.call<Schemas["TrialCasePage"]>("GET", `/trials/${trial.id}/cases`);
    const erased = body.data.find(({ number }) => number === one.number);
    expect(one.input).toContain("Report");
    expect(JSON.stringify(erased)).not.toContain("Report");
    expect(erased).toMatchObject({ verdict: "cannot_be_tried", cannot_be_tried: "The recorded run was deleted." });
    expect(await service.platform.runs.head(one.candidate.run_id)).toBeUndefined();
    expect(await service.platform.runs.head(other.candidate.run_id)).toMatchObject({ status: "finished" });
    const { body: after } = await service.call<Schemas["Trial"]>("GET", `/trials/${trial.id}`);
    expect(after.summary.spent).toEqual(trial.summary.spent);
  });
});
