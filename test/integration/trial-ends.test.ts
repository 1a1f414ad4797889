import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Schemas } from "../../src/manage/schema-types.ts";
import { chatServer, scripted } from "../providers/chat-completions-server.ts";
import { awsDoors, localDoors, type TrialDoors } from "../support/trial-doors.ts";
import { mcpServer } from "../unit/mcp/mcp-server.ts";
import { sandbox } from "./sandbox/sandbox.ts";

// How cases end that do not repeat their turn, on both platforms.

type Calls = [name: string, input: object][];

/** Old contents that a run keeps of a file: 20. */
const rewrites = Array.from({ length: 25 }, (_, index): Calls[number] => [
  "write_file",
  { name: "notes.txt", content: `Version ${index}` },
]);

/** Adds, or writes notes, as the input says. The instructions can ask for another sum, or for many steps. */
const works = scripted(({ instructions, input, results, step }) => {
  const [, server] = /Ask (\w+)/.exec(instructions) ?? [];
  const [, steps = "1"] = /in (\d+) steps/.exec(instructions) ?? [];
  const first: Calls = input.startsWith("Rewrite")
    ? rewrites
    : input.startsWith("Write")
      ? [["write_file", { name: "notes.txt", content: input }]]
      : [[`${server ?? "test"}__add`, { a: 1, b: server ? 2 : 1 }]];
  const calls = step === 1 ? first : ([["list_files", {}]] satisfies Calls);
  return step <= Number(steps) ? { text: "Adding.", calls } : { text: results[0] ?? "" };
});

let model: Awaited<ReturnType<typeof chatServer>>;
let mcp: Awaited<ReturnType<typeof mcpServer>>;
beforeAll(async () => {
  model = await chatServer(...Array.from({ length: 1_000 }, () => works));
  mcp = await mcpServer();
});
afterAll(async () => {
  await model[Symbol.asyncDispose]();
  await mcp[Symbol.asyncDispose]();
});

const definition = () => ({
  name: "Adder",
  instructions: "Add.",
  tools: ["list_files", "read_file", "write_file"],
  mcp: [{ name: "test", url: mcp.url }],
  limits: { steps: 20, tokens: 100_000, seconds: 60 },
  prices: { input: 1, output: 10 },
});

const platforms: Record<string, (configuration: Parameters<typeof localDoors>[0]) => Promise<TrialDoors>> = {
  "one machine": localDoors,
  AWS: (configuration) => awsDoors(configuration, sandbox),
};

describe.each(Object.keys(platforms))("on %s", (name) => {
  let doors: TrialDoors;
  let agentId: string;

  beforeAll(async () => {
    const configuration = { provider: "openai-compatible", enabled: true, baseUrl: model.baseUrl, model: "m" } as const;
    const opened = await platforms[name]?.(configuration);
    if (!opened) throw new Error(`no platform ${name}`);
    doors = opened;
  });
  afterAll(() => doors[Symbol.asyncDispose]());

  beforeEach(async () => {
    const agent = { organization_id: doors.organizationId, definition: definition() };
    ({ id: agentId } = await doors.call<Schemas["Agent"]>("POST", "/agents", agent));
  });

  /** Records a run with a turn for each input. */
  async function recorded(first: string, ...others: string[]): Promise<string> {
    const body = { agent_id: agentId, name: first, input_text: first };
    const { id } = await doors.call<Schemas["CreatedRun"]>("POST", "/runs", body);
    await doors.settleHere(`/runs/${id}`);
    for (const input_text of others) await continued(id, input_text);
    return id;
  }

  async function continued(id: string, input_text: string): Promise<void> {
    await doors.call("POST", `/runs/${id}/input`, { input_text });
    await doors.settleHere(`/runs/${id}`);
  }

  async function created(change: object, more: object = { last: 10 }): Promise<Schemas["Trial"]> {
    const body = { definition: { ...definition(), ...change }, budget: { tokens: 100_000 }, control: 0, ...more };
    return doors.call("POST", `/agents/${agentId}/trials`, body);
  }

  async function ended({ id }: { id: string }): Promise<{ trial: Schemas["Trial"]; cases: Schemas["TrialCase"][] }> {
    await doors.call("POST", `/trials/${id}/start`);
    await doors.settleHere(`/trials/${id}`);
    return read(id);
  }

  async function read(id: string) {
    const trial = await doors.call<Schemas["Trial"]>("GET", `/trials/${id}`);
    expect(trial.status).toBe("finished");
    const { data } = await doors.call<Schemas["TrialCasePage"]>("GET", `/trials/${id}/cases`);
    return { trial, cases: data.toSorted((a, b) => a.number - b.number) };
  }

  const misses: [rule: string, outside: object, found: object, asked: number][] = [
    ["stop", {}, { verdict: "left_record", candidate: { ended: "left_record", misses: [] } }, 0],
    [
      "error",
      { default: "error" },
      { verdict: "different", candidate: { ended: "finished", misses: [{ tool: "test__add", rule: "error" }] } },
      0,
    ],
    [
      "a fixed text",
      { tools: { test__add: { fixed: "3" } } },
      { verdict: "different", candidate: { ended: "finished", misses: [{ tool: "test__add", rule: "fixed" }] } },
      0,
    ],
    [
      "live",
      { tools: { test__add: "live" } },
      { verdict: "different", candidate: { ended: "finished", misses: [{ tool: "test__add", rule: "live" }] } },
      1,
    ],
  ];
  test.each(misses)("a miss ends as the rule says: %s", async (_rule, outside, found, asked) => {
    await recorded("Add.");
    const before = mcp.calls.length;
    const { cases } = await ended(await created({ instructions: "Ask test." }, { last: 1, outside }));
    expect(cases).toMatchObject([found]);
    expect(mcp.calls.length - before).toBe(asked);
  });

  test("a new MCP server is listed once for all cases, and its calls are misses", async () => {
    for (const number of [1, 2, 3]) await recorded(`Add ${number}.`);
    const servers = [...definition().mcp, { name: "other", url: mcp.url }];
    const trial = await created({ instructions: "Ask other.", mcp: servers }, { last: 10, concurrency: 1 });
    expect(trial.estimate.sends).toContainEqual(expect.objectContaining({ for: "mcp_list", new: true }));
    const [listed, called] = [mcp.methods.length, mcp.calls.length];
    const { cases } = await ended(trial);
    expect(cases.map(({ verdict }) => verdict)).toEqual(["left_record", "left_record", "left_record"]);
    expect(cases[0]?.candidate?.reason).toContain("other__add");
    expect(mcp.methods.slice(listed).filter((method) => method === "tools/list")).toHaveLength(1);
    expect(mcp.calls).toHaveLength(called);
  });

  const lost = 'The content of the file "notes.txt", as it was then, is no longer kept.';

  test("a turn whose contents are no longer kept cannot be tried, and the estimate says so", async () => {
    const id = await recorded("Write this.", "Rewrite it.");
    const trial = await created({}, { runs: [{ run_id: id }] });
    expect([trial.cases, trial.estimate.cases]).toEqual([2, 1]);
    const { cases } = await ended(trial);
    expect(cases).toMatchObject([
      { verdict: "same", cannot_be_tried: null },
      { verdict: "cannot_be_tried", cannot_be_tried: lost, candidate: null },
    ]);
  });

  test("a turn whose contents expire after the estimate cannot be tried either", async () => {
    const id = await recorded("Write this.", "Add.");
    const trial = await created({}, { runs: [{ run_id: id, turn: 2 }] });
    expect(trial.estimate.cases).toBe(1);
    await continued(id, "Rewrite it.");
    const { cases } = await ended(trial);
    expect(cases).toMatchObject([{ verdict: "cannot_be_tried", cannot_be_tried: lost, candidate: null }]);
  });

  test("a case goes with its recorded run, before and after it is tried", async () => {
    const ids = [await recorded("Write one."), await recorded("Write two."), await recorded("Write three.")];
    const trial = await created({}, { runs: ids.map((run_id) => ({ run_id })) });
    await doors.call("DELETE", `/runs/${ids[0]}`);
    const { cases } = await ended(trial);
    const gone = { verdict: "cannot_be_tried", cannot_be_tried: "The recorded run was deleted.", input: "" };
    expect(cases).toMatchObject([gone, { verdict: "same" }, { verdict: "same" }]);
    expect(JSON.stringify(cases)).not.toContain("Write one");
    await doors.call("DELETE", `/runs/${ids[1]}`);
    const { cases: after } = await read(trial.id);
    expect(after).toMatchObject([gone, gone, { verdict: "same" }]);
    const [, second, third] = cases.map(({ candidate }) => `/runs/${candidate?.run_id}`);
    await expect(doors.call("GET", second ?? "")).rejects.toThrow("run_not_found");
    await doors.call("GET", third ?? "");
  });

  test("a trial starts no case beyond its budget, and a case ends at its share", async () => {
    for (const number of [1, 2, 3]) await recorded(`Write ${number}.`);
    const { trial, cases } = await ended(await created({}, { last: 10, budget: { tokens: 300 }, concurrency: 1 }));
    expect(trial.ended_by).toBe("budget");
    expect(cases.map(({ verdict }) => verdict)).toEqual(["same", null, null]);
    const long = { instructions: "Add in 9 steps." };
    const cut = await ended(await created(long, { budget: { tokens: 400 }, last: 1, concurrency: 1 }));
    expect(cut.cases).toMatchObject([
      {
        verdict: "failed",
        candidate: { reason: "The turn reached its share of the trial's budget, and had to answer early." },
      },
    ]);
  });
});
