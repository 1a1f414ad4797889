import { describe, expect, test } from "vitest";
import { keepDaysProblems, parseAgentFile } from "../../../src/accounts/agents/agent-definition.ts";

const minimal = { name: "n", instructions: "i" };
const tool = { name: "find_order", description: "Finds an order.", input: { type: "object" } };
const parsed = (fields: object) => parseAgentFile(JSON.stringify({ ...minimal, ...fields }));

describe("an agent file", () => {
  test("has defaults for turn limits only", () => {
    expect(parsed({ tools: [] })).toEqual({
      definition: { ...minimal, tools: [], limits: { steps: 50, tokens: 500_000, seconds: 1_800 } },
    });
  });

  test("may start with a byte order mark", () => {
    expect(parseAgentFile(`\uFEFF${JSON.stringify({ ...minimal, tools: [] })}`)).toEqual(parsed({ tools: [] }));
    expect(parseAgentFile("\uFEFF")).toMatchObject({ problems: [expect.stringContaining("not valid JSON")] });
  });

  test("may set prices, parameters, the environment, the context window, run limits and quotas", () => {
    const fields = {
      tools: [],
      limits: { steps: 5, tokens: 10, seconds: 20, inputTokens: 8, outputTokens: 2, dollars: 0.5 },
      runLimits: { steps: 9, seconds: 100, dollars: 2.5 },
      prices: { input: 3, cachedInput: 0.3, cacheWriteInput: 3.75, output: 15 },
      parameters: { temperature: 0, maxOutputTokens: 4_000, reasoningEffort: "low" },
      contextTokens: 32_000,
      environment: "data-science",
      maxRunning: 3,
      maxDollarsPerDay: 12.5,
    };
    expect(parsed(fields)).toEqual({ definition: { ...minimal, ...fields } });
  });

  test.each([
    [{ limits: { dollars: 0 } }, "limits.dollars must be > 0 (received 0)"],
    [{ runLimits: { turns: 3 } }, "runLimits.turns is not a field of an agent file"],
    [{ prices: { input: 3 } }, "prices.output is missing"],
    [{ parameters: { temperature: 3 } }, "parameters.temperature must be <= 2 (received 3)"],
    [
      { parameters: { reasoningEffort: "most" } },
      'parameters.reasoningEffort must be one of low, medium, high (received "most")',
    ],
    [{ limits: { dollars: 1 } }, "prices is missing; limits.dollars requires it"],
    [{ runLimits: { dollars: 1 } }, "prices is missing; runLimits.dollars requires it"],
    [{ maxDollarsPerDay: 1 }, "prices is missing; maxDollarsPerDay requires it"],
    [{ environment: "../etc" }, 'environment must match pattern "^[a-z][a-z0-9-]{0,39}$" (received "../etc")'],
    [{ maxRunning: 0 }, "maxRunning must be >= 1 (received 0)"],
    [
      { mcp: ["https://a.example/mcp", "https://b.example/mcp"].map((url) => ({ name: "team", url })) },
      'mcp has two servers named "team"; names must be unique',
    ],
    [
      { mcp: [{ name: "team", url: "https://a.example/mcp", headers: { Authorization: "Bearer sk-pasted" } }] },
      "mcp.0.headers.Authorization must be object",
    ],
    [
      { mcp: [{ name: "team", url: "https://user:pasted@a.example/mcp" }] },
      "the url of the MCP server team contains a user name or password; put the credential in a secret and name it in headers",
    ],
    [{ clientTools: [tool, tool] }, 'clientTools has two tools named "find_order"; names must be unique'],
    [
      { clientTools: [{ ...tool, name: "read_file" }] },
      'clientTools has a tool named "read_file", the name of a tool of the service; choose another name',
    ],
    [
      { clientTools: [{ ...tool, name: "team__x" }], mcp: [{ name: "team", url: "https://a.example/mcp" }] },
      'clientTools has a tool named "team__x", as tools of the MCP server team are; choose another name',
    ],
    [{ clientTools: [{ ...tool, name: "a b" }] }, expect.stringContaining("clientTools.0.name must match pattern")],
    [
      { toolPolicy: { wrte_file: "ask" } },
      'toolPolicy has a rule for "wrte_file", which is not a tool of the service or the agent; expected the name of a tool, or SERVER__TOOL or SERVER__* of an MCP server in mcp',
    ],
    [
      { toolPolicy: { write_file: "sometimes" } },
      'toolPolicy.write_file must be one of allow, ask, deny (received "sometimes")',
    ],
    [{ answers: { withinSeconds: 59 } }, "answers.withinSeconds must be >= 60 (received 59)"],
    [{ contextTokens: 100 }, "contextTokens must be >= 2000 (received 100)"],
  ])("%j is rejected", (fields, problem) => {
    expect(parsed(fields)).toEqual({ problems: [problem] });
  });

  test("may have rules, client tools and answers, also of tools with the names of inherited fields", () => {
    const fields = {
      tools: ["ask_person"],
      toolPolicy: { write_file: "ask", "team__*": "deny", constructor: "allow" },
      clientTools: [{ ...tool, name: "constructor" }],
      mcp: [{ name: "team", url: "https://a.example/mcp" }],
      answers: { withinSeconds: 3_600, keysApprove: true },
      limits: { steps: 1, tokens: 1, seconds: 1 },
    };
    expect(parsed(fields)).toEqual({ definition: { ...minimal, ...fields } });
  });

  test("is rejected when it exceeds the size of a stored item", () => {
    const problem = expect.stringMatching(/^all fields together have 400\d{3} bytes of UTF-8; at most 350000 are/);
    expect(parsed({ instructions: "🙂".repeat(100_000) })).toEqual({ problems: [problem] });
    expect(parsed({ instructions: "é".repeat(100_000) })).toHaveProperty("definition");
  });
});

test("keepDays is refused on a stack, which deletes all runs itself", () => {
  const definition = { name: "A", instructions: "", tools: [], limits: { steps: 1, tokens: 1, seconds: 1 } };
  expect(keepDaysProblems({ ...definition, keepDays: 30 }, 90)).toEqual([
    "keepDays is 30, but is for services on one machine; a stack deletes all runs after the days of its setting " +
      "retentionDays (90): remove keepDays",
  ]);
  expect(keepDaysProblems({ ...definition, keepDays: 30 }, undefined)).toEqual([]);
  expect(keepDaysProblems(definition, 90)).toEqual([]);
});
