import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { answerOf, callModel, failureOf, request, tools } from "./call-model.ts";
import { anthropicFixture } from "./anthropic-fixture.ts";
import { bedrockFixture, credentials } from "./bedrock-fixture.ts";
import { modelServer } from "./model-server.ts";
import { openAiFixture } from "./openai-fixture.ts";
import { responsesFixture } from "./responses-fixture.ts";
import { openAiCompatible } from "../../src/agent/models/openai/openai-compatible.ts";
import { openAiResponses } from "../../src/agent/models/openai/openai-responses.ts";
import { type ProviderFixture, rejects, type ScriptedResponse, streamsResponse } from "./provider-fixture.ts";
import type { SentRequest } from "../../src/agent/model.ts";

const result = {
  type: "object",
  properties: { total: { type: "number" } },
  required: ["total"],
  additionalProperties: false,
};
/** The id is longer than the digits that a number keeps. */
const json = '{"total": 12.50, "id": 12345678901234567890}';
const submits = (text: string): ScriptedResponse => ({
  calls: [{ id: "c1", name: "submit_result", arguments: [text.slice(0, 9), text.slice(9)] }],
  finish: "calls",
});

/** A model of the provider with its own format, and where its requests have the schema. */
const native: [ProviderFixture, string, (body: Record<string, unknown>) => unknown][] = [
  [
    anthropicFixture,
    "claude-sonnet-4-5",
    ({ output_config }) => (output_config as { format?: { schema: unknown } }).format?.schema,
  ],
  [
    bedrockFixture,
    "eu.anthropic.claude-sonnet-4-5-20250929-v1:0",
    ({ additionalModelRequestFields: more }) =>
      (more as { output_config?: { format?: { schema: unknown } } }).output_config?.format?.schema,
  ],
];

/** A model of each provider without its own format. */
const others: [string, ProviderFixture, string][] = [
  ["openai-compatible", openAiFixture, "m"],
  ["openai-responses", responsesFixture, "m"],
  ["anthropic", anthropicFixture, "claude-3-opus-20240229"],
  ["bedrock", bedrockFixture, "meta.llama3-3-70b-instruct-v1:0"],
];

beforeEach(() => {
  for (const [name, value] of Object.entries(credentials)) vi.stubEnv(name, value);
});
afterEach(() => vi.unstubAllEnvs());

describe.each(others)("%s: a result by the tool submit_result", (_name, provider, model) => {
  it("offers the tool beside the others, and takes its arguments as they were written as the answer", async () => {
    const { outcome, sent } = await callModel(
      provider,
      streamsResponse(provider, submits(json)),
      { result },
      { model },
    );
    expect(answerOf(outcome)).toMatchObject({ text: json, toolCalls: [], finishReason: "stop" });
    expect(sent[0]?.tools).toEqual([...tools.map(({ name }) => name), "submit_result"]);
    expect(sent[0]?.instructions).toMatch(/^Be brief\.\n\n.*submit_result/s);
  });

  it("offers the tool alone for a final answer", async () => {
    const { outcome, sent } = await callModel(
      provider,
      streamsResponse(provider, submits(json)),
      { result, tools: [] },
      { model },
    );
    expect([answerOf(outcome).text, sent[0]?.tools]).toEqual([json, ["submit_result"]]);
  });

  it("drops a result beside other calls, whose results the model has not seen", async () => {
    const list = { id: "c2", name: "list_files", arguments: ["{}"] };
    const both = { calls: [...(submits(json).calls ?? []), list], finish: "calls" as const };
    const { outcome } = await callModel(provider, streamsResponse(provider, both), { result }, { model });
    expect(answerOf(outcome)).toMatchObject({ text: "", toolCalls: [{ name: "list_files" }] });
  });

  it("takes arguments that are not JSON as the answer, which the turn checks", async () => {
    const { outcome } = await callModel(
      provider,
      streamsResponse(provider, submits('{"total": ')),
      { result },
      { model },
    );
    expect(answerOf(outcome)).toMatchObject({ text: '{"total": ', toolCalls: [] });
  });
});

describe.each(native)("%o: a result in the provider's own format", (provider, model, schemaIn) => {
  it("sends the schema and no tool for it", async () => {
    const reply = streamsResponse(provider, { text: [json] });
    const { outcome, sent, received } = await callModel(provider, reply, { result }, { model });
    expect(answerOf(outcome).text).toBe(json);
    expect(schemaIn(received[0]?.body ?? {})).toMatchObject({ properties: { total: { type: "number" } } });
    expect(sent[0]?.tools).toEqual(tools.map(({ name }) => name));
  });

  it("uses the tool for a schema that the format would close", async () => {
    const open = {
      type: "object",
      properties: { counts: { type: "object", additionalProperties: { type: "number" } } },
    };
    const reply = streamsResponse(provider, submits("{}"));
    const { sent } = await callModel(provider, reply, { result: open }, { model });
    expect(sent[0]?.tools).toContain("submit_result");
  });
});

const openNative = (baseUrl: string) =>
  openAiCompatible({ baseUrl, model: "m", apiKey: openAiFixture.credential, compat: { resultFormat: "native" } });

describe("a chat completions server", () => {
  it("gets response_format if its configuration says so", async () => {
    await using server = await modelServer(streamsResponse(openAiFixture, { text: [json] }));
    const forms: SentRequest[] = [];
    const outcome = await openNative(server.baseUrl)()(request({ result, onSent: (sent) => void forms.push(sent) }));
    expect(answerOf(outcome).text).toBe(json);
    expect(server.received[0]?.body["response_format"]).toEqual({
      type: "json_schema",
      json_schema: { name: "result", strict: true, schema: result },
    });
    expect(forms).toMatchObject([{ resultFormat: "native", status: 200 }]);
  });

  it("gets the tool after it has rejected the format, and from then on for this schema", async () => {
    const rejected = rejects(
      openAiFixture,
      400,
      "Invalid schema for response_format 'result': 'required' is required.",
    );
    const answers = streamsResponse(openAiFixture, submits(json));
    const text = streamsResponse(openAiFixture, { text: [json] });
    await using server = await modelServer(rejected, answers, answers, text);
    const open = openNative(server.baseUrl);
    const forms: SentRequest[] = [];
    const onSent = (sent: SentRequest) => void forms.push(sent);
    for (const one of [1, 2]) expect(answerOf(await open()(request({ result, onSent }))).text, `${one}`).toBe(json);
    await open()(request({ result: { ...result, title: "Another" }, onSent }));
    expect(forms.map(({ resultFormat, status }) => [resultFormat, status])).toEqual([
      ["native", 400],
      ["tool", 200],
      ["tool", 200],
      ["native", 200],
    ]);
  });

  it("reports another rejection as it is", async () => {
    await using server = await modelServer(rejects(openAiFixture, 400, "The image is too small."));
    const outcome = await openNative(server.baseUrl)()(request({ result }));
    expect(failureOf(outcome).title).toContain("The image is too small.");
    expect(server.received).toHaveLength(1);
  });
});

const openResponses = (baseUrl: string) =>
  openAiResponses({ baseUrl, model: "m", apiKey: responsesFixture.credential, compat: { resultFormat: "native" } })();

describe("a server with the Responses API", () => {
  it("gets the schema as the format of the text if its configuration says so", async () => {
    await using server = await modelServer(streamsResponse(responsesFixture, { text: [json] }));
    expect(answerOf(await openResponses(server.baseUrl)(request({ result }))).text).toBe(json);
    expect(server.received[0]?.body["text"]).toEqual({
      format: { type: "json_schema", name: "result", strict: true, schema: result },
    });
  });

  it("gets the tool after it has rejected the schema", async () => {
    const words = "Invalid schema for response_format 'result': 'additionalProperties' is required to be false.";
    const rejected = rejects(responsesFixture, 400, words);
    await using server = await modelServer(rejected, streamsResponse(responsesFixture, submits(json)));
    expect(answerOf(await openResponses(server.baseUrl)(request({ result }))).text).toBe(json);
    expect(server.received[1]?.body).not.toHaveProperty("text");
  });
});
