import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { createAgent } from "../../../src/accounts/agents/agents.ts";
import { createKey } from "../../../src/accounts/keys.ts";
import { setWebhook } from "../../../src/accounts/webhooks.ts";
import type { AgentDefinition } from "../../../src/accounts/account-types.ts";
import { openapiDocument } from "../../../src/ext/generated/openapi.ts";
import type { Schemas } from "../../../src/ext/call.ts";
import { startRun, untilState } from "../../support/ext-runs.ts";
import { type ExtService, extService } from "../../support/ext-service.ts";
import { restCaller } from "../../support/local-service.ts";
import { responseChecks } from "../../support/rest-contract.ts";
import { webhookReceiver } from "../../support/webhook-receiver.ts";
import { chatServer, chunk, type Reply, streams, toolCallChunk } from "../../providers/chat-completions-server.ts";

const schema = {
  type: "object",
  properties: { total: { type: "number" }, id: { type: "integer" } },
  required: ["total"],
};
const definition = {
  name: "Typed",
  instructions: "Add up.",
  tools: [],
  limits: { steps: 9, tokens: 1e6, seconds: 60 },
};
const problemsOf = responseChecks(openapiDocument);

/** Each check of a result starts a process. */
const slowly = { timeout: 25_000, interval: 20 };

/** What the model submits or says next. */
let replies: ({ submits: string } | { says: string })[] = [];
const stop = (finish_reason: string) => chunk({}, { finish_reason });
const answer: Reply = (response, request) => {
  const reply = replies.shift() ?? { says: "no reply is left" };
  if ("says" in reply) return streams(chunk({ content: reply.says }), stop("stop"))(response, request);
  const call = toolCallChunk(0, { id: "c1", name: "submit_result", arguments: reply.submits });
  return streams(call, stop("tool_calls"))(response, request);
};
const model = await chatServer(...Array.from({ length: 100 }, () => answer));

let service: ExtService;
beforeAll(async () => {
  const provider = { provider: "openai-compatible", baseUrl: model.baseUrl, model: "m", enabled: true } as const;
  service = await extService({ model: provider });
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
});

/** A caller with the key of a new agent. */
async function agentWith(result: AgentDefinition["result"]): Promise<ExtService & { agentId: string; apiKey: string }> {
  const { platform, baseUrl, templateId } = service;
  const { organizationId = "" } = (await platform.accounts.findAgent(templateId)) ?? {};
  const { id: agentId } = await createAgent(platform.accounts, organizationId, {
    ...definition,
    ...(result && { result }),
  });
  const { key: apiKey } = await createKey(platform.accounts, agentId, {});
  return { ...service, agentId, apiKey, call: restCaller(baseUrl, { basePath: "/ext/v1", token: apiKey, problemsOf }) };
}

async function finishedRun(caller: ExtService, body: object = {}): Promise<Schemas["RunDetail"]> {
  return untilState(caller, await startRun(caller, { input_text: "Go.", ...body }), "finished");
}

async function again({ call }: ExtService, id: string): Promise<void> {
  const { status } = await call("POST", `/runs/${id}/input`, { body: { input_text: "Again." } });
  expect(status).toBe(202);
}

describe("a run of an agent with a schema", () => {
  test("has its result as JSON with all digits, and v1 has the text", async () => {
    const typed = await agentWith({ schema });
    replies = [{ submits: '{"total": 12.50, "id": 12345678901234567890}' }];
    const id = await startRun(typed, { input_text: "Go." });
    await untilState(typed, id, "finished");
    const authorization = `Bearer ${typed.apiKey}`;
    const read = async (path: string) => (await fetch(service.baseUrl + path, { headers: { authorization } })).text();
    expect(await read(`/ext/v1/runs/${id}`)).toContain('"result":{"total":12.50,"id":12345678901234567890}');
    const v1 = JSON.parse(await read(`/v1/agents/${id}`)) as { transcript: object[] };
    expect(v1.transcript[1]).toEqual({
      role: "output_from_agent",
      text: '{"total": 12.50, "id": 12345678901234567890}',
    });
    const tool = { name: "submit_result", parameters: schema };
    expect(model.received.at(-1)?.body["tools"]).toMatchObject([{ function: tool }]);
  });

  test("can have the schema of a generator: draft 7, a reference as its root, and a pattern with lookahead", async () => {
    const typed = await agentWith({ perRun: true });
    const sku = { type: "string", pattern: String.raw`^(?!\.)[A-Z.]+$` };
    const item = { type: "object", properties: { sku }, required: ["sku"] };
    const generated = { $ref: "#/definitions/Item", definitions: { Item: item } };
    const result_schema = { ...generated, $schema: "http://json-schema.org/draft-07/schema#" };
    replies = [{ submits: '{"sku": ".A"}' }, { submits: '{"sku": "A.B"}' }];
    expect(await finishedRun(typed, { result_schema })).toMatchObject({ result: { sku: "A.B" }, usage: { steps: 2 } });
    const sent = { type: "object", properties: { sku: { type: "string" } } };
    expect(model.received.at(-1)?.body["tools"]).toMatchObject([{ function: { parameters: sent } }]);
    expect(JSON.stringify(model.received.at(-1)?.body["tools"])).not.toContain("(?!");
  });

  test("is corrected once, which its events show", async () => {
    const typed = await agentWith({ schema });
    replies = [{ says: "It is 12." }, { submits: '{"total": 12}' }];
    const run = await finishedRun(typed);
    expect(run).toMatchObject({ result: { total: 12 }, result_error: null, usage: { steps: 2 } });
    const { body } = await typed.call<Schemas["EventPage"]>("GET", `/runs/${run.id}/events`);
    const problem = { place: "", expected: "JSON without any text around it", received: "It is 12." };
    const checks = body.data.flatMap((event) => (event.type === "model_call" ? [event.result_problems] : []));
    expect(checks).toEqual([[problem], []]);
  });

  test("finishes without a result and with the problems after a second one that does not fit", async () => {
    const typed = await agentWith({ schema });
    replies = [{ submits: '{"total": "12"}' }, { submits: '{"total": "12.0"}' }];
    expect(await finishedRun(typed)).toMatchObject({
      status: "finished",
      finish_reason: "completed",
      output: '{"total": "12.0"}',
      result: null,
      result_error: {
        message: 'The result does not fit its schema: /total: expected number, received "12.0".',
        problems: [{ place: "/total", expected: "number", received: '"12.0"' }],
      },
    });
  });

  test("has no result while its next turn is in progress, and keeps it when it is stopped", async () => {
    const typed = await agentWith({ schema });
    replies = [{ submits: '{"total": 1}' }, { submits: '{"total": 2}' }];
    const { id } = await finishedRun(typed);
    await again(typed, id);
    await vi.waitFor(async () => {
      const { body } = await typed.call<Schemas["RunDetail"]>("GET", `/runs/${id}`);
      expect(body).toMatchObject({ turn: 2, status: "finished", result: { total: 2 } });
    }, slowly);
    await typed.call("POST", `/runs/${id}/stop`);
    const { body } = await typed.call<Schemas["RunDetail"]>("GET", `/runs/${id}`);
    expect(body).toMatchObject({ status: "terminated", output: '{"total": 2}', result: { total: 2 } });
  });

  test("reports its result to the webhook, unless it does not fit or is long", async () => {
    const typed = await agentWith({ schema: { ...schema, properties: { total: {} } } });
    await using receiver = await webhookReceiver();
    const { organizationId = "" } = (await service.platform.accounts.findAgent(typed.agentId)) ?? {};
    expect(organizationId).not.toBe("");
    await setWebhook(service.platform.accounts, typed.agentId, {
      url: receiver.url,
      privateAddresses: true,
      addresses: "local",
    });
    const long = "x".repeat(65_536);
    replies = [
      { submits: '{"total": 12345678901234567890}' },
      { submits: `{"total": "${long}"}` },
      { submits: "[]" },
      { submits: "[]" },
    ];
    for (let run = 1; run <= 3; run++) {
      await finishedRun(typed);
      await vi.waitFor(() => expect(receiver.received).toHaveLength(run), slowly);
    }
    expect(receiver.received[0]?.body).toContain('"result":{"total":12345678901234567890}}}');
    for (const { body } of receiver.received.slice(1)) expect(body).not.toContain("result");
  });
});

const create = (caller: ExtService, result_schema: object) =>
  caller.call<{ code: string; detail: string }>("POST", "/runs", {
    body: { name: "r", input_text: "Go.", result_schema },
  });

describe("a create with result_schema", () => {
  const own = { type: "object", properties: { zebra: { type: "string" }, apple: { type: "string" } } };
  test("replaces the agent's schema for all turns, with its fields in order", async () => {
    const typed = await agentWith({ schema, perRun: true });
    replies = [{ submits: '{"zebra": "1"}' }, { submits: '{"zebra": "2"}' }];
    const run = await finishedRun(typed, { result_schema: own });
    expect(run.result).toEqual({ zebra: "1" });
    await again(typed, run.id);
    await vi.waitFor(async () => {
      const { body } = await typed.call<Schemas["RunDetail"]>("GET", `/runs/${run.id}`);
      expect(body.result).toEqual({ zebra: "2" });
    }, slowly);
    const bodies = model.received.slice(-2).map(({ body }) => JSON.stringify(body["tools"]));
    for (const body of bodies) expect(body).toContain(JSON.stringify(own));
  });

  test("is repeated with its idempotency key, but not with another schema", async () => {
    const typed = await agentWith({ perRun: true });
    replies = [{ submits: "{}" }];
    const headers = { "idempotency-key": "one" };
    const send = (result_schema: object) =>
      typed.call<Schemas["CreatedRun"]>("POST", "/runs", {
        body: { name: "r", input_text: "Go.", result_schema },
        headers,
      });
    const first = await send(own);
    expect((await send(own)).body.id).toBe(first.body.id);
    expect((await send(schema)).body).toMatchObject({ code: "idempotency_key_reused" });
  });

  test("is rejected, unless the agent allows it", async () => {
    const { status, body } = await create(await agentWith({ schema }), own);
    expect([status, body.code]).toEqual([403, "result_schema_not_allowed"]);
    expect(body.detail).toContain("result.perRun");
  });

  test("is rejected for a schema that cannot be used, with the place", async () => {
    const { status, body } = await create(await agentWith({ perRun: true }), {
      ...own,
      properties: { a: { type: "x" } },
    });
    expect([status, body.code]).toEqual([422, "invalid_argument"]);
    expect(body.detail).toMatch(/^result_schema: \/properties\/a\/type: must be equal to one of/);
  });
});

test("a schema whose check would never end costs 5 seconds at most, and the run ends", async () => {
  const step = { anyOf: [{ $ref: "#/$defs/n" }, { $ref: "#/$defs/n" }] };
  const $defs = { n: { type: "object", properties: { c: step }, required: ["never"] } };
  const typed = await agentWith({ schema: { type: "object", properties: { c: step }, $defs } });
  replies = [{ submits: `${'{"c":'.repeat(60)}{}${"}".repeat(60)}` }];
  const id = await startRun(typed, { input_text: "Go." });
  const run = await vi.waitFor(
    async () => {
      const { body } = await typed.call<Schemas["RunDetail"]>("GET", `/runs/${id}`);
      expect(body.status).toBe("finished");
      return body;
    },
    { timeout: 25_000, interval: 200 },
  );
  expect(run.result_error?.message).toMatch(/could not be: the check (took more than 5 seconds|needed more memory)/);
}, 20_000);
