import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Schemas } from "../../../src/manage/schema-types.ts";
import { chatServer, scripted } from "../../providers/chat-completions-server.ts";
import { bundleOf, contentsOf, withEvents, withRun } from "../../support/bundles.ts";
import { finishedTrial, type ManageService, manageService, untilIdle } from "../../support/manage-service.ts";

type Json = Record<string, unknown>;

function changed(value: Json, change: Json): Json {
  return Object.assign({}, value, change);
}

/** Bundles of runs that releases recorded. */
const folder = fileURLToPath(new URL("../../releases/", import.meta.url));
const releases = readdirSync(folder).filter((name) => name.endsWith(".zip"));

let model: Awaited<ReturnType<typeof chatServer>>;
let service: ManageService;
let agentId: string;
const runIds: string[] = [];

/** Writes two files and answers. The instructions say what is done in another way. */
const works = scripted(({ instructions, input: noted, step }) => {
  const [input = ""] = noted.split("\n");
  const has = (word: string): boolean => instructions.includes(word);
  if (step === 1) {
    const name = has("other file") ? "other.txt" : "report.txt";
    return { calls: [["write_file", has("reordered") ? { content: input, name } : { name, content: input }]] };
  }
  if (step === 2)
    return has("hurry")
      ? { text: "Done." }
      : { calls: [[has("lists") ? "list_files" : "read_file", { name: "report.txt" }]] };
  if (has("never ends")) return { calls: [["list_files", {}]] };
  return { text: has("loud") ? `${input}!` : `  ${input} ` };
});

const definition = {
  name: "Reporter",
  instructions: "Write reports.",
  tools: ["list_files", "read_file", "write_file", "run_shell"], // the note of a machine without Linux names it
  limits: { steps: 10, tokens: 100_000, seconds: 60 },
  prices: { input: 1, output: 10 },
};

beforeAll(async () => {
  model = await chatServer(...Array.from({ length: 200 }, () => works));
  service = await manageService({
    model: { provider: "openai-compatible", enabled: true, baseUrl: model.baseUrl, model: "m" },
  });
  const { call, templateId } = service;
  const { body: starter } = await call<Schemas["Agent"]>("GET", `/agents/${templateId}`);
  const owned = { organization_id: starter.organization_id, definition };
  agentId = (await call<Schemas["Agent"]>("POST", "/agents", { body: owned })).body.id;
  for (const number of [1, 2]) {
    const body = { agent_id: agentId, name: `Run ${number}`, input_text: `Report ${number}` };
    const { id } = (await call<Schemas["CreatedRun"]>("POST", "/runs", { body })).body;
    await untilIdle(service, id);
    runIds.push(id);
  }
});

afterAll(async () => {
  await service[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
});

function create(body: object, agent = agentId) {
  return service.call<Schemas["Trial"]>("POST", `/agents/${agent}/trials`, { body: { last: 10, control: 0, ...body } });
}

async function tried(
  body: object,
  agent = agentId,
): Promise<{ trial: Schemas["Trial"]; cases: Schemas["TrialCase"][] }> {
  const created = await create(body, agent);
  expect([created.status, created.body]).toMatchObject([201, {}]);
  return finishedTrial(service, created.body.id);
}

const stepsWith = (instructions: string, more: object = {}) =>
  tried({ mode: "next_step", definition: { ...definition, instructions }, budget: { dollars: 1 }, ...more });

const verdictsOf = (cases: Schemas["TrialCase"][]) => cases.map(({ verdict }) => verdict);

/** Imports a bundle. */
async function imported(bundle: Uint8Array): Promise<string> {
  const response = await fetch(`${service.baseUrl}/manage/v1/agents/${agentId}/runs/import`, {
    method: "POST",
    headers: { authorization: `Bearer ${service.operatorToken}`, "content-type": "application/zip" },
    body: Uint8Array.from(bundle),
  });
  expect(response.status).toBe(201);
  return ((await response.json()) as Schemas["Run"]).id;
}

/** A bundle of the first run with another record of its events. */
async function alteredBundle(change: (events: Json[]) => Json[]): Promise<Uint8Array> {
  const headers = { authorization: `Bearer ${service.operatorToken}` };
  const response = await fetch(`${service.baseUrl}/manage/v1/runs/${runIds[0]}/export`, { headers });
  const files = await contentsOf(Buffer.from(await response.arrayBuffer()));
  let count = 0;
  const written = withEvents(files, (events) =>
    change(events).map((event, index) => changed(event, { sequence: (count = index + 1) })),
  );
  return bundleOf(withRun(written, (record) => ({ ...record, run: changed(record.run, { sequence: count }) })));
}

/** Replays the turns of a run from a bundle. */
async function replayOf(bundle: Uint8Array): Promise<Schemas["TrialCase"][]> {
  const { cases } = await tried({ mode: "replay", last: undefined, runs: [{ run_id: await imported(bundle) }] });
  return cases.toSorted((one, two) => one.number - two.number);
}

/** Replays the first run with another record of its events. */
async function altered(change: (events: Json[]) => Json[]): Promise<Schemas["TrialCase"] | undefined> {
  return (await replayOf(await alteredBundle(change)))[0];
}

const isAnswer = (step: number) => (event: Json) => event["part"] === "answer" && event["step"] === step;

describe("next_step", () => {
  test("asks once for each recorded step, and finds an unchanged agent the same, the control arm too", async () => {
    const before = model.received.length;
    const { trial, cases } = await stepsWith("Write reports.", { control: 1 });
    expect(verdictsOf(cases)).toEqual(["same", "same"]);
    expect(model.received.length - before).toBe(3 * 3);
    expect(trial.summary).toMatchObject({ control: { cases: 1, differ: 0 }, spent: { candidate: { tokens: 660 } } });
    expect(cases[0]?.candidate).toMatchObject({ ended: "finished", steps: { compared: 3, changed: 0, first: null } });
  });

  test("sends the recorded conversation with the candidate's instructions, whatever the candidate answered before", async () => {
    const before = model.received.length;
    const { trial, cases } = await stepsWith("Use the other file.", { last: 1 });
    const asked = model.received.slice(before).map(({ body }) => JSON.stringify(body.messages));
    expect(asked).toHaveLength(3);
    expect(asked.every((messages) => messages.includes("Use the other file."))).toBe(true);
    expect(asked.some((messages) => messages.includes("other.txt"))).toBe(false);
    const runId = cases[0]?.candidate?.run_id ?? "";
    for (const [index, messages] of asked.entries()) {
      const { body } = await service.call<Schemas["SentRequest"]>(
        "GET",
        `/runs/${runId}/request/sent?at=1.${index + 1}`,
      );
      expect([body.exact, JSON.stringify(JSON.parse(body.body).messages)]).toEqual([true, messages]);
    }
    expect(cases[0]).toMatchObject({
      verdict: "different",
      candidate: {
        steps: { changed: 1, first: { step: 1, reason: "The model calls write_file with other arguments." } },
      },
    });
    const { body } = await service.call<Schemas["TrialCaseDetail"]>("GET", `/trials/${trial.id}/cases/1`);
    expect(body.steps.map(({ difference }) => difference === null)).toEqual([false, true, true]);
    expect(body.steps[0]?.candidate?.calls).toEqual([
      { name: "write_file", arguments: '{"name":"other.txt","content":"Report 2"}' },
    ]);
    const { body: files } = await service.call<Schemas["RunFilePage"]>("GET", `/runs/${runId}/files`);
    expect(files.data).toEqual([]);
  });

  test.each([
    ["Arguments reordered.", null],
    ["It lists files.", "The model calls list_files in place of read_file."],
    ["In a hurry.", "The model answers in place of calling read_file."],
    ["It never ends.", "The model calls list_files in place of answering."],
    ["Be loud.", "The model answers another text."],
  ])("with %j says what differs", async (instructions, reason) => {
    const { cases } = await stepsWith(instructions, { last: 1 });
    expect(cases[0]?.candidate?.steps?.first?.reason ?? null).toBe(reason);
    expect(cases[0]?.verdict).toBe(reason === null ? "same" : "different");
  });

  test("sends the answers of an imported run without what only models see", async () => {
    const bundle = await alteredBundle((events) =>
      events.map((event) => {
        const answer = event["answer"] as { echo: { messages: { content: object[] }[] } } | undefined;
        answer?.echo.messages[0]?.content.unshift({ type: "text", text: "Hidden." });
        return event;
      }),
    );
    const before = model.received.length;
    const { cases } = await stepsWith("Write reports.", {
      last: undefined,
      runs: [{ run_id: await imported(bundle) }],
    });
    expect(verdictsOf(cases)).toEqual(["same"]);
    expect(model.received.slice(before).map(({ body }) => JSON.stringify(body).includes("Hidden."))).toEqual([
      false,
      false,
      false,
    ]);
    const path = `/runs/${cases[0]?.candidate?.run_id}/request/sent?at=1.3`;
    expect((await service.call<Schemas["SentRequest"]>("GET", path)).body.exact).toBe(true);
  });

  test("starts no case beyond its budget, and no step beyond the share of its case", async () => {
    const { trial, cases } = await stepsWith("Write reports.", { budget: { tokens: 400 }, concurrency: 1 });
    expect([trial.ended_by, new Set(verdictsOf(cases))]).toEqual(["budget", new Set(["same", null])]);
    const dear = { ...definition, prices: { input: 10, output: 100 } };
    const cut = await stepsWith("", { definition: dear, budget: { dollars: 0.003 }, last: 1, concurrency: 1 });
    expect(cut.cases[0]).toMatchObject({
      verdict: "failed",
      candidate: {
        reason: "The case reached its share of the trial's budget before its last step.",
        steps: { compared: 2, changed: 0 },
        used: { dollars: 0.004 },
      },
    });
  });
});

describe("replay", () => {
  test("finds each recorded turn the same, calls nothing and costs nothing", async () => {
    const before = model.received.length;
    const { trial, cases } = await tried({ mode: "replay" });
    expect(trial.estimate).toMatchObject({ dollars: { low: 0, high: 0 }, sends: [] });
    expect(verdictsOf(cases)).toEqual(["same", "same"]);
    expect(cases[0]?.candidate).toMatchObject({ steps: { compared: 3, changed: 0 }, used: { tokens: 0, dollars: 0 } });
    expect(model.received).toHaveLength(before);
    expect(trial.summary.text).toBe("2 tried · 2 same · $0.00");
  });

  test.each(releases)("finds the run that release %s recorded the same", async (name) => {
    const cases = await replayOf(readFileSync(folder + name));
    expect(cases.map(({ verdict, candidate }) => [verdict, candidate?.steps?.first])).toEqual([
      ["same", null],
      ["same", null],
    ]);
    expect(cases[0]?.candidate?.steps?.compared).toBeGreaterThan(10);
  });

  test("finds a record that was altered, by the recorded hash of a request", async () => {
    const one = await altered((events) =>
      events.map((event) =>
        event["part"] === "result" && event["step"] === 1
          ? changed(event, { result: { ...(event["result"] as Json), text: "Nothing was written." } })
          : event,
      ),
    );
    expect(one).toMatchObject({
      verdict: "different",
      candidate: {
        same_output: true,
        steps: {
          compared: 3,
          changed: 2,
          first: {
            step: 2,
            path: null,
            reason: "The request is not the one that was sent: its recorded hash is another.",
          },
        },
      },
    });
  });

  test("names the first difference of a request that the engine makes in another way", async () => {
    const one = await altered((events) =>
      events.map((event) => {
        if (!isAnswer(1)(event)) return event;
        const sent = (event["sent"] as Json[]).map((each) => changed(each, { sha256: "0".repeat(64) }));
        return changed(event, { note: "The note of another release.", sent });
      }),
    );
    expect(one?.candidate?.steps?.first).toEqual({
      step: 1,
      path: "messages.1.content",
      reason: "The request differs at messages.1.content.",
    });
    expect(one?.verdict).toBe("different");
  });

  test("says where the engine asks for something that the record does not have", async () => {
    const one = await altered((events) =>
      events.map((event) =>
        isAnswer(3)(event) ? changed(event, { answer: changed(event["answer"] as Json, { text: "" }) }) : event,
      ),
    );
    expect(one).toMatchObject({
      verdict: "left_record",
      candidate: {
        reason: "In step 4, the engine asks for something else than the recorded turn, which has no answer to it.",
      },
    });
  });

  test("does not advise to choose a rule, which a replay has not, for a call without a recorded result", async () => {
    const one = await altered((events) => events.filter(({ part, step }) => part !== "result" || step !== 2));
    expect(one).toMatchObject({ verdict: "left_record", candidate: { reason: expect.stringContaining("read_file") } });
    const { body } = await service.call<Schemas["Run"]>("GET", `/runs/${one?.candidate?.run_id}`);
    expect(body.failure).toMatchObject({
      category: "left_record",
      title: "The turn called read_file, and the recorded turn has no answer to this call.",
      remedy: "Compare the recorded run with the run of the attempt.",
    });
  });

  test("finds a turn different that ends before the recorded one, although its requests and its end are equal", async () => {
    const one = await altered((events) =>
      events.flatMap((event) =>
        isAnswer(3)(event) ? [event, changed(event, { step: 4 }), changed(event, { step: 5 })] : [event],
      ),
    );
    expect(one).toMatchObject({
      verdict: "different",
      candidate: {
        ended: "finished",
        same_output: true,
        files: [],
        steps: {
          compared: 5,
          changed: 2,
          first: { step: 4, path: null, reason: "The turn ends before step 4 of the recorded one." },
        },
      },
    });
  });

  test("compares what is rebuilt where no request was sent, as with the demo model", async () => {
    const { body: starter } = await service.call<Schemas["Agent"]>("GET", `/agents/${service.templateId}`);
    await service.call("PUT", `/organizations/${starter.organization_id}/models/shown`, {
      body: { provider: "demo" },
    });
    const own = { ...definition, modelConfiguration: "shown" };
    const { body: agent } = await service.call<Schemas["Agent"]>("POST", "/agents", {
      body: { organization_id: starter.organization_id, definition: own },
    });
    const { body: run } = await service.call<Schemas["CreatedRun"]>("POST", "/runs", {
      body: { agent_id: agent.id, name: "Demo", input_text: "Work." },
    });
    expect((await untilIdle(service, run.id)).status).toBe("finished");
    const { cases } = await tried({ mode: "replay" }, agent.id);
    expect(cases[0]).toMatchObject({ verdict: "same", candidate: { steps: { changed: 0 } } });
    expect(cases[0]?.candidate?.steps?.compared).toBeGreaterThan(0);
  });

  test("tries the cases of a suite, but no redacted ones", async () => {
    const path = `/agents/${agentId}/suites`;
    await service.call("POST", path, { body: { name: "kept" } });
    const keep = (run_id: string | undefined, more: object) =>
      service.call("POST", `${path}/kept/cases`, { body: { cases: [{ run_id }], ...more } });
    expect((await keep(runIds[0], {})).status).toBe(200);
    expect((await keep(runIds[1], { redact: [{ text: "Report 2" }] })).status).toBe(200);
    const { cases } = await tried({ mode: "replay", last: undefined, suite: "kept" });
    expect(cases.map(({ verdict, cannot_be_tried: refused }) => [verdict, refused])).toEqual([
      ["cannot_be_tried", "The case was redacted, so its requests are not those that were sent."],
      ["same", null],
    ]);
  });

  test("is of no definition, so none is saved with it", async () => {
    const { trial } = await tried({ mode: "replay", last: 1 });
    const body = { definition, trial_id: trial.id };
    const refused = await service.call("PUT", `/agents/${agentId}`, { body });
    expect([refused.status, JSON.stringify(refused.body)]).toEqual([409, expect.stringContaining("is a replay")]);
  });
});

test.each([
  ["leave out definition and version", { mode: "replay", definition }],
  ["leave out the budget", { mode: "replay", budget: { dollars: 1 } }],
  ["assertions: a replay repeats", { mode: "replay", assertions: [{ kind: "tool_called", name: "x" }] }],
  ["expected definition or version, received neither", { mode: "next_step", budget: { dollars: 1 } }],
  ["budget: expected dollars or tokens", { mode: "next_step", definition }],
  ["judge: next_step compares single steps", { mode: "next_step", definition, judge: { definition } }],
  ["outside: next_step compares single steps", { mode: "next_step", definition, outside: { default: "error" } }],
  ["budget: expected dollars or tokens", { definition }],
])("a trial is refused: %j", async (reason, body) => {
  const { status, body: problem } = await create(body);
  expect([status, JSON.stringify(problem)]).toEqual([422, expect.stringContaining(reason)]);
});
