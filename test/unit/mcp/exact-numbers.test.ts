import { describe, expect, test } from "vitest";
import { openTools } from "../../../src/agent/toolbox.ts";
import type { ToolOutput } from "../../../src/agent/tools/tool.ts";
import { rawMcpServer } from "../../support/raw-mcp-server.ts";
import { files } from "../agent/scripted.ts";

const json = '{"id":2512292042121000001,"price":10.10}';
const find = {
  name: "find",
  inputSchema: {
    type: "object",
    properties: { id: { type: "integer" }, price: { type: "number" } },
    required: ["id"],
    additionalProperties: false,
  },
};

/** Calls the tool of a server with arguments as a model wrote them. */
async function called(result: string, { args = json, streamed = false } = {}): Promise<[ToolOutput, string[]]> {
  await using server = await rawMcpServer([find], () => result, { streamed });
  await using opened = await openTools(
    { tools: [], mcp: [{ name: "s", url: server.url }] },
    { readSecret: async () => undefined, addresses: "local" },
    AbortSignal.timeout(60_000),
  );
  const tool = opened.tools.find(({ definition }) => definition.name === "s__find");
  const context = { files: files(), signal: AbortSignal.timeout(60_000) };
  const written = { id: "c", name: "s__find", input: JSON.parse(args) as unknown, json: args };
  const output = await tool?.run(written.input, { ...context, call: written });
  return [output ?? { text: "there is no such tool" }, server.calls];
}

describe("an MCP server", () => {
  test("gets the numbers of arguments as the model wrote them", async () => {
    const [output, calls] = await called('{"content":[{"type":"text","text":"Found."}]}');
    expect(output).toEqual({ text: "Found." });
    expect(calls).toEqual([expect.stringContaining(`"arguments":${json}`)]);
  });

  test("gets none that do not match its schema, and the error has the digits", async () => {
    const [output, calls] = await called("{}", { args: '{"ids":2512292042121000001}' });
    expect(output).toMatchObject({
      error: true,
      text: expect.stringContaining('Received: {"ids":2512292042121000001}.'),
    });
    expect(calls).toEqual([]);
  });

  test.each([{ streamed: false }, { streamed: true }])(
    "returns structured content with the numbers that it sent (event stream: $streamed)",
    async ({ streamed }) => {
      const structured = '{"id":1469812398471234561,"price":10.10,"rows":[1.0,{"n":-9007199254740993}]}';
      const [alone] = await called(`{"content":[],"structuredContent":${structured}}`, { streamed });
      expect(alone).toEqual({ text: structured });
      const [beside] = await called(
        `{"content":[{"type":"text","text":"One."}],"structuredContent": {"id": 1469812398471234561}}`,
        { streamed },
      );
      expect(beside).toEqual({ text: "One.", structured: '{"id":1469812398471234561}' });
    },
  );

  test("returns structured content once that the text repeats", async () => {
    const text = JSON.stringify('{ "id": 1469812398471234561 }');
    const result = `{"content":[{"type":"text","text":${text}}],"structuredContent":{"id":1469812398471234561}}`;
    expect((await called(result))[0]).toEqual({ text: '{ "id": 1469812398471234561 }' });
    const other = result.replace(/561\}\}$/, "562}}");
    expect((await called(other))[0]).toMatchObject({ structured: '{"id":1469812398471234562}' });
  });
});
