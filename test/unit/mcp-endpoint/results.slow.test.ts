import { resultFromTaskOutcome } from "@modelcontextprotocol/ext-tasks/client";
import { afterAll, beforeAll, expect, test } from "vitest";
import { updateAgent } from "../../../src/accounts/agents/agents.ts";
import { scriptedModel } from "../../browser/scripted-model.ts";
import { callTool, connectClient, connectTasks } from "../../support/mcp-clients.ts";
import { type LocalService, localService } from "../../support/local-service.ts";

const schema = {
  type: "object",
  properties: {
    id: { type: "integer" },
    lines: { type: "array", items: { $ref: "#/$defs/line" } },
    // A field with the name of a keyword.
    default: { $ref: "#/$defs/line" },
  },
  required: ["id"],
  $defs: { line: { type: "object", properties: { next: { $ref: "#/$defs/line" } } } },
};
/** Longer than the digits that a number keeps. */
const long = '{"id": 12345678901234567890}';
/** Answers with its input, and with the same again when it is asked for a correction. */
const model = await scriptedModel((input) => ({ text: input.startsWith("Your result") ? "seven" : input }));

let service: LocalService;
beforeAll(async () => {
  service = await localService({
    model: { enabled: true, provider: "openai-compatible", baseUrl: model.baseUrl, model: "m" },
  });
  const limits = { steps: 5, tokens: 1e6, seconds: 60 };
  const definition = { name: "Typed", instructions: "Answer.", tools: [], limits, result: { schema } };
  await updateAgent(service.platform.accounts, service.templateId, definition);
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  await model.close();
});

const input = (text: string) => ({ name: "Test", input_text: text });

test("start_run lists the schema of the result, with its references in their new place", async () => {
  const client = await connectClient(service, "auto");
  const { tools } = await client.listTools();
  const { outputSchema } = tools.find(({ name }) => name === "start_run") ?? {};
  expect(outputSchema?.properties).toMatchObject({
    run_id: { type: "string" },
    result: {
      anyOf: [
        {
          properties: {
            lines: { items: { $ref: "#/properties/result/anyOf/0/$defs/line" } },
            default: { $ref: "#/properties/result/anyOf/0/$defs/line" },
          },
          required: ["id"],
        },
        { type: "null" },
      ],
    },
  });
  expect(outputSchema?.required).not.toContain("result");
  await client.close();
});

test("a task ends with the result as structured content, which the client checks against the schema", async () => {
  const session = await connectTasks(service);
  const execution = await session.callTool("start_run", input('{"id": 7, "lines": [{"next": {}}]}'));
  const { outcome } = await execution.settle();
  const result = resultFromTaskOutcome(outcome) as unknown as { structuredContent: object };
  expect(result.structuredContent).toMatchObject({ result: { id: 7, lines: [{ next: {} }] }, result_error: null });
  await session.close();
  await session.client.close();
});

test("get_run has the result, or why there is none", async () => {
  const client = await connectClient(service, "auto");
  const run = async (text: string) => {
    const { structured } = await callTool(client, "start_run", input(text));
    return callTool(client, "wait_for_run", { run_id: structured["run_id"] });
  };
  expect((await run('{"id": 7}')).structured).toMatchObject({ result: { id: 7 }, result_error: null });
  const { structured, text } = await run("seven");
  expect(structured).toMatchObject({ output: "seven", result: null });
  expect(structured["result_error"]).toBe("the result: expected JSON without any text around it, received seven");
  expect(text).toContain("The output does not fit the schema of the agent's results: the result: expected JSON");
  await client.close();
});

test("a number keeps its digits", async () => {
  const client = await connectClient(service, "auto");
  const { structured } = await callTool(client, "start_run", input(long));
  await callTool(client, "wait_for_run", { run_id: structured["run_id"] });
  const response = await fetch(`${service.baseUrl}/mcp`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${service.apiKey}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "get_run", arguments: { run_id: structured["run_id"] } },
    }),
  });
  expect(await response.text()).toContain('"result":{"id":12345678901234567890}');
  await client.close();
});
