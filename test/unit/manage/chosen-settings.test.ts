import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { createKey } from "../../../src/accounts/keys.ts";
import type { AgentDefinition } from "../../../src/accounts/account-types.ts";
import type { Schemas as ExtSchemas } from "../../../src/ext/call.ts";
import { openapiDocument } from "../../../src/ext/generated/openapi.ts";
import type { Schemas } from "../../../src/manage/schema-types.ts";
import { chatServer, type Reply, scripted } from "../../providers/chat-completions-server.ts";
import { callTool, connectClient } from "../../support/mcp-clients.ts";
import { type RestCaller, restCaller } from "../../support/local-service.ts";
import { type ManageService, manageService } from "../../support/manage-service.ts";
import { responseChecks } from "../../support/rest-contract.ts";

const problemsOf = responseChecks(openapiDocument);

let model: Awaited<ReturnType<typeof chatServer>>;
let service: ManageService;
let organizationId: string;

/** Refuses the key, once for each input that asks for it. Then, it works. */
const broken = new Set<string>();
const answers: Reply = (response, request) => {
  const [code] = /Break \d+\./.exec(request.text) ?? [];
  if (code === undefined || broken.has(code)) return works(response, request);
  broken.add(code);
  response.writeHead(401, { "content-type": "application/json" }).end('{"error":{"message":"no"}}');
};

/** Lists the files three times, unless a limit asks for a final answer. */
const works = scripted(({ input, results }) =>
  /^(Go|Again|Break \d+)\./.test(input) && results.length < 3 ? { calls: [["list_files", {}]] } : { text: "Listed." },
);

const definition: AgentDefinition = {
  name: "Chooser",
  instructions: "Work.",
  tools: ["list_files"],
  limits: { steps: 10, tokens: 100_000, seconds: 60 },
  runLimits: { steps: 40 },
  prices: { input: 1, output: 10 },
  parameters: { temperature: 0.5 },
  runModels: [
    { name: "fast", model: "small", prices: { input: 100, output: 100 } },
    {
      name: "other",
      modelConfiguration: "second",
      parameters: { maxOutputTokens: 9 },
      prices: { input: 2, output: 2 },
    },
  ],
};

beforeAll(async () => {
  model = await chatServer(...Array.from({ length: 300 }, () => answers));
  const provider = { provider: "openai-compatible", enabled: true, baseUrl: model.baseUrl, model: "m" } as const;
  service = await manageService({ model: provider });
  organizationId = (await service.platform.accounts.findAgent(service.templateId))?.organizationId ?? "";
  const second = { provider: "openai-compatible", enabled: true, base_url: model.baseUrl, model: "second-model" };
  await service.call("PUT", `/organizations/${organizationId}/models/second`, { body: second });
});

afterAll(async () => {
  await service[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
});

interface Chooser {
  agentId: string;
  key: string;
  ext: RestCaller;
}

async function chooser(changes: Partial<AgentDefinition> = {}): Promise<Chooser> {
  const body = { organization_id: organizationId, definition: { ...definition, ...changes } };
  const { id: agentId } = (await service.call<Schemas["Agent"]>("POST", "/agents", { body })).body;
  const { key } = await createKey(service.platform.accounts, agentId);
  return { agentId, key, ext: restCaller(service.baseUrl, { basePath: "/ext/v1", token: key, problemsOf }) };
}

async function update({ agentId }: Chooser, changed: Partial<AgentDefinition>): Promise<void> {
  const body = { definition: { ...definition, ...changed } };
  expect((await service.call("PUT", `/agents/${agentId}`, { body })).status).toBe(200);
}

async function idle({ ext }: Chooser, id: string): Promise<ExtSchemas["RunDetail"]> {
  for (;;) {
    const { body } = await ext<ExtSchemas["RunDetail"]>("GET", `/runs/${id}?wait=10`);
    if (body.status !== "running") return body;
  }
}

/** Runs a turn of a new run. `sent`: the bodies of its model calls. */
async function ran(agent: Chooser, choice: object) {
  const before = model.received.length;
  const body = { name: "Run", input_text: "Go.", ...choice };
  const created = await agent.ext<ExtSchemas["CreatedRun"]>("POST", "/runs", { body });
  expect(created.status).toBe(201);
  const run = await idle(agent, created.body.id);
  return { run, sent: model.received.slice(before) };
}

async function turn(agent: Chooser, id: string, input_text = "Again.") {
  const before = model.received.length;
  expect((await agent.ext("POST", `/runs/${id}/input`, { body: { input_text } })).status).toBe(202);
  return { run: await idle(agent, id), sent: model.received.slice(before) };
}

/** The detail of the refusal of a create. */
async function refused({ ext }: Chooser, choice: object): Promise<unknown> {
  const { status, body } = await ext("POST", "/runs", { body: { name: "n", ...choice } });
  expect(status).toBe(422);
  return body["detail"];
}

const modelsOf = (sent: { body: Record<string, unknown> }[]): unknown[] => [
  ...new Set(sent.map(({ body }) => body["model"])),
];

describe("a run with limits of its own", () => {
  test("ends its turns at them, shows them, and keeps to them in later turns", async () => {
    const agent = await chooser();
    const limits = { turn: { steps: 2 }, run: { steps: 5, dollars: 3 } };
    const { run, sent } = await ran(agent, { limits });
    expect(run).toMatchObject({ finish_reason: "steps", chosen: { model: null, limits } });
    expect(run.limits).toEqual({ turn: { ...definition.limits, steps: 2 }, run: { steps: 5, dollars: 3 } });
    expect(sent).toHaveLength(3); // the last one asks for a final answer
    const second = await turn(agent, run.id);
    expect(second.run).toMatchObject({ turn: 2, finish_reason: "steps", usage: { steps: 6 } });
    const third = await turn(agent, run.id);
    expect(third.run.failure).toMatchObject({ category: "limit", title: expect.stringContaining("limit of 5 steps") });
    const { body: shown } = await service.call<Schemas["RunDetail"]>("GET", `/runs/${run.id}`);
    expect(shown.chosen).toEqual({ model: null, limits });
  });

  test("is bound by the lower ones of the agent when that is changed", async () => {
    const agent = await chooser();
    const { run } = await ran(agent, { limits: { turn: { steps: 5 } } });
    expect(run).toMatchObject({ finish_reason: "completed", usage: { steps: 4 } });
    await update(agent, { limits: { ...definition.limits, steps: 1 } });
    const lowered = await turn(agent, run.id);
    expect(lowered.run).toMatchObject({ finish_reason: "steps", limits: { turn: { steps: 1 } } });
    expect(lowered.sent).toHaveLength(2);
    await update(agent, { limits: { ...definition.limits, steps: 1_000 } });
    expect((await turn(agent, run.id)).run.limits.turn).toMatchObject({ steps: 5 });
  });

  test("is refused above the agent's limits, and in dollars without prices", async () => {
    const agent = await chooser();
    const higher = { turn: { steps: 11, tokens: 100_000 }, run: { steps: 41, tokens: 1e9 } };
    expect(await refused(agent, { limits: higher })).toBe(
      "limits.turn.steps is 11, and the agent's is 10; at most that is accepted; limits.run.steps is 41, and the agent's is 40; at most that is accepted",
    );
    expect(await refused(agent, { limits: { turn: { steps: 0 } } })).toEqual([expect.anything()]);
    expect(await refused(agent, { limits: { steps: 1 } })).toEqual([expect.anything()]);
    const { prices: _, runModels: __, ...unpriced } = definition;
    const body = { organization_id: organizationId, definition: unpriced };
    const { id } = (await service.call<Schemas["Agent"]>("POST", "/agents", { body })).body;
    const manage = await service.call("POST", "/runs", {
      body: { agent_id: id, name: "n", limits: { run: { dollars: 1 } } },
    });
    expect(manage).toMatchObject({ status: 422, body: { detail: expect.stringContaining("has no prices") } });
  });
});

describe("a run with a model of its own", () => {
  test("asks it in all turns, at its prices and with its parameters, and requests are rebuilt byte for byte", async () => {
    const agent = await chooser();
    const { run, sent } = await ran(agent, { model: "fast" });
    expect(modelsOf(sent)).toEqual(["small"]);
    expect(run.chosen).toEqual({ model: "fast", limits: { turn: {}, run: {} } });
    expect(run.usage.dollars).toBeCloseTo((4 * 110 * 100) / 1e6);
    expect(sent[0]?.body["temperature"]).toBe(0.5);
    expect(modelsOf((await turn(agent, run.id)).sent)).toEqual(["small"]);
    for (const [at, index] of [
      ["1.1", 0],
      ["1.3", 2],
    ] as const) {
      const { body } = await service.call("GET", `/runs/${run.id}/request/sent?at=${at}`);
      expect(body).toMatchObject({ exact: true, body: sent[index]?.text });
    }
    const other = await ran(agent, { model: "other" });
    expect(modelsOf(other.sent)).toEqual(["second-model"]);
    expect(other.sent[0]?.body).not.toHaveProperty("temperature");
    expect(modelsOf((await ran(agent, {})).sent)).toEqual(["m"]);
    expect((await agent.ext("GET", "/agent")).body["run_models"]).toEqual(["fast", "other"]);
  });

  test("keeps it when it is retried", async () => {
    const agent = await chooser();
    const before = model.received.length;
    const body = { name: "Run", input_text: "Break 1.", model: "fast", limits: { turn: { steps: 2 } } };
    const { id } = (await agent.ext<ExtSchemas["CreatedRun"]>("POST", "/runs", { body })).body;
    expect(await idle(agent, id)).toMatchObject({ status: "technical_error" });
    expect((await service.call("POST", `/runs/${id}/retry`)).status).toBe(200);
    expect(await idle(agent, id)).toMatchObject({ status: "finished", finish_reason: "steps" });
    expect(modelsOf(model.received.slice(before))).toEqual(["small"]);
  });

  test("is refused with the names that the agent offers", async () => {
    expect(await refused(await chooser(), { model: "large" })).toBe(
      'the model "large" was chosen, and the agent offers fast, other (runModels of the agent file)',
    );
    expect(await refused(await chooser({ runModels: [] }), { model: "large" })).toContain("the agent offers none");
  });

  test("keeps it when it is forked, and fails its next turn when the agent does not offer it any more", async () => {
    const agent = await chooser();
    const { run } = await ran(agent, { model: "fast", limits: { run: { steps: 30 } } });
    const before = model.received.length;
    const fork = await service.call<Schemas["Run"]>("POST", `/runs/${run.id}/fork`, { body: { at: "1.1" } });
    expect(fork.body.chosen).toEqual(run.chosen);
    await idle(agent, fork.body.id);
    await turn(agent, fork.body.id);
    const draft = await service.call<Schemas["Run"]>("POST", `/runs/${run.id}/fork`, {
      body: { at: "1.1", definition: { ...definition, instructions: "Work anew." } },
    });
    await idle(agent, draft.body.id);
    expect(modelsOf(model.received.slice(before))).toEqual(["small"]);

    await update(agent, { runModels: [] });
    const { run: failed } = await turn(agent, run.id);
    expect(failed.failure).toMatchObject({
      category: "model_configuration",
      title: expect.stringContaining('the model "fast" was chosen, and the agent offers none'),
    });
    const forked = await service.call("POST", `/runs/${run.id}/fork`, {
      body: { at: "1.1", definition: { ...definition, runModels: [] } },
    });
    expect(forked).toMatchObject({ status: 422, body: { detail: expect.stringContaining('"fast" was chosen') } });
  });
});

describe("a trial", () => {
  test("keeps to the limits that a run chose, and does not try a run that chose a model", async () => {
    const agent = await chooser();
    await ran(agent, { limits: { turn: { steps: 2 } } });
    await ran(agent, { model: "fast" });
    const body = { definition, last: 10, budget: { dollars: 1 }, control: 0 };
    const created = await service.call<Schemas["Trial"]>("POST", `/agents/${agent.agentId}/trials`, { body });
    expect(created.status).toBe(201);
    const path = `/trials/${created.body.id}`;
    await service.call("POST", `${path}/start`);
    await vi.waitFor(async () => expect((await service.call("GET", path)).body).toMatchObject({ status: "finished" }), {
      interval: 20,
      timeout: 25_000,
    });
    const { data } = (await service.call<Schemas["TrialCasePage"]>("GET", `${path}/cases`)).body;
    const reason = 'The run chose the model "fast", and a trial asks the model of the definition.';
    expect(data).toHaveLength(2);
    expect(data).toContainEqual(expect.objectContaining({ verdict: "cannot_be_tried", cannot_be_tried: reason }));
    expect(data).toContainEqual(expect.objectContaining({ verdict: "same" }));
  });
});

test("a client of the MCP endpoint chooses what its tool lists for the agent", async () => {
  const { key, ext } = await chooser({ result: { perRun: true } });
  const client = await connectClient({ baseUrl: service.baseUrl, apiKey: key }, "auto");
  const { tools } = await client.listTools();
  expect(tools[0]?.inputSchema.properties).toMatchObject({
    model: { enum: ["fast", "other"] },
    result_schema: { type: "object" },
    limits: { type: "object" },
  });
  const chosen = { model: "fast", limits: { turn: { steps: 2 } }, labels: { customer: "4711" } };
  const input = { name: "Run", input_text: "Go.", ...chosen, idempotency_key: "a key of models" };
  const { structured } = await callTool(client, "start_run", input);
  const { body } = await ext<ExtSchemas["RunDetail"]>("GET", `/runs/${String(structured["run_id"])}`);
  expect(body).toMatchObject({ chosen: { model: "fast", limits: { turn: { steps: 2 } } }, labels: chosen.labels });
  expect((await callTool(client, "start_run", input)).structured["run_id"]).toBe(body.id);
  const other = await callTool(client, "start_run", { ...input, labels: {} });
  expect([other.isError, other.text]).toEqual([true, expect.stringContaining("another body")]);
  const webhook = await callTool(client, "start_run", { ...input, webhook: { url: "https://example.com" } });
  expect(webhook.isError).toBe(true);
  await client.close();
});

test("an operator gives a run a schema only if the agent allows it", async () => {
  const { agentId: agent_id } = await chooser();
  const body = { agent_id, name: "n", result_schema: { type: "object" } };
  const refusal = { status: 403, body: { code: "result_schema_not_allowed" } };
  expect(await service.call("POST", "/runs", { body })).toMatchObject(refusal);
});

describe("an agent file", () => {
  test("names each model of runs once, with prices if the agent has some, and configurations that exist", async () => {
    const problems = async (changes: Partial<AgentDefinition>) => {
      const body = { organization_id: organizationId, definition: { ...definition, ...changes } };
      return (await service.call("POST", "/agents", { body })).body["detail"];
    };
    const prices = { input: 1, output: 1 };
    const [fast] = definition.runModels ?? [];
    if (!fast) throw new Error("one model");
    expect(await problems({ runModels: [fast, fast] })).toContain('runModels has two models named "fast"');
    expect(await problems({ runModels: [{ name: "a", model: "m" }] })).toContain(
      'the prices of "a" in runModels are missing',
    );
    expect(await problems({ runModels: [{ name: "a", modelConfiguration: "none", prices }] })).toContain(
      'runModels.0.modelConfiguration is "none"',
    );
    await chooser();
    const removed = await service.call("DELETE", `/organizations/${organizationId}/models/second`);
    expect(removed).toMatchObject({ status: 409, body: { code: "configuration_in_use" } });
  });
});
