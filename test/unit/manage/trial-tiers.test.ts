import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { Schemas } from "../../../src/manage/schema-types.ts";
import { credentials, eventsOf, frame, startStream } from "../../providers/bedrock-fixture.ts";
import { modelServer } from "../../providers/model-server.ts";
import { type ManageService, manageService, untilIdle } from "../../support/manage-service.ts";

// Trials with a cheaper service tier of the provider: a server of Bedrock's API, which has one.

/** Instructions of each request, and the tier that it names. */
const asked: { instructions: string; tier: unknown }[] = [];
const model = await modelServer(
  ...Array.from({ length: 50 }, (): Parameters<typeof modelServer>[0] => (response, { body }) => {
    const [{ text: instructions = "" } = {}] = body["system"] as { text?: string }[];
    asked.push({ instructions: instructions.split("\n", 1).join(), tier: body["serviceTier"] });
    const isJudge = instructions.startsWith("Judge.");
    const text = isJudge ? JSON.stringify({ reason: "Both are short.", better: "equal" }) : instructions.slice(0, 5);
    startStream(response);
    for (const [type, payload] of eventsOf({ text: [text] })) response.write(frame(type, payload));
    response.end();
  }),
);

const definition = {
  name: "Writer",
  instructions: "Write.",
  tools: [],
  limits: { steps: 5, tokens: 100_000, seconds: 60 },
  prices: { input: 1, output: 10 },
};

let service: ManageService;
let agentId: string;
let organizationId: string;

beforeAll(async () => {
  for (const [name, value] of Object.entries(credentials)) vi.stubEnv(name, value);
  const baseUrl = new URL(model.baseUrl).origin;
  service = await manageService({
    model: { provider: "bedrock", enabled: true, region: "eu-central-1", baseUrl, model: "amazon.nova-pro-v1:0" },
  });
  const { body: starter } = await service.call<Schemas["Agent"]>("GET", `/agents/${service.templateId}`);
  organizationId = starter.organization_id;
  agentId = await newAgent({});
  const { body: run } = await service.call<Schemas["CreatedRun"]>("POST", "/runs", {
    body: { agent_id: agentId, name: "Run", input_text: "Go." },
  });
  await untilIdle(service, run.id);
});

afterAll(async () => {
  vi.unstubAllEnvs();
  await service[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
});

async function newAgent(change: object): Promise<string> {
  const body = { organization_id: organizationId, definition: { ...definition, ...change } };
  return (await service.call<Schemas["Agent"]>("POST", "/agents", { body })).body.id;
}

function create<Body = Schemas["Trial"]>(more: object, tried = agentId) {
  const body = { definition, last: 1, budget: { dollars: 1 }, control: 1, tier: "flex", ...more };
  return service.call<Body>("POST", `/agents/${tried}/trials`, { body });
}

async function ended(id: string): Promise<Schemas["Trial"]> {
  await service.call("POST", `/trials/${id}/start`);
  for (;;) {
    const { body } = await service.call<Schemas["Trial"]>("GET", `/trials/${id}`);
    if (body.status === "finished") return body;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

describe("a trial with a tier", () => {
  test("asks all of its models with it, and saves nothing of it", async () => {
    const priority = { ...definition, instructions: "Draft.", parameters: { serviceTier: "priority" as const } };
    const judge = { definition: { ...definition, instructions: "Judge." } };
    asked.length = 0;
    const { body: created } = await create({ definition: priority, judge });
    const trial = await ended(created.id);
    expect(trial).toMatchObject({ tier: "flex", summary: { verdicts: { equal: 1 } } });
    expect(new Set(asked.map(({ instructions }) => instructions.slice(0, 5)))).toEqual(
      new Set(["Draft", "Write", "Judge"]),
    );
    expect(asked.every(({ tier }) => (tier as { type?: string } | undefined)?.type === "flex")).toBe(true);

    const saved = await service.call<Schemas["Agent"]>("PUT", `/agents/${agentId}`, {
      body: { definition: trial.definition, trial_id: trial.id },
    });
    expect(saved.body.definition.parameters).toEqual({ serviceTier: "priority" });
    asked.length = 0;
    const { body: run } = await service.call<Schemas["CreatedRun"]>("POST", "/runs", {
      body: { agent_id: agentId, name: "Run", input_text: "Go." },
    });
    await untilIdle(service, run.id);
    expect(asked).toEqual([{ instructions: "Draft.", tier: { type: "priority" } }]);
  });

  test("says that its dollars are those of the agent files", async () => {
    const { body: tiered } = await create({});
    const { body: usual } = await create({ tier: undefined });
    expect(tiered.estimate.dollars).toEqual(usual.estimate.dollars);
    expect(tiered.estimate.notes.join()).toContain("dollars are computed with the prices of the agent files");
    expect([usual.tier, usual.estimate.notes]).toEqual([null, []]);
  });

  test.each([[{ tier: "batch" }, "'flex'"]])("with %j is refused with the reason", async (more, reason) => {
    const { status, body } = await create<object>(more);
    expect(status).toBe(422);
    expect(JSON.stringify(body)).toContain(reason);
  });

  test.each([
    [{ provider: "demo" }, "the demo model is not known to have flex"],
    [
      { provider: "openai-compatible", base_url: "http://127.0.0.1:9/v1", model: "m" },
      "127.0.0.1:9 is not known to have flex; known are OpenAI, Azure OpenAI and Amazon Bedrock",
    ],
  ])("is refused for a model server that has none: %j", async (settings, reason) => {
    const name = `other-${settings.provider}`;
    const path = `/organizations/${organizationId}/models/${name}`;
    const set = await service.call("PUT", path, { body: { ...settings, enabled: true } });
    expect(set.status).toBeLessThan(300);
    const { status, body } = await create<object>({ definition: { ...definition, modelConfiguration: name } });
    expect(status).toBe(422);
    expect(JSON.stringify(body)).toContain(reason);
  });
});
