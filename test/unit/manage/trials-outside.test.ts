import { afterAll, beforeAll, expect, test } from "vitest";
import { createAgent } from "../../../src/accounts/agents/agents.ts";
import type { AgentDefinition } from "../../../src/accounts/account-types.ts";
import type { Schemas } from "../../../src/manage/schema-types.ts";
import { chatServer, scripted } from "../../providers/chat-completions-server.ts";
import { type ManageService, manageService } from "../../support/manage-service.ts";
import { mcpServer } from "../mcp/mcp-server.ts";

type Step = [name: string, input: object][];

let model: Awaited<ReturnType<typeof chatServer>>;
let mcp: Awaited<ReturnType<typeof mcpServer>>;
let service: ManageService;
let agentId: string;
let runId: string;

/** What the model calls, by input. */
const steps: Record<string, Step[]> = {
  "Draw.": [
    [["test__draw", {}]],
    [["find_order", { id: "4711" }]],
    [
      ["write_file", { name: "allowed.txt", content: "yes" }],
      ["write_file", { name: "denied.txt", content: "no" }],
    ],
  ],
  "Again.": [
    [["read_file", { name: "allowed.txt" }]],
    [["test__add", { a: 1, b: 2 }]],
    [["test__add", { a: 1, b: 2 }]],
  ],
};
/** Calls that the candidate makes before those. */
let first: Step[] = [];
/** The last text of each turn. With `left`, the candidate says it at once, without these calls. */
const said = new Map<string, string>();
let left: string[] = [];

const works = scripted(({ input, results, step }) => {
  // A note about the files follows an input in the same message.
  const [turn = "", ofInput = []] = Object.entries(steps).find(([text]) => input.startsWith(text)) ?? [];
  const kept = ofInput
    .map((calls) => calls.filter(([name]) => !left.includes(name)))
    .filter(({ length }) => length > 0);
  const calls = [...first, ...kept][step - 1];
  if (calls) return { calls };
  if (left.length === 0) said.set(turn, JSON.stringify(results));
  return { text: said.get(turn) ?? "" };
});

const definition = (): AgentDefinition => ({
  name: "Drawer",
  instructions: "Draw.",
  tools: ["list_files", "read_file", "write_file"],
  mcp: [{ name: "test", url: mcp.url }],
  clientTools: [{ name: "find_order", description: "Finds an order.", input: { type: "object" } }],
  toolPolicy: { write_file: "ask" },
  limits: { steps: 20, tokens: 1e6, seconds: 60 },
});

beforeAll(async () => {
  mcp = await mcpServer();
  model = await chatServer(...Array.from({ length: 100 }, () => works));
  const configuration = { provider: "openai-compatible", enabled: true, baseUrl: model.baseUrl, model: "m" } as const;
  service = await manageService({ model: configuration });
  const { accounts } = service.platform;
  const { organizationId = "" } = (await accounts.findAgent(service.templateId)) ?? {};
  ({ id: agentId } = await createAgent(accounts, organizationId, definition()));
  const { body: run } = await service.call<Schemas["CreatedRun"]>("POST", "/runs", {
    body: { agent_id: agentId, name: "Drawing", input_text: "Draw." },
  });
  runId = run.id;
  await answer({ output: "It is on its way." });
  await answer({ decision: "allow" }, { decision: "deny", reason: "Not this one." });
  await idle();
  await service.call("POST", `/runs/${runId}/input`, { body: { input_text: "Again." } });
  await idle();
});

afterAll(async () => {
  await service[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
  await mcp[Symbol.asyncDispose]();
});

async function until(done: (run: Schemas["RunDetail"]) => boolean): Promise<Schemas["RunDetail"]> {
  for (;;) {
    const { body } = await service.call<Schemas["RunDetail"]>("GET", `/runs/${runId}`);
    if (done(body)) return body;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Answers the calls that the run waits with, in order. */
async function answer(...answers: object[]): Promise<void> {
  const { open_calls } = await until((run) => run.open_calls.length === answers.length);
  for (const [index, given] of answers.entries()) {
    const { id: call, arguments_sha256 } = open_calls[index] ?? { id: "", arguments_sha256: "" };
    const body = { call, arguments_sha256, ...given };
    expect((await service.call("POST", `/runs/${runId}/answers`, { body })).status).toBe(200);
  }
}

async function idle(): Promise<void> {
  expect(await until(({ status }) => status !== "running")).toMatchObject({ status: "finished" });
}

async function tried(change: Partial<AgentDefinition> = {}, more: object = {}): Promise<Schemas["TrialCase"][]> {
  const given = { runs: [{ run_id: runId }], budget: { tokens: 100_000 }, control: 0, ...more };
  const { body: created } = await service.call<Schemas["Trial"]>("POST", `/agents/${agentId}/trials`, {
    body: { definition: { ...definition(), ...change }, ...given },
  });
  await service.call("POST", `/trials/${created.id}/start`);
  for (;;) {
    const { body } = await service.call<Schemas["Trial"]>("GET", `/trials/${created.id}`);
    if (body.status === "finished") break;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const { body } = await service.call<Schemas["TrialCasePage"]>("GET", `/trials/${created.id}/cases`);
  return body.data.toSorted((a, b) => a.number - b.number);
}

test("both turns of a run repeat: servers, callers and approvers are asked nothing", async () => {
  const asked = mcp.methods.length;
  const cases = await tried();
  expect(cases.map(({ turn, verdict }) => [turn, verdict])).toEqual([
    [1, "same"],
    [2, "same"],
  ]);
  expect(mcp.methods).toHaveLength(asked);
  const { body } = await service.call<Schemas["RunFilePage"]>("GET", `/runs/${cases[0]?.candidate?.run_id}/files`);
  expect(body.data.map(({ name }) => name)).toContain("allowed.txt");
  expect(body.data.map(({ name }) => name)).not.toContain("denied.txt");
  expect(body.data.some(({ name }) => name.endsWith(".png"))).toBe(true);
});

test("the n-th equal call gets the n-th answer, and one more is a miss", async () => {
  first = [[["test__add", { a: 1, b: 2 }]]];
  const [, second] = await tried(
    {},
    {
      runs: [
        { run_id: runId, turn: 2 },
        { run_id: runId, turn: 2 },
      ],
    },
  );
  first = [];
  expect(second).toMatchObject({ verdict: "left_record", candidate: { reason: expect.stringContaining("test__add") } });
});

test("a turn that leaves out calls with effects is different, although its output is the same", async () => {
  await tried();
  left = ["test__draw", "find_order", "test__add"];
  const [drawn, again] = await tried();
  left = [];
  expect(drawn).toMatchObject({ verdict: "different", candidate: { ended: "finished", same_output: true } });
  expect(drawn?.candidate?.missing).toEqual([
    { tool: "test__draw", recorded: 1, tried: 0 },
    { tool: "find_order", recorded: 1, tried: 0 },
  ]);
  expect(again).toMatchObject({ verdict: "same", candidate: { missing: [] } }); // test__add only reads
});

test("a call with other arguments is another call, also if a rule answers it", async () => {
  await tried();
  const [recorded] = steps["Draw."]?.splice(1, 1, [["find_order", { id: "4799" }]]) ?? [];
  left = ["none"];
  const [drawn] = await tried({}, { outside: { tools: { find_order: { fixed: "It is on its way." } } } });
  left = [];
  steps["Draw."]?.splice(1, 1, recorded ?? []);
  expect(drawn).toMatchObject({ verdict: "different", candidate: { same_output: true } });
  expect(drawn?.candidate?.missing).toEqual([{ tool: "find_order", recorded: 1, tried: 0 }]);
});

test("an allowed call that is left out is missing, a denied one is not", async () => {
  await tried();
  left = ["write_file"];
  const [drawn] = await tried();
  left = [];
  expect(drawn?.candidate).toMatchObject({
    same_output: true,
    missing: [{ tool: "write_file", recorded: 1, tried: 0 }],
  });
});

test("a rule answers what is not in the record, and the case says so", async () => {
  const asked = mcp.calls.length;
  first = [[["test__add", { a: 5, b: 6 }]]];
  const one = { runs: [{ run_id: runId, turn: 2 }] };
  const [failing] = await tried({}, { ...one, outside: { default: "error" } });
  expect(failing?.candidate).toMatchObject({ ended: "finished", misses: [{ tool: "test__add", rule: "error" }] });
  expect(mcp.calls).toHaveLength(asked);
  const [fixed] = await tried({}, { ...one, outside: { tools: { test__add: { fixed: "12" } } } });
  expect(fixed?.candidate?.misses).toEqual([{ tool: "test__add", rule: "fixed" }]);
  expect(mcp.calls).toHaveLength(asked);
  const [live] = await tried({}, { ...one, outside: { tools: { test__add: "live" } } });
  expect(live?.candidate?.misses).toEqual([{ tool: "test__add", rule: "live" }]);
  expect(mcp.calls).toHaveLength(asked + 1);
  first = [];
});

test("a call with effects never runs live", async () => {
  first = [[["test__send_mail", {}]]];
  const asked = mcp.calls.length;
  const [mail] = await tried(
    {},
    { runs: [{ run_id: runId, turn: 2 }], outside: { tools: { test__send_mail: "live" } } },
  );
  expect(mail?.verdict).toBe("left_record");
  expect(mcp.calls).toHaveLength(asked);
  first = [];
});

test("a new MCP server is listed, and its calls are misses", async () => {
  const methods = mcp.methods.length;
  const calls = mcp.calls.length;
  first = [[["other__add", { a: 1, b: 2 }]]];
  const more = [...(definition().mcp ?? []), { name: "other", url: mcp.url }];
  const [one] = await tried({ mcp: more }, { runs: [{ run_id: runId, turn: 2 }] });
  expect(one?.verdict).toBe("left_record");
  expect(mcp.methods.slice(methods)).toContain("tools/list");
  expect(mcp.calls).toHaveLength(calls);
  first = [];
});
