import { expect, it } from "vitest";
import { callModel, failureOf } from "./call-model.ts";
import type { ModelFailure } from "../../src/agent/model.ts";
import { rejects } from "./chat-completions-server.ts";
import { openAiFixture } from "./openai-fixture.ts";

const definition = (name: string, property: string) => ({
  name,
  description: "d",
  input: { type: "object", properties: { [property]: { type: "string", pattern: "^a$" } } },
});
const tools = [definition("crm__find", "email"), definition("crm__find_all", "e-mail"), definition("list_files", "of")];

it.each([
  [
    "OpenAI",
    "Invalid schema for function 'crm__find': reference to component '#/$defs/F' was not found.",
    ["crm__find"],
  ],
  ["Anthropic", "tools.1.custom.input_schema: JSON schema is invalid. It must match draft 2020-12", ["crm__find_all"]],
  [
    "Gemini",
    "* GenerateContentRequest.tools[0].function_declarations[1].parameters.properties[x]: unknown",
    ["crm__find_all"],
  ],
  [
    "a place",
    "Invalid JSON schema: regex lookaround is not supported. Found at $.properties.email.pattern.",
    ["crm__find"],
  ],
  [
    "a place with a hyphen",
    "regex lookaround is not supported. Found at $.properties.e-mail.pattern.",
    ["crm__find_all"],
  ],
  ["something else", "The model has a bad day.", undefined],
  ["too many tokens", "This model's maximum context length is 9 tokens; the tool crm__find takes all.", undefined],
])("the error of a provider names the tools that it refuses: %s", async (_, message, refused) => {
  const { outcome } = await callModel(openAiFixture, rejects(400, message), { tools });
  expect((outcome as ModelFailure).refusedTools).toEqual(refused);
  expect(failureOf(outcome).category).toBe("model_refused");
});

it("an outage names no tools", async () => {
  const { outcome } = await callModel(openAiFixture, rejects(503, "crm__find is down"), { tools });
  expect((outcome as ModelFailure).refusedTools).toBeUndefined();
});
