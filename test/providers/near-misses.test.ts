import { describe, expect, test } from "vitest";
import type { ModelOutcome, ToolCall } from "../../src/agent/model.ts";
import { answerOf, request } from "./call-model.ts";
import { modelServer } from "./model-server.ts";
import { openAiFixture } from "./openai-fixture.ts";
import { streamsResponse } from "./provider-fixture.ts";

const search = {
  name: "search",
  description: "Searches.",
  input: {
    type: "object",
    properties: {
      query: { type: "string" },
      limit: { type: "integer" },
      exact: { type: ["boolean", "null"] },
      near: { $ref: "#/$defs/place" },
      tags: { type: "array", items: { type: "string" } },
      filter: { type: "object", properties: { from: { enum: ["a", "b"] }, to: { type: "number" } }, required: ["to"] },
      id: { anyOf: [{ type: "integer" }, { type: "null" }] },
      either: { anyOf: [{ type: "integer" }, { type: "string" }] },
    },
    required: ["query"],
  },
};

/** The call of a model that sends these arguments, after a JSON round trip, and what the model is sent with its result. */
async function called(args: string, name = "search"): Promise<{ call: ToolCall | undefined; next: string }> {
  const calls = [{ id: "c", name, arguments: [args] }];
  await using server = await modelServer(
    streamsResponse(openAiFixture, { calls, finish: "calls" }),
    streamsResponse(openAiFixture, { text: ["Done."] }),
  );
  const model = openAiFixture.open(server.baseUrl);
  const outcome = JSON.parse(JSON.stringify(await model(request({ tools: [search] })))) as ModelOutcome;
  const answer = answerOf(outcome);
  const [call] = answer.toolCalls;
  await model(
    request({
      tools: [search],
      messages: [
        { role: "user", text: "Hello" },
        { role: "assistant", answer },
        { role: "tool", results: [{ callId: "c", name: call?.name ?? "", text: "None." }] },
      ],
    }),
  );
  return { call, next: server.received[1]?.text ?? "" };
}

describe("arguments that are almost right", () => {
  test.each([
    ["null for an optional value that is none", '{"query":"x","limit":null}', { query: "x" }],
    ["a text for an integer", '{"query":"x","limit":"2"}', { query: "x", limit: 2 }],
    ["a text for a list", '{"query":"x","tags":"[\\"a\\"]"}', { query: "x", tags: ["a"] }],
    [
      "a text for an object, and null and a text in it",
      '{"query":"x","filter":"{\\"from\\":null,\\"to\\":\\"1.5\\"}"}',
      { query: "x", filter: { to: 1.5 } },
    ],
    ["a whole number with a point for an integer", '{"query":"x","limit":2.0}', { query: "x", limit: 2 }],
  ])("are repaired, and recorded as sent: %s", async (_, args, input) => {
    const { call, next } = await called(args);
    expect(call).toEqual({ id: "c", name: "search", input, sent: { json: args } });
    expect(next).toContain(JSON.stringify(args));
  });

  test("keep all digits", async () => {
    const { call } = await called('{"query":"x","limit":"2512292042121000001"}');
    expect(call).toMatchObject({ json: '{"query":"x","limit":2512292042121000001}' });
  });

  test.each([
    ['{"query":null}'],
    ['{"query":"2"}'],
    ['{"query":"x","limit":"2.5"}'],
    ['{"query":"x","limit":"two"}'],
    ['{"query":"x","exact":null}'],
    ['{"query":"x","near":null}'],
    ['{"query":"x","id":null}'],
    ['{"query":"x","either":"2"}'],
    ['{"query":"x","other":null}'],
    ['{"query":"x","constructor":null}'],
    ['{"query":"x","filter":{"to":null}}'],
  ])("are left as they are where their schema allows them, requires them or says nothing: %s", async (args) => {
    expect((await called(args)).call).toEqual({ id: "c", name: "search", input: JSON.parse(args) });
  });
});

describe("a name that is almost right", () => {
  test.each([
    "functions.search",
    "search<|channel|>commentary",
    "functions.search<|constrain|>json",
    "functions.search:0",
    "default_api.search",
  ])("calls the tool that is offered, and is recorded as sent: %s", async (name) => {
    const { call, next } = await called('{"query":"x"}', name);
    expect(call).toEqual({ id: "c", name: "search", input: { query: "x" }, sent: { name } });
    expect(next).toContain('"name":"search"');
  });

  test.each(["functions.find", "find<|channel|>commentary", "xfunctions.search", "find:0"])(
    "of no tool that is offered is an error: %s",
    async (name) => {
      const { call } = await called('{"query":"x"}', name);
      expect(call).toMatchObject({ name, invalid: expect.stringContaining("There is no tool") });
      expect(call).not.toHaveProperty("sent");
    },
  );
});
