import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createKey } from "../../../src/accounts/keys.ts";
import { externalWorkflow } from "../../../src/platform/local/workflow.ts";
import { deleteOrganization } from "../../../src/runs/erase/delete-organization.ts";
import { deleteExpiredRuns } from "../../../src/runs/erase/retention.ts";
import type { Schemas } from "../../../src/manage/schema-types.ts";
import { chatServer, scripted } from "../../providers/chat-completions-server.ts";
import { type HttpServer, httpServer } from "../../support/http-server.ts";
import { finishedTrial, type ManageService, manageService } from "../../support/manage-service.ts";

const pages: string[] = [];
let site: HttpServer;
let model: Awaited<ReturnType<typeof chatServer>>;
let service: ManageService;
let agentId: string;
let organizationId: string;

/** Reads the file, fetches a page about the customer, writes a report, and answers with both. */
const works = scripted(({ input, results }) => {
  // A note about the files precedes an input in the same message.
  const customer = /customer (\S+ ?\S*)\./.exec(input)?.[1] ?? "?";
  if (results.length === 0) return { calls: [["read_file", { name: "notes.txt" }]] };
  if (results.length === 1)
    return { calls: [["web_fetch", { url: `${site.url}/orders?of=${encodeURIComponent(customer)}` }]] };
  if (results.length === 2)
    return { calls: [["write_file", { name: "report.txt", content: `${customer}: ${results[0]}` }]] };
  return { text: `${customer} said ${results[0]}` };
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
    response.writeHead(200, { "content-type": "text/plain" }).end(`Orders at ${request.url}`);
  });
  model = await chatServer(...Array.from({ length: 400 }, () => works));
  service = await manageService({
    model: { provider: "openai-compatible", enabled: true, baseUrl: model.baseUrl, model: "m" },
  });
  const { body: starter } = await service.call<Schemas["Agent"]>("GET", `/agents/${service.templateId}`);
  organizationId = starter.organization_id;
  agentId = await newAgent();
});

afterAll(async () => {
  await service[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
  await site[Symbol.asyncDispose]();
});

async function newAgent(fields: object = {}, of = organizationId): Promise<string> {
  const created = await service.call<Schemas["Agent"]>("POST", "/agents", {
    body: { organization_id: of, definition: { ...definition, ...fields } },
  });
  return created.body.id;
}

async function recorded(text: string, files: Record<string, string | Buffer> = {}, agent = agentId): Promise<string> {
  const all = Object.entries({ "notes.txt": "all fine", ...files });
  const { body: run } = await service.call<Schemas["CreatedRun"]>("POST", "/runs", {
    body: {
      agent_id: agent,
      name: text,
      input_text: text,
      files: all.map(([filename, content]) => ({
        filename,
        content_base64: Buffer.from(content).toString("base64"),
      })),
    },
  });
  await ended(run.id);
  return run.id;
}

async function ended(id: string): Promise<void> {
  for (;;) {
    const { body } = await service.call<Schemas["RunDetail"]>("GET", `/runs/${id}`);
    if (body.status !== "running") return expect(body.status).toBe("finished");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function suiteOf(
  name: string,
  cases: object[],
  more: object = {},
  agent = agentId,
): Promise<Schemas["AddedCases"]> {
  expect((await service.call("POST", `/agents/${agent}/suites`, { body: { name } })).status).toBe(201);
  return added(name, cases, more, agent);
}

async function added(
  name: string,
  cases: object[],
  more: object = {},
  agent = agentId,
): Promise<Schemas["AddedCases"]> {
  const path = `/agents/${agent}/suites/${name}/cases`;
  const { status, body } = await service.call<Schemas["AddedCases"]>("POST", path, { body: { cases, ...more } });
  expect([status, body]).toMatchObject([200, {}]);
  return body;
}

async function read(name: string, agent = agentId): Promise<Schemas["Suite"]> {
  return (await service.call<Schemas["Suite"]>("GET", `/agents/${agent}/suites/${name}`)).body;
}

async function triedSuite(suite: string, change: object = {}, agent = agentId) {
  const body = { definition: { ...definition, ...change }, suite, budget: { dollars: 1 }, control: 0 };
  const created = await service.call<Schemas["Trial"]>("POST", `/agents/${agent}/trials`, { body });
  expect([created.status, created.body]).toMatchObject([201, { suite }]);
  return finishedTrial(service, created.body.id);
}

/** Everything in the data directory, as one text. */
function bytesOfData(): string {
  const { dataDir } = service;
  const files = readdirSync(dataDir, { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
  return files.map((file) => readFileSync(join(file.parentPath, file.name), "latin1")).join("\n");
}

const verdictsOf = (cases: Schemas["TrialCase"][]) => cases.map(({ verdict }) => verdict);

describe("a suite", () => {
  test("keeps turns, which a trial repeats like those of runs", async () => {
    const runs = [await recorded("Report on customer Ada Byron."), await recorded("Report on customer Bob Ross.")];
    const { added: kept, refused } = await suiteOf(
      "reports",
      runs.map((run_id) => ({ run_id })),
    );
    expect([kept.length, refused]).toEqual([2, []]);
    expect(await read("reports")).toMatchObject({
      name: "reports",
      cases: 2,
      data: runs.map((run_id) => ({ run_id, turn: 1, redacted: 0 })),
    });
    const before = pages.length;
    const same = await triedSuite("reports");
    expect(verdictsOf(same.cases)).toEqual(["same", "same"]);
    const loud = await triedSuite("reports", { tools: ["list_files", "write_file", "web_fetch"] });
    expect(verdictsOf(loud.cases)).toEqual(["different", "different"]);
    expect(pages).toHaveLength(before);
  });

  test("keeps a later turn with its conversation and its files", async () => {
    const run = await recorded("Report on customer Cid Moe.");
    await service.call("POST", `/runs/${run}/input`, { body: { input_text: "Once more on customer Cid Moe." } });
    await ended(run);
    const { added: kept } = await suiteOf("later", [{ run_id: run, turn: 2 }]);
    expect(kept).toMatchObject([{ run_id: run, turn: 2, input: "Once more on customer Cid Moe." }]);
    const { cases } = await triedSuite("later");
    expect(verdictsOf(cases)).toEqual(["same"]);
    const path = `/runs/${kept[0]?.id}/files/report.txt`;
    expect((await service.call("GET", path)).status).toBe(200);
  });

  test("takes the case of a finished trial, also of one on another suite, once", async () => {
    const run = await recorded("Report on customer Dan Poe.");
    await suiteOf("first", [{ run_id: run }]);
    const { trial } = await triedSuite("first");
    const { added: kept } = await suiteOf("second", [{ trial_id: trial.id, number: 1 }]);
    expect(kept).toMatchObject([{ run_id: run, turn: 1 }]);
    const again = await added("second", [{ run_id: run }, { trial_id: trial.id, number: 1 }]);
    expect(again).toMatchObject({ added: [], present: [{ run_id: run, turn: 1 }], refused: [] });
    expect(verdictsOf((await triedSuite("second")).cases)).toEqual(["same"]);
  });

  test("keeps its cases when their runs have expired", async () => {
    const agent = await newAgent({ keepDays: 7 });
    const run = await recorded("Report on customer Eve Low.", {}, agent);
    await suiteOf("kept", [{ run_id: run }], {}, agent);
    const { platform } = service;
    const deps = { ...platform, now: () => Date.now() + 8 * 86_400_000, workflow: externalWorkflow };
    await deleteExpiredRuns(deps);
    expect((await platform.runs.head(run))?.name).toBe("");
    const { cases } = await triedSuite("kept", {}, agent);
    expect(verdictsOf(cases)).toEqual(["same"]);
  });

  test("loses the copies of a run that is deleted by hand, and so do trials of them", async () => {
    const run = await recorded("Report on customer Flo-Erased Kay.");
    const other = await recorded("Report on customer Gil Orr.");
    const { added: kept } = await suiteOf("erased", [{ run_id: run }, { run_id: other }]);
    const { trial } = await triedSuite("erased");
    expect(bytesOfData()).toContain("Flo-Erased");
    expect((await service.call("DELETE", `/runs/${run}`)).status).toBe(204);
    expect(await read("erased")).toMatchObject({ cases: 1, data: [{ run_id: other }] });
    expect(await service.platform.runs.head(kept[0]?.id ?? "")).toBeUndefined();
    const { body } = await service.call<Schemas["TrialCasePage"]>("GET", `/trials/${trial.id}/cases`);
    expect(new Set(verdictsOf(body.data))).toEqual(new Set(["cannot_be_tried", "same"]));
    expect(bytesOfData()).not.toContain("Flo-Erased");
  });

  test("is deleted with its cases, and can be created again", async () => {
    const run = await recorded("Report on customer Hal Fox.");
    await suiteOf("short", [{ run_id: run }]);
    const path = `/agents/${agentId}/suites/short`;
    const [one] = (await read("short")).data;
    expect((await service.call("DELETE", `${path}/cases/${one?.id}`)).status).toBe(204);
    expect((await service.call("DELETE", `${path}/cases/${one?.id}`)).status).toBe(404);
    expect((await read("short")).data).toEqual([]);
    await added("short", [{ run_id: run }]);
    expect((await service.call("DELETE", path)).status).toBe(204);
    expect((await service.call("GET", path)).status).toBe(404);
    expect((await service.call("GET", `/runs/${run}`)).status).toBe(200);
    expect((await suiteOf("short", [{ run_id: run }])).added).toHaveLength(1);
    const { body } = await service.call<Schemas["AuditPage"]>("GET", "/audit");
    const actions = body.data.map(({ action }) => action).filter((action) => action.startsWith("suite."));
    expect(actions.slice(0, 7)).toEqual([
      "suite.add",
      "suite.create",
      "suite.delete",
      "suite.add",
      "suite.remove",
      "suite.add",
      "suite.create",
    ]);
  });

  test("is in no list or count of runs, and no key reads its cases", async () => {
    const run = await recorded("Report on customer Ida Nye.");
    const before = (await service.call("GET", "/runs/counts")).body;
    const { added: kept } = await suiteOf("hidden", [{ run_id: run }]);
    expect((await service.call("GET", "/runs/counts")).body).toEqual(before);
    for (const query of ["", `?agent_id=${agentId}`, `?organization_id=${organizationId}`]) {
      const { body } = await service.call<Schemas["RunPage"]>("GET", `/runs${query}`);
      expect(body.data.map(({ id }) => id)).not.toContain(kept[0]?.id);
    }
    const { key } = await createKey(service.platform.accounts, agentId);
    const headers = { authorization: `Bearer ${key}` };
    expect((await fetch(`${service.baseUrl}/v1/agents/${kept[0]?.id}`, { headers })).status).toBe(404);
  });

  test("is deleted with its organization", async () => {
    const { body: organization } = await service.call<Schemas["Organization"]>("POST", "/organizations", {
      body: { name: "Gone" },
    });
    const { platform } = service;
    const { model: configuration } = (await platform.accounts.findOrganization(organizationId)) ?? {};
    const found = await platform.accounts.findOrganization(organization.id);
    if (!found || !configuration) throw new Error("the organizations exist");
    await platform.accounts.replaceOrganization({ ...found, model: configuration });
    const agent = await newAgent({}, organization.id);
    const run = await recorded("Report on customer Joe-Gone Ray.", {}, agent);
    const { added: kept } = await suiteOf("gone", [{ run_id: run }], {}, agent);
    const deps = { ...platform, now: Date.now, workflow: externalWorkflow };
    await deleteOrganization(deps, organization.id, { name: "Gone", milliseconds: 1e9 });
    expect(await platform.runs.head(kept[0]?.id ?? "")).toBeUndefined();
    expect(bytesOfData()).not.toContain("Joe-Gone");
  });

  test.each([
    [
      "a run of another agent",
      async () => [{ run_id: await recorded("customer X Y.", {}, await newAgent()) }],
      "is not of agent",
    ],
    ["a turn without an output", async () => [{ run_id: await recorded("customer X Z."), turn: 2 }], "no turn 2"],
    ["a run that does not exist", async () => [{ run_id: "00000000-0000-7000-8000-000000000000" }], "does not exist"],
    ["neither a run nor a case", async () => [{ turn: 1 }], "expected run_id"],
  ])("refuses %s", async (_what, cases, reason) => {
    await service.call("POST", `/agents/${agentId}/suites`, { body: { name: "refusing" } });
    const path = `/agents/${agentId}/suites/refusing/cases`;
    const { status, body } = await service.call("POST", path, { body: { cases: await cases() } });
    expect(status).toBeGreaterThanOrEqual(404);
    expect(JSON.stringify(body)).toContain(reason);
  });

  test("has one name of its agent, and a trial of an empty one is refused", async () => {
    await suiteOf("once", [{ run_id: await recorded("customer A B.") }]);
    const again = await service.call("POST", `/agents/${agentId}/suites`, { body: { name: "once" } });
    expect([again.status, again.body]).toMatchObject([409, { code: "suite_exists" }]);
    expect((await service.call("POST", `/agents/${agentId}/suites`, { body: { name: "../x" } })).status).toBe(422);
    await service.call("POST", `/agents/${agentId}/suites`, { body: { name: "empty" } });
    const body = { definition, suite: "empty", budget: { dollars: 1 } };
    const { status, body: problem } = await service.call("POST", `/agents/${agentId}/trials`, { body });
    expect([status, JSON.stringify(problem)]).toEqual([422, expect.stringContaining("has no case")]);
  });
});

describe("a redaction", () => {
  const secret = "Zoe Quill";

  test("replaces literal texts and patterns in texts, arguments, files and names before anything is stored", async () => {
    const agent = await newAgent();
    const files = { "notes.txt": `${secret}, zoe@example.com\n"${secret}"`, [`${secret}.txt`]: "by name" };
    const run = await recorded(`Report on customer ${secret}.`, files, agent);
    const redact = [{ text: secret, replacement: "Jane Doe" }, { pattern: "[a-z]+@[a-z.]+" }];
    const { added: kept, refused } = await suiteOf("redacted", [{ run_id: run }], { redact }, agent);
    expect(refused).toEqual([]);
    expect(kept[0]).toMatchObject({ input: "Report on customer Jane Doe.", run_id: run });
    expect(kept[0]?.redacted).toBeGreaterThan(5);
    const id = kept[0]?.id ?? "";
    const { body: listed } = await service.call<Schemas["RunFilePage"]>("GET", `/runs/${id}/files`);
    expect(listed.data.map(({ name }) => name)).toEqual(["Jane Doe.txt", "notes.txt", "report.txt"]);
    const notes = await fetch(`${service.baseUrl}/manage/v1/runs/${id}/files/notes.txt`, {
      headers: { authorization: `Bearer ${service.operatorToken}` },
    });
    expect(await notes.text()).toBe('Jane Doe, [redacted]\n"Jane Doe"');
    const { cases } = await triedSuite("redacted", {}, agent);
    expect(verdictsOf(cases)).toEqual(["same"]);
    const events = await service.call("GET", `/runs/${id}/events?limit=1000`);
    expect(JSON.stringify(events.body)).not.toMatch(/Zoe|zoe@/);
  });

  test("refuses files that are not text, unless each is named", async () => {
    const run = await recorded(`Report on customer ${secret}.`, { "scan.bin": Buffer.from([0, 1, 255, 254]) });
    const redact = [{ text: secret }];
    const { added: kept, refused } = await suiteOf("binary", [{ run_id: run }], { redact });
    expect(kept).toEqual([]);
    expect(refused).toMatchObject([{ run_id: run, turn: 1, unredacted: ["scan.bin"] }]);
    expect(refused[0]?.reason).toContain('"scan.bin" cannot be redacted: It is not UTF-8 text.');
    expect((await read("binary")).data).toEqual([]);
    const confirmed = await added("binary", [{ run_id: run }], { redact, unredacted: ["scan.bin"] });
    expect(confirmed.added).toHaveLength(1);
    expect(verdictsOf((await triedSuite("binary")).cases)).toEqual(["same"]);
  });

  test.each([
    [{ pattern: "(" }, "redact.0.pattern: "],
    [{ pattern: "x*" }, "matches the empty text"],
    [{ pattern: "(?=x)" }, "redact.0.pattern: "],
    [{ text: "x", pattern: "x" }, "received both"],
    [{}, "received neither"],
  ])("with the rule %j is refused with the reason", async (rule, reason) => {
    await service.call("POST", `/agents/${agentId}/suites`, { body: { name: "rules" } });
    const body = { cases: [{ run_id: await recorded("customer C D.") }], redact: [rule] };
    const { status, body: problem } = await service.call("POST", `/agents/${agentId}/suites/rules/cases`, { body });
    expect([status, JSON.stringify(problem)]).toEqual([422, expect.stringContaining(reason)]);
  });

  test("refuses a turn whose line is too long for a pattern, and names that would become equal", async () => {
    const long = await recorded("customer E F.", { "long.txt": "x".repeat(3_000_000) });
    const equal = await recorded("customer G H.", { "a1.txt": "1", "a2.txt": "2" });
    const tooLong = await suiteOf("long", [{ run_id: long }], { redact: [{ pattern: "[0-9]{16}" }] });
    expect(tooLong.refused[0]?.reason).toContain("It has a line of 3,000,000 characters");
    const same = await added("long", [{ run_id: equal }], { redact: [{ pattern: "a[0-9]", replacement: "a" }] });
    expect(same.refused[0]?.reason).toContain('Two files would get the name "a.txt"');
  });
});
